//! Iterations, and the application's functions that a terminal connector calls for each element.
//!
//! The application's function may call HDF5 and so re-enter the connector. Do not hold a lock during a call.

use core::ffi::{CStr, c_int, c_void};
use core::marker::PhantomData;

use h5_abi::{
    H5_INDEX_CRT_ORDER, H5_INDEX_NAME, H5_ITER_DEC, H5_ITER_INC, H5_ITER_NATIVE, H5_index_t, H5_iter_order_t,
    H5A_operator2_t, H5L_iterate2_t, H5O_iterate2_t, H5VL_attr_iterate_args_t, H5VL_link_iterate_args_t,
    H5VL_object_visit_args_t,
};
use h5_host::Id;

use super::information::{AttributeInfo, LinkInfo, ObjectInfo};
use super::out::Answer;

/// The index an iteration goes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Index {
    /// Names.
    Name,
    /// The order of creation.
    CreationOrder,
    /// One that a newer HDF5 knows and we do not.
    Unknown(i32),
}

impl Index {
    pub(super) fn new(raw: H5_index_t) -> Self {
        match raw {
            H5_INDEX_NAME => Self::Name,
            H5_INDEX_CRT_ORDER => Self::CreationOrder,
            other => Self::Unknown(other.0),
        }
    }
}

/// The direction of an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// Upwards.
    Increasing,
    /// Downwards.
    Decreasing,
    /// Whatever is fastest.
    Native,
    /// One that a newer HDF5 knows and we do not.
    Unknown(i32),
}

impl Order {
    pub(super) fn new(raw: H5_iter_order_t) -> Self {
        match raw {
            H5_ITER_INC => Self::Increasing,
            H5_ITER_DEC => Self::Decreasing,
            H5_ITER_NATIVE => Self::Native,
            other => Self::Unknown(other.0),
        }
    }
}

macro_rules! application_function {
    ($(#[$doc:meta])* $name:ident($operator:ty, $info:ty), $group:literal) => {
        $(#[$doc])*
        pub struct $name<'a> {
            function: $operator,
            data: *mut c_void,
            lifetime: PhantomData<&'a mut c_void>,
        }

        impl $name<'_> {
            /// # Safety
            /// `function` is null or may be called with `data` as long as the value lives.
            unsafe fn new(function: $operator, data: *mut c_void) -> Self {
                Self { function, data, lifetime: PhantomData }
            }

            #[doc = concat!("Calls it with an element of ", $group, ". Zero: go on; positive: stop, and return")]
            /// that as the result; negative: stop, and fail with
            /// [`Error::Below`](crate::Error::Below) of it.
            pub fn call(&mut self, object: Id, name: &CStr, info: &$info) -> c_int {
                let Some(function) = self.function else { return 0 };
                let info = info.encode();
                // SAFETY: the application's function and data, by the contract of `new`; the name and the
                // information are valid for the call.
                unsafe { function(object.0, name.as_ptr(), &raw const info, self.data) }
            }
        }
    };
}

application_function! {
    /// The application's function for links.
    LinkCallback(H5L_iterate2_t, LinkInfo), "the group `object`"
}

application_function! {
    /// The application's function for attributes.
    AttributeCallback(H5A_operator2_t, AttributeInfo), "the attributes of `object`"
}

application_function! {
    /// The application's function for objects.
    ObjectCallback(H5O_iterate2_t, ObjectInfo), "the hierarchy under `object`"
}

/// `H5Literate` or `H5Lvisit`.
pub struct LinkIteration<'a> {
    /// Whether groups inside the group are visited, too.
    pub recursive: bool,
    /// The index to go over.
    pub index: Index,
    /// The direction.
    pub order: Order,
    /// Where to begin and, afterwards, where the next iteration would begin. `None` means from the beginning.
    pub position: Option<&'a mut u64>,
    /// The application's function.
    pub callback: LinkCallback<'a>,
}

impl LinkIteration<'_> {
    /// # Safety
    /// The arguments are those of a call that lasts as long as the value.
    pub(super) unsafe fn new(raw: H5VL_link_iterate_args_t) -> Self {
        // SAFETY: by the contract.
        let (position, callback) = unsafe { (raw.idx_p.as_mut(), LinkCallback::new(raw.op, raw.op_data)) };
        Self {
            recursive: raw.recursive,
            index: Index::new(raw.idx_type),
            order: Order::new(raw.order),
            position,
            callback,
        }
    }
}

/// `H5Aiterate`.
pub struct AttributeIteration<'a> {
    /// The index to go over.
    pub index: Index,
    /// The direction.
    pub order: Order,
    /// Where to begin and, afterwards, where the next iteration would begin. `None` means from the beginning.
    pub position: Option<&'a mut u64>,
    /// The application's function.
    pub callback: AttributeCallback<'a>,
}

impl AttributeIteration<'_> {
    /// # Safety
    /// The arguments are those of a call that lasts as long as the value.
    pub(super) unsafe fn new(raw: H5VL_attr_iterate_args_t) -> Self {
        // SAFETY: by the contract.
        let (position, callback) = unsafe { (raw.idx.as_mut(), AttributeCallback::new(raw.op, raw.op_data)) };
        Self { index: Index::new(raw.idx_type), order: Order::new(raw.order), position, callback }
    }
}

/// `H5Ovisit`.
pub struct ObjectVisit<'a> {
    /// The index to go over.
    pub index: Index,
    /// The direction.
    pub order: Order,
    /// Which fields of the information are wanted (`H5O_INFO_...`).
    pub fields: u32,
    /// The application's function.
    pub callback: ObjectCallback<'a>,
}

impl ObjectVisit<'_> {
    /// # Safety
    /// The arguments are those of a call that lasts as long as the value.
    pub(super) unsafe fn new(raw: H5VL_object_visit_args_t) -> Self {
        Self {
            index: Index::new(raw.idx_type),
            order: Order::new(raw.order),
            fields: raw.fields,
            // SAFETY: by the contract.
            callback: unsafe { ObjectCallback::new(raw.op, raw.op_data) },
        }
    }
}
