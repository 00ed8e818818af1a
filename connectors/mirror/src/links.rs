//! Links, and copies of objects.
//!
//! A name can lead through an external link to a file that is not mirrored. All sides have the same external link, so the first side
//! has then done everything, and another one fails because it is done.

use core::ffi::{CStr, c_int};
use std::ffi::CString;
use std::sync::Arc;

use h5_sides::{Failure, Hdf5, Outcome, Place};
use h5_vol::calls::{LinkCreate, LinkSpecific, LinkTransfer, ObjectCopy};
use h5_vol::views::{LinkOperation, NewLink};
use h5_vol::{Id, Location, Object, OwnedId, Result, Target};

use crate::Mirror;
use crate::attached::{self, each_side};
use crate::objects::place;

/// Forgives a failure if the place is in a file that is not mirrored.
pub(crate) fn unless_outside(
    object: &Object<Mirror>,
    location: Location<'_>,
    outcome: Outcome<()>,
) -> Outcome<()> {
    match (&outcome, location.target()) {
        (Err(_), Target::Name(name)) if is_outside(object, name) => Ok(()),
        _ => outcome,
    }
}

/// The same for the place of a link: the group that it is in.
fn unless_link_outside(object: &Object<Mirror>, location: Location<'_>, outcome: Outcome<()>) -> Outcome<()> {
    match (&outcome, location.target()) {
        (Err(_), Target::Name(name)) if is_group_outside(object, name) => Ok(()),
        _ => outcome,
    }
}

fn is_group_outside(object: &Object<Mirror>, name: &CStr) -> bool {
    let bytes = name.to_bytes();
    let bytes = bytes.strip_suffix(b"/").unwrap_or(bytes);
    let Some(slash) = bytes.iter().rposition(|&byte| byte == b'/').filter(|&slash| slash > 0) else {
        return false;
    };
    CString::new(&bytes[..slash]).is_ok_and(|group| is_outside(object, &group))
}

fn is_outside(object: &Object<Mirror>, name: &CStr) -> bool {
    let Some((_, opening)) = attached::of(object) else { return true };
    let number = |questions| object.below()?.file_number_at(questions, object.kind(), name);
    let number = object.host().ask_below(number);
    number.is_some() && !opening.has(number)
}

pub(crate) fn create(mut call: LinkCreate<'_, Mirror>) -> Result<c_int> {
    let target = call.hard_link_target();
    let Some(object) = call.object.clone().or_else(|| target.clone()) else { return call.forward() };
    let (links, access, location) = (call.link_creation, call.link_access, call.location);
    let status = call.forward()?;
    let new = place(&object, location);
    match call.arguments.view() {
        NewLink::Hard(target_location) => {
            let old = target.as_ref().unwrap_or(&object);
            let at = place(old, target_location);
            each_side(&object, "H5Lcreate_hard", |hdf5, number, id| {
                let old = attached::of(old).and_then(|(attached, _)| attached.id(number));
                let old = old.ok_or_else(|| Failure::new("what the link leads to is not on this side"))?;
                let (at, new) = (at.as_ref().map_err(Clone::clone)?, new.as_ref().map_err(Clone::clone)?);
                let linked = hdf5.link_hard((old, at), (id, new), links, access);
                unless_link_outside(&object, location, linked)
            })?;
        }
        NewLink::Soft(path) => {
            each_side(&object, "H5Lcreate_soft", |hdf5, _, id| {
                let new = new.as_ref().map_err(Clone::clone)?;
                let linked = hdf5.link_soft(path.unwrap_or_default(), (id, new), links, access);
                unless_link_outside(&object, location, linked)
            })?;
        }
        NewLink::UserDefined { class, value } => {
            each_side(&object, "H5Lcreate_ud", |hdf5, _, id| {
                let new = new.as_ref().map_err(Clone::clone)?;
                let linked = hdf5.link_of_class(class, value, (id, new), links, access);
                unless_link_outside(&object, location, linked)
            })?;
        }
        _ => {
            each_side(&object, "H5Lcreate", |_, _, _| Err(Failure::new("a kind of link that is not known")))?;
        }
    }
    Ok(status)
}

