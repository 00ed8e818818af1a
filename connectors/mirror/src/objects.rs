//! Groups, datasets, committed datatypes, and objects of any kind: made and opened on every side.

use core::ffi::{CStr, c_int};
use std::ffi::CString;
use std::sync::Arc;

use h5_abi::H5VL_NATIVE_OBJECT_SET_COMMENT;
use h5_sides::{Hdf5, Outcome, Place};
use h5_vol::calls::{
    DatasetCreate, DatasetOpen, DatatypeCommit, DatatypeOpen, DatatypeSpecific, GroupCreate, GroupOpen,
    GroupSpecific, ObjectOpen, ObjectOptional, ObjectSpecific,
};
use h5_vol::views::{DatatypeOperation, GroupOperation, ObjectOperation};
use h5_vol::{BelowObject, Id, Location, NewObject, Object, ObjectKind, OwnedId, Result, Token};

use crate::Mirror;
use crate::attached::{self, Attached, each_side, new_on_each};

/// The path of the object with this token, in the first side.
pub(crate) fn path_of(object: &Object<Mirror>, token: &Token) -> Option<CString> {
    let find = |questions| object.below()?.name_of_token(questions, object.kind(), token);
    CString::new(object.host().ask_below(find)?).ok()
}

/// Where a call points, for other sides.
pub(crate) fn place<'a>(object: &Object<Mirror>, location: Location<'a>) -> Outcome<Place<'a>> {
    Place::of(location, |token| path_of(object, token))
}

/// A file that was opened again.
pub(crate) fn reopened(object: &Object<Mirror>) -> Option<Attached> {
    let (attached, opening) = attached::of(object)?;
    let reopen = |number| opening.hdf5.reopen_file(attached.id(number)?).ok();
    let ids = (0..opening.sides.len()).map(reopen).collect();
    Some(Attached::new(opening, ids))
}

/// What HDF5 has found by itself, through an open object.
pub(crate) fn wrapped(object: &Object<Mirror>, kind: ObjectKind, below: &BelowObject) -> Option<Attached> {
    let (attached, opening) = attached::of(object)?;
    let host = object.host();
    if !opening.has(host.ask_below(|questions| below.file_number(questions, kind))) {
        return None;
    }
    let name = host.ask_below(|questions| below.name(questions, kind));
    let name = name.and_then(|name| CString::new(name).ok());
    let find = |number| {
        let id = attached.id(number)?;
        match kind {
            ObjectKind::File => opening.hdf5.file_of(id).ok(),
            _ => opening.hdf5.open_any(id, &Place::Path(name.clone()?)).ok(),
        }
    };
    let ids = (0..opening.sides.len()).map(find).collect();
    Some(Attached::wrapped(&opening, ids))
}

/// Gives a new object of the first side what it has on the others, unless it is in another file.
pub(crate) fn with_others(
    object: &Arc<Object<Mirror>>,
    mut new: NewObject<Mirror>,
    what: &str,
    make: impl FnMut(Hdf5, usize, Id) -> Outcome<OwnedId>,
) -> Result<NewObject<Mirror>> {
    let Some((_, opening)) = attached::of(object) else { return Ok(new) };
    let kind = new.kind();
    let number = |questions| new.below()?.file_number(questions, kind);
    if !opening.has(object.host().ask_below(number)) {
        return Ok(new);
    }
    let (ids, outcome) = new_on_each(object, what, make);
    new.data = Some(Attached::new(opening, ids));
    outcome.map(|()| new)
}

pub(crate) fn create_group(call: GroupCreate<'_, Mirror>) -> Result<NewObject<Mirror>> {
    let (object, name) = (Arc::clone(&call.object), call.name);
    let (links, creation, access) = (call.link_creation, call.creation, call.access);
    let new = call.forward()?;
    with_others(&object, new, "H5Gcreate", |hdf5, _, id| hdf5.create_group(id, name, links, creation, access))
}

pub(crate) fn open_group(call: GroupOpen<'_, Mirror>) -> Result<NewObject<Mirror>> {
    let (object, name, access) = (Arc::clone(&call.object), call.name.unwrap_or_default(), call.access);
    let new = call.forward()?;
    with_others(&object, new, "H5Gopen", |hdf5, _, id| hdf5.open_group(id, name, access))
}

pub(crate) fn create_dataset(call: DatasetCreate<'_, Mirror>) -> Result<NewObject<Mirror>> {
    let (object, name) = (Arc::clone(&call.object), call.name);
    let (what, lists) = ((call.datatype, call.space), (call.link_creation, call.creation, call.access));
    let new = call.forward()?;
    with_others(&object, new, "H5Dcreate", |hdf5, _, id| hdf5.create_dataset(id, name, what, lists))
}

pub(crate) fn open_dataset(call: DatasetOpen<'_, Mirror>) -> Result<NewObject<Mirror>> {
    let (object, name, access) = (Arc::clone(&call.object), call.name.unwrap_or_default(), call.access);
    let new = call.forward()?;
    with_others(&object, new, "H5Dopen", |hdf5, _, id| hdf5.open_dataset(id, name, access))
}

