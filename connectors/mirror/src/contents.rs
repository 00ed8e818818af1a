//! Attributes, and the elements of datasets.

use core::ffi::c_int;
use std::sync::Arc;

use h5_sides::{Home, Outcome, Place};
use h5_vol::calls::{
    AttributeCreate, AttributeOpen, AttributeRead, AttributeSpecific, AttributeWrite, DatasetOptional,
    DatasetRead, DatasetSpecific, DatasetWrite,
};
use h5_vol::views::{AttributeOperation, DatasetOperation, Index, Order};
use h5_vol::{Error, NewObject, Object, ObjectKind, OwnedId, Result, Token};

use crate::Mirror;
use crate::attached::{self, each_side};
use crate::links::unless_outside;
use crate::objects::{path_of, place, with_others};

/// Runs `with` with the home of references that the application gives to an object.
fn with_home<R>(object: &Arc<Object<Mirror>>, with: impl FnOnce(&Home<'_>) -> Outcome<R>) -> Outcome<R> {
    let path_of = |token: &Token| path_of(object, token);
    let file = || Ok(object.register_root()?);
    with(&Home { path_of: &path_of, file: &file })
}

pub(crate) fn create_attribute(call: AttributeCreate<'_, Mirror>) -> Result<NewObject<Mirror>> {
    let (object, location, name) = (Arc::clone(&call.object), call.location, call.name.unwrap_or_default());
    let (what, lists) = ((call.datatype, call.space), (call.creation, call.access));
    let new = call.forward()?;
    let place = place(&object, location);
    with_others(&object, new, "H5Acreate", |hdf5, _, id| {
        hdf5.create_attribute(id, place.as_ref().map_err(Clone::clone)?, name, what, lists)
    })
}

pub(crate) fn open_attribute(call: AttributeOpen<'_, Mirror>) -> Result<NewObject<Mirror>> {
    let (object, location) = (Arc::clone(&call.object), call.location);
    let (name, access) = (call.name, call.access);
    let new = call.forward()?;
    let place = place(&object, location);
    with_others(&object, new, "H5Aopen", |hdf5, _, id| {
        hdf5.open_attribute(id, place.as_ref().map_err(Clone::clone)?, name, access)
    })
}

pub(crate) fn write_attribute(mut call: AttributeWrite<'_, Mirror>) -> Result<c_int> {
    let status = call.forward()?;
    each_side(&call.object, "H5Awrite", |hdf5, _, id| {
        with_home(&call.object, |home| hdf5.write_attribute(id, call.memory_type, &call.source, home))
    })?;
    Ok(status)
}

pub(crate) fn read_attribute(mut call: AttributeRead<'_, Mirror>) -> Result<c_int> {
    call.forward().or_else(|error| {
        let Some((attached, opening)) = attached::of(&call.object) else { return Err(error) };
        if !opening.settings.falls_back {
            return Err(error);
        }
        for number in 0..opening.sides.len() {
            let Some(id) = attached.id(number) else { continue };
            if opening.hdf5.read_attribute(id, call.memory_type, &call.target).is_ok() {
                opening.tell_of_fallback(number, "H5Aread");
                call.object.host().forget_errors();
                return Ok(0);
            }
        }
        Err(error)
    })
}

pub(crate) fn change_attributes(mut call: AttributeSpecific<'_, Mirror>) -> Result<c_int> {
    let (object, location) = (Arc::clone(&call.object), call.location);
    let status = call.forward()?;
    let place = place(&object, location);
    let place = || -> Outcome<&Place<'_>> { place.as_ref().map_err(Clone::clone) };
    let outcome = match call.arguments.view() {
        AttributeOperation::Delete(name) => each_side(&object, "H5Adelete", |hdf5, _, id| {
            unless_outside(&object, location, hdf5.delete_attribute(id, place()?, name.unwrap_or_default()))
        }),
        AttributeOperation::DeleteByIndex { index, order, n } => {
            let position = (index_number(index), order_number(order), n);
            each_side(&object, "H5Adelete_by_idx", |hdf5, _, id| {
                unless_outside(&object, location, hdf5.delete_attribute_at(id, place()?, position))
            })
        }
        AttributeOperation::Rename { from, to } => {
            let (from, to) = (from.unwrap_or_default(), to.unwrap_or_default());
            each_side(&object, "H5Arename", |hdf5, _, id| {
                unless_outside(&object, location, hdf5.rename_attribute(id, place()?, from, to))
            })
        }
        _ => Ok(()),
    };
    outcome.map(|()| status)
}

fn index_number(index: Index) -> h5_abi::H5_index_t {
    match index {
        Index::CreationOrder => h5_abi::H5_INDEX_CRT_ORDER,
        Index::Unknown(other) => h5_abi::H5_index_t(other),
        _ => h5_abi::H5_INDEX_NAME,
    }
}

fn order_number(order: Order) -> h5_abi::H5_iter_order_t {
    match order {
        Order::Decreasing => h5_abi::H5_ITER_DEC,
        Order::Native => h5_abi::H5_ITER_NATIVE,
        Order::Unknown(other) => h5_abi::H5_iter_order_t(other),
        _ => h5_abi::H5_ITER_INC,
    }
}

pub(crate) fn write_datasets(mut call: DatasetWrite<'_, Mirror>) -> Result<c_int> {
    let mirrored = call.parts.iter().find_map(|part| attached::of(&part.dataset));
    let Some((_, opening)) = mirrored else { return call.forward() };
    let list: Option<OwnedId> = opening
        .hdf5
        .unchanging(call.transfer)
        .map_err(|failure| Error::failed(format_args!("the transfer property list: {failure}")))?;
    if let Some(list) = &list {
        call.transfer = list.id();
    }
    let status = call.forward()?;
    let mut outcome = Ok(());
    for part in &call.parts {
        let written = each_side(&part.dataset, "H5Dwrite", |hdf5, _, id| {
            with_home(&part.dataset, |home| hdf5.write_dataset(id, part, call.transfer, home))
        });
        outcome = outcome.and(written);
    }
    outcome.map(|()| status)
}

pub(crate) fn read_datasets(call: &DatasetRead<'_, Mirror>) -> Result<c_int> {
    call.forward().or_else(|error| {
        let read = |part| -> Option<()> {
            let part: &h5_vol::calls::DatasetPart<Mirror, _> = part;
            let (attached, opening) = attached::of(&part.dataset)?;
            let number =
                (0..opening.sides.len()).filter(|_| opening.settings.falls_back).find(|&number| {
                    attached
                        .id(number)
                        .is_some_and(|id| opening.hdf5.read_dataset(id, part, call.transfer).is_ok())
                })?;
            opening.tell_of_fallback(number, "H5Dread");
            part.dataset.host().forget_errors();
            Some(())
        };
        if call.parts.iter().all(|part| read(part).is_some()) { Ok(0) } else { Err(error) }
    })
}

pub(crate) fn change_dataset(mut call: DatasetSpecific<'_, Mirror>) -> Result<c_int> {
    let operation = call.arguments.view();
    let sizes = match operation {
        DatasetOperation::SetExtent if call.object.data().is_some() => call.new_extent()?,
        _ => Vec::new(),
    };
    let status = call.forward()?;
    match operation {
        DatasetOperation::SetExtent => {
            each_side(&call.object, "H5Dset_extent", |hdf5, _, id| hdf5.set_extent(id, &sizes))?;
        }
        DatasetOperation::Flush(_) => {
            each_side(&call.object, "H5Dflush", |hdf5, _, id| hdf5.flush_object(id, ObjectKind::Dataset))?;
        }
        DatasetOperation::Refresh(_) => {
            each_side(&call.object, "H5Drefresh", |hdf5, _, id| {
                hdf5.refresh_object(id, ObjectKind::Dataset)
            })?;
        }
        _ => {}
    }
    Ok(status)
}

pub(crate) fn optional(mut call: DatasetOptional<'_, Mirror>) -> Result<c_int> {
    let status = call.forward()?;
    if call.is_chunk_write() || call.is_format_conversion() {
        each_side(&call.object, "H5Dwrite_chunk", |hdf5, _, id| {
            hdf5.optional_on_dataset(id, &call.operation)
        })?;
    }
    Ok(status)
}