pub(crate) fn transfer(mut call: LinkTransfer<'_, Mirror>, moving: bool) -> Result<c_int> {
    let status = call.forward()?;
    let Some(object) = call.target.clone().or_else(|| call.source.clone()) else { return Ok(status) };
    let source = call.source.clone().unwrap_or_else(|| Arc::clone(&object));
    let (from, to) = (place(&source, call.source_location), place(&object, call.target_location));
    let (links, access) = (call.link_creation, call.link_access);
    each_side(&object, if moving { "H5Lmove" } else { "H5Lcopy" }, |hdf5, number, id| {
        let old = attached::of(&source).and_then(|(attached, _)| attached.id(number));
        let old = old.ok_or_else(|| Failure::new("the link is not on this side"))?;
        let (from, to) = (from.as_ref().map_err(Clone::clone)?, to.as_ref().map_err(Clone::clone)?);
        let done = hdf5.transfer_link(moving, (old, from), (id, to), links, access);
        let done = unless_link_outside(&source, call.source_location, done);
        unless_link_outside(&object, call.target_location, done)
    })?;
    Ok(status)
}

pub(crate) fn change(mut call: LinkSpecific<'_, Mirror>) -> Result<c_int> {
    let is_delete = matches!(call.arguments.view(), LinkOperation::Delete);
    // A link that is given by its position has another one at it afterwards.
    let place = is_delete.then(|| place(&call.object, call.location));
    let status = call.forward()?;
    if let Some(place) = place {
        each_side(&call.object, "H5Ldelete", |hdf5, _, id| {
            let deleted = hdf5.delete_link(id, place.as_ref().map_err(Clone::clone)?);
            unless_link_outside(&call.object, call.location, deleted)
        })?;
    }
    Ok(status)
}

pub(crate) fn copy_object(mut call: ObjectCopy<'_, Mirror>) -> Result<c_int> {
    if call.is_across() {
        // What is made on the way is made on all sides.
        return h5_across::copy_object(&call);
    }
    let status = call.forward()?;
    let (from, to) = (place(&call.source, call.source_location), place(&call.target, call.target_location));
    let (name, new) = (call.source_name.unwrap_or_default(), call.target_name.unwrap_or_default());
    each_side(&call.target, "H5Ocopy", |hdf5, number, id| {
        let (from, to) = (from.as_ref().map_err(Clone::clone)?, to.as_ref().map_err(Clone::clone)?);
        let lent = attached::of(&call.source).and_then(|(attached, _)| attached.id(number));
        let opened;
        let source = if let Some(id) = lent {
            id
        } else {
            opened = unmirrored_source(hdf5, &call, number)?;
            opened.id()
        };
        let source_at = below(hdf5, source, from)?;
        let target_at = below(hdf5, id, to)?;
        let source = source_at.as_ref().map_or(source, OwnedId::id);
        let target = target_at.as_ref().map_or(id, OwnedId::id);
        let copied = hdf5.copy_object((source, name), (target, new), call.copy, call.link_creation);
        match copied {
            Err(_) if is_group_outside(&call.target, new) => Ok(()),
            copied => copied,
        }
    })?;
    Ok(status)
}

/// The object at a place, if that is not the object itself.
fn below(hdf5: Hdf5, id: Id, place: &Place<'_>) -> Outcome<Option<OwnedId>> {
    match place {
        Place::Itself => Ok(None),
        _ => hdf5.open_any(id, place).map(Some),
    }
}

/// The object that a copy starts from, if its file is not mirrored: opened as this side opens files.
fn unmirrored_source(hdf5: Hdf5, call: &ObjectCopy<'_, Mirror>, number: usize) -> Outcome<OwnedId> {
    let (_, opening) = attached::of(&call.target).ok_or_else(|| Failure::new("not mirrored"))?;
    let source = &call.source;
    let (file, path) = source
        .host()
        .ask_below(|questions| {
            let below = source.below()?;
            Some((below.file_name(questions, source.kind())?, below.name(questions, source.kind())?))
        })
        .ok_or_else(|| Failure::new("the object to copy has no name"))?;
    let (Ok(file), Ok(path)) = (CString::new(file), CString::new(path)) else {
        return Err(Failure::new("a name with a zero in it"));
    };
    let access = hdf5.apart(opening.sides[number].access.id())?;
    let access = access.ok_or_else(|| Failure::new("the object to copy is in a file of several files"))?;
    let opened = hdf5.open_file(&file, 0, access.id())?;
    hdf5.open_any(opened.id(), &Place::Path(path))
}