pub(crate) fn commit_datatype(call: DatatypeCommit<'_, Mirror>) -> Result<NewObject<Mirror>> {
    let (object, name) = (Arc::clone(&call.object), call.name);
    let lists = (call.link_creation, call.creation, call.access);
    // Committing changes what the identifier stands for.
    let copy = attached::of(&object).map(|(_, opening)| opening.hdf5.copy_of_type(call.datatype));
    let new = call.forward()?;
    with_others(&object, new, "H5Tcommit", |hdf5, _, id| match &copy {
        Some(Ok(datatype)) => hdf5.commit_datatype(id, name, datatype.id(), lists),
        Some(Err(failure)) => Err(failure.clone()),
        None => Err(h5_sides::Failure::new("there is no datatype to commit")),
    })
}

pub(crate) fn open_datatype(call: DatatypeOpen<'_, Mirror>) -> Result<NewObject<Mirror>> {
    let (object, name, access) = (Arc::clone(&call.object), call.name.unwrap_or_default(), call.access);
    let new = call.forward()?;
    with_others(&object, new, "H5Topen", |hdf5, _, id| hdf5.open_datatype(id, name, access))
}

pub(crate) fn open_any(call: ObjectOpen<'_, Mirror>) -> Result<NewObject<Mirror>> {
    let (object, location) = (Arc::clone(&call.object), call.location);
    let new = call.forward()?;
    let place = place(&object, location);
    with_others(&object, new, "H5Oopen", |hdf5, _, id| {
        hdf5.open_any(id, place.as_ref().map_err(Clone::clone)?)
    })
}

pub(crate) fn change_group(mut call: GroupSpecific<'_, Mirror>) -> Result<c_int> {
    let object = Arc::clone(&call.object);
    let child = call.mounted_file();
    let status = call.forward()?;
    match call.arguments.view() {
        GroupOperation::Mount { name, properties } => {
            let Some(child) = child else { return Ok(status) };
            mount(&object, name.unwrap_or_default(), &child, properties)?;
        }
        GroupOperation::Unmount(name) => {
            let name = name.unwrap_or_default();
            each_side(&object, "H5Funmount", |hdf5, _, id| hdf5.unmount(id, name))?;
        }
        GroupOperation::Flush(_) => {
            each_side(&object, "H5Gflush", |hdf5, _, id| hdf5.flush_object(id, ObjectKind::Group))?;
        }
        GroupOperation::Refresh(_) => {
            each_side(&object, "H5Grefresh", |hdf5, _, id| hdf5.refresh_object(id, ObjectKind::Group))?;
        }
        _ => {}
    }
    Ok(status)
}

/// Mounts the other sides of a file, too. Then what is in it is mirrored there.
fn mount(object: &Object<Mirror>, name: &CStr, child: &Object<Mirror>, properties: Id) -> Result<()> {
    let (Some((_, opening)), Some((theirs, other))) = (attached::of(object), attached::of(child)) else {
        return Ok(());
    };
    each_side(object, "H5Fmount", |hdf5, number, id| {
        let child = theirs.id(number);
        let child = child.ok_or_else(|| h5_sides::Failure::new("the file to mount has no such side"))?;
        hdf5.mount(id, name, child, properties)
    })?;
    for number in other.numbers() {
        opening.add(Some(number));
    }
    Ok(())
}

pub(crate) fn change_datatype(mut call: DatatypeSpecific<'_, Mirror>) -> Result<c_int> {
    let status = call.forward()?;
    match call.arguments.view() {
        DatatypeOperation::Flush(_) => {
            each_side(&call.object, "H5Tflush", |hdf5, _, id| hdf5.flush_object(id, ObjectKind::Datatype))?;
        }
        DatatypeOperation::Refresh(_) => {
            each_side(&call.object, "H5Trefresh", |hdf5, _, id| {
                hdf5.refresh_object(id, ObjectKind::Datatype)
            })?;
        }
        _ => {}
    }
    Ok(status)
}

pub(crate) fn change_any(mut call: ObjectSpecific<'_, Mirror>) -> Result<c_int> {
    let (object, location) = (Arc::clone(&call.object), call.location);
    let status = call.forward()?;
    match call.arguments.view() {
        ObjectOperation::ChangeReferences(by) => {
            let place = place(&object, location);
            each_side(&object, "H5Oincr_refcount", |hdf5, _, id| {
                hdf5.change_references(id, place.as_ref().map_err(Clone::clone)?, by)
            })?;
        }
        ObjectOperation::Flush(_) => {
            each_side(&object, "H5Oflush", |hdf5, _, id| hdf5.flush_object(id, ObjectKind::Other))?;
        }
        ObjectOperation::Refresh(_) => {
            each_side(&object, "H5Orefresh", |hdf5, _, id| hdf5.refresh_object(id, ObjectKind::Other))?;
        }
        _ => {}
    }
    Ok(status)
}

pub(crate) fn optional(mut call: ObjectOptional<'_, Mirror>) -> Result<c_int> {
    let status = call.forward()?;
    if call.operation.number() == Some(H5VL_NATIVE_OBJECT_SET_COMMENT) {
        let place = place(&call.object, call.location);
        each_side(&call.object, "H5Oset_comment", |hdf5, _, id| {
            hdf5.optional_on_object(id, place.as_ref().map_err(Clone::clone)?, &call.operation)
        })?;
    }
    Ok(status)
}
