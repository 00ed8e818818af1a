//! Datasets (`H5D`).

use core::ffi::{c_int, c_void};
use std::sync::Arc;

use h5_abi::{H5VL_dataset_get_args_t, H5VL_dataset_specific_args_t, H5VL_loc_params_t, hid_t};
use h5_host::{Host, Id};

use super::argument::{Argument, Arguments, Identifier, MemorySource, MemoryTarget, Name, OptionalOperation};
use super::{
    RequestSlot, call_below, closing_call, creating_call, method, operations, releasing_object, status,
    with_object,
};
use crate::below::BelowObject;
use crate::callback::Callback;
use crate::connector::Connector;
use crate::error::{Error, Result};
use crate::location::Location;
use crate::methods::PassThrough;
use crate::object::{NewObject, Object, ObjectKind, Origin};

creating_call! {
    /// `H5Dcreate`.
    DatasetCreate: DatasetCreate, dataset_create, H5VLdataset_create / dataset_cls.create, Dataset {
        /// Name, absent for an anonymous dataset.
        name: Name,
        /// Link creation property list.
        link_creation: Identifier,
        /// Datatype of the elements.
        datatype: Identifier,
        /// Dataspace.
        space: Identifier,
        /// Creation property list.
        creation: Identifier,
        /// Access property list.
        access: Identifier,
    }
}

creating_call! {
    /// `H5Dopen`.
    DatasetOpen: DatasetOpen, dataset_open, H5VLdataset_open / dataset_cls.open, Dataset {
        /// Name of the dataset.
        name: Name,
        /// Access property list.
        access: Identifier,
    }
}

operations! {
    /// Questions about a dataset.
    DatasetGet: dataset_get, H5VLdataset_get / dataset_cls.get, asks(H5VL_dataset_get_args_t);
    /// Set extent, flush, refresh.
    DatasetSpecific: dataset_specific, H5VLdataset_specific / dataset_cls.specific, does(H5VL_dataset_specific_args_t);
    /// Operations only some connectors know; for native ones chunk queries and direct chunk I/O.
    DatasetOptional: dataset_optional, H5VLdataset_optional / dataset_cls.optional, optional();
}

closing_call! {
    /// `H5Dclose`.
    DatasetClose: DatasetClose, dataset_close, H5VLdataset_close / dataset_cls.close
}

/// One dataset's part of a read or write.
pub struct DatasetPart<C: Connector, M> {
    /// The dataset.
    pub dataset: Arc<Object<C>>,
    /// Datatype of the elements in memory.
    pub memory_type: Id,
    /// Selection in memory; [`Id::DEFAULT`] means the file selection (`H5S_ALL`).
    pub memory_space: Id,
    /// Selection in the dataset; [`Id::DEFAULT`] means all of it.
    pub file_space: Id,
    /// The application's memory.
    pub memory: M,
}

/// `H5Dread`, `H5Dread_multi`: one or many datasets.
pub struct DatasetRead<'a, C: Connector> {
    /// The datasets to read. Never empty.
    pub parts: Vec<DatasetPart<C, MemoryTarget<'a>>>,
    /// Data transfer property list.
    pub transfer: Id,
    /// Where a token of asynchronous execution goes.
    pub request: RequestSlot<'a>,
}

/// `H5Dwrite`, `H5Dwrite_multi`: one or many datasets.
pub struct DatasetWrite<'a, C: Connector> {
    /// The datasets to write. Never empty.
    pub parts: Vec<DatasetPart<C, MemorySource<'a>>>,
    /// Data transfer property list.
    pub transfer: Id,
    /// Where a token of asynchronous execution goes.
    pub request: RequestSlot<'a>,
}

impl<C: Connector, M> DatasetPart<C, M> {
    /// The host of the dataset.
    pub fn host(&self) -> Host {
        self.dataset.host()
    }

    /// The selection that determines how many elements are transferred. `None` if the whole dataset is.
    pub fn selection(&self) -> Option<Id> {
        [self.file_space, self.memory_space].into_iter().find(|space| space.is_valid())
    }
}

/// The parts as the arrays of the C interface, for the connector below.
struct Unwrapped<P> {
    objects: Vec<*mut c_void>,
    memory_types: Vec<hid_t>,
    memory_spaces: Vec<hid_t>,
    file_spaces: Vec<hid_t>,
    buffers: Vec<P>,
}

impl<P> Unwrapped<P> {
    fn new<C: PassThrough, M>(parts: &[DatasetPart<C, M>], address: impl Fn(&M) -> P) -> Result<Self> {
        let first = parts.first().ok_or_else(|| Error::bad_argument("no dataset to read or write"))?;
        for part in parts {
            part.dataset.require_below()?;
            first.dataset.require_same_below(&part.dataset)?;
        }
        let below = |part: &DatasetPart<C, M>| {
            part.dataset.below().map_or(core::ptr::null_mut(), BelowObject::as_ptr)
        };
        Ok(Self {
            objects: parts.iter().map(below).collect(),
            memory_types: parts.iter().map(|part| part.memory_type.0).collect(),
            memory_spaces: parts.iter().map(|part| part.memory_space.0).collect(),
            file_spaces: parts.iter().map(|part| part.file_space.0).collect(),
            buffers: parts.iter().map(|part| address(&part.memory)).collect(),
        })
    }
}

/// Lets the connector below read or write.
macro_rules! forwarding {
    ($call:ident, $function:ident / $member:ident, $memory:ident) => {
        impl<C: PassThrough> $call<'_, C> {
            /// Lets the connector below do it.
            pub fn forward(&self) -> Result<c_int> {
                self.forward_parts(0..self.parts.len(), self.transfer)
            }

            /// Lets the connector below do one of the parts, as if it were the whole call.
            pub fn forward_part(&self, part: usize) -> Result<c_int> {
                self.forward_parts(part..part + 1, self.transfer)
            }

            /// Lets the connector below do these parts with another transfer property list.
            pub fn forward_parts(&self, parts: core::ops::Range<usize>, transfer: Id) -> Result<c_int> {
                let parts = self.parts.get(parts).unwrap_or_default();
                let [part] = parts else { return self.forward_many(parts, transfer) };
                let below = part.dataset.require_below()?;
                let mut object = below.as_ptr();
                let (mut memory_type, mut memory_space) = (part.memory_type.0, part.memory_space.0);
                let mut file_space = part.file_space.0;
                let mut buffer = part.memory.as_ptr().cast::<c_void>();
                // SAFETY: arrays of one entry; the buffer is the application's own.
                let outcome = unsafe {
                    call_below!(
                        below,
                        dataset_cls.$member,
                        $function,
                        (1, &raw mut object),
                        (
                            &raw mut memory_type,
                            &raw mut memory_space,
                            &raw mut file_space,
                            transfer.0,
                            &raw mut buffer,
                            self.request.as_ptr()
                        )
                    )
                };
                self.request.take_over(&part.dataset, outcome)?;
                status(outcome)
            }

            fn forward_many(&self, parts: &[DatasetPart<C, $memory<'_>>], transfer: Id) -> Result<c_int> {
                let mut below = Unwrapped::new(parts, |memory| memory.as_ptr().cast::<c_void>())?;
                let first = &parts[0].dataset;
                // SAFETY: all arrays have one entry per dataset; the buffers are the application's own.
                let outcome = unsafe {
                    call_below!(
                        first.require_below()?,
                        dataset_cls.$member,
                        $function,
                        (parts.len(), below.objects.as_mut_ptr()),
                        (
                            below.memory_types.as_mut_ptr(),
                            below.memory_spaces.as_mut_ptr(),
                            below.file_spaces.as_mut_ptr(),
                            transfer.0,
                            below.buffers.as_mut_ptr(),
                            self.request.as_ptr()
                        )
                    )
                };
                self.request.take_over(first, outcome)?;
                status(outcome)
            }
        }
    };
}

forwarding!(DatasetRead, H5VLdataset_read / read, MemoryTarget);
forwarding!(DatasetWrite, H5VLdataset_write / write, MemorySource);

/// Collects the arrays of a read or write into parts.
///
/// # Safety
/// All arrays have `count` entries, the objects are ours.
unsafe fn parts<C: Connector, B: Copy, M>(
    count: usize,
    datasets: *mut *mut c_void,
    memory_types: *mut hid_t,
    memory_spaces: *mut hid_t,
    file_spaces: *mut hid_t,
    buffers: *mut B,
    memory: impl Fn(B) -> M,
) -> Result<Vec<DatasetPart<C, M>>> {
    let mut parts = Vec::with_capacity(count);
    for index in 0..count {
        // SAFETY: by the contract; `index` is below `count`.
        unsafe {
            let dataset = Object::borrow_raw(*datasets.add(index))
                .ok_or_else(|| Error::bad_argument(format_args!("dataset {index} is null")))?;
            parts.push(DatasetPart {
                dataset,
                memory_type: Id(*memory_types.add(index)),
                memory_space: Id(*memory_spaces.add(index)),
                file_space: Id(*file_spaces.add(index)),
                memory: memory(*buffers.add(index)),
            });
        }
    }
    Ok(parts)
}

macro_rules! dataset_transfer {
    ($method:ident, $member:ident, $callback:ident, $call:ident, $buffer:ty, $memory:ident) => {
        pub(crate) unsafe extern "C" fn $method<C: Connector>(
            count: usize,
            datasets: *mut *mut c_void,
            memory_types: *mut hid_t,
            memory_spaces: *mut hid_t,
            file_spaces: *mut hid_t,
            transfer: hid_t,
            buffers: *mut $buffer,
            request: *mut *mut c_void,
        ) -> c_int {
            if count == 0 {
                return 0;
            }
            // SAFETY: HDF5 passes `count` entries in each array, and the datasets are our objects.
            unsafe {
                with_object::<C, _>(*datasets, Callback::$callback, |instance, _| {
                    method!(C, dataset_cls.$member)(
                        instance.connector(),
                        $call {
                            parts: parts(
                                count,
                                datasets,
                                memory_types,
                                memory_spaces,
                                file_spaces,
                                buffers,
                                |buffer| $memory::new(buffer),
                            )?,
                            transfer: Id(transfer),
                            request: RequestSlot::new(request),
                        },
                    )
                })
            }
        }
    };
}

dataset_transfer!(dataset_read, read, DatasetRead, DatasetRead, *mut c_void, MemoryTarget);
dataset_transfer!(dataset_write, write, DatasetWrite, DatasetWrite, *const c_void, MemorySource);
