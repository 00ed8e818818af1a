//! External links: calls that go on in another container.
//!
//! Native HDF5 follows links to its own files. It cannot open containers, so these are followed here.

#![expect(unsafe_code, reason = "lifetimes of calls cannot be shortened")]

use core::ffi::CStr;
use core::sync::atomic::Ordering;
use std::any::Any;
use std::ffi::CString;
use std::sync::Arc;

use h5_abi::H5F_ACC_RDWR;
use h5_vol::{
    Id, Location, NewObject, Object, ObjectKind, OwnLocation, OwnedId, Result, Target, settings_of,
};

use crate::backend::Backend;
use crate::connector::Shadow;
use crate::hdf5::{Hdf5, aside};
use crate::opening::Attached;
use crate::paths::candidates;

/// How many links may lead from file to file.
const MOST_FILES: u32 = 16;

/// Where a call goes on.
pub(crate) struct Elsewhere<B: Backend> {
    file: Arc<Object<Shadow<B>>>,
    /// The file itself.
    itself: OwnLocation,
    /// The place in it.
    place: OwnLocation,
}

impl<B: Backend> Elsewhere<B> {
    /// A handle of the other container.
    pub(crate) fn file(&self) -> Arc<Object<Shadow<B>>> {
        Arc::clone(&self.file)
    }

    /// The file itself, for a call that began before.
    ///
    /// # Safety
    /// The call ends before this is dropped or moved.
    pub(crate) unsafe fn itself<'a>(&self) -> Location<'a> {
        // SAFETY: by the contract.
        unsafe { self.itself.for_earlier_call() }
    }

    /// The place in it, for a call that began before.
    ///
    /// # Safety
    /// As above.
    pub(crate) unsafe fn place<'a>(&self) -> Location<'a> {
        // SAFETY: by the contract.
        unsafe { self.place.for_earlier_call() }
    }

    /// The path of the place in it, for a call that began before.
    ///
    /// # Safety
    /// As above.
    pub(crate) unsafe fn path<'a>(&self) -> Option<&'a CStr> {
        // SAFETY: by the contract; a C string does not move with what has it.
        self.place.name().map(|name| unsafe { CStr::from_ptr(name.as_ptr()) })
    }
}

impl<B: Backend> Shadow<B> {
    /// Puts what a call looks at into the shadow, here or where a link leads.
    pub(crate) fn look_or_follow(
        &self,
        object: &Arc<Object<Self>>,
        location: Location<'_>,
        name: Option<&CStr>,
    ) -> Result<Option<Elsewhere<B>>> {
        let elsewhere = self.follow(object, location, name)?;
        if elsewhere.is_none() {
            Self::look(object, location, name)?;
        }
        Ok(elsewhere)
    }

    /// Where a call on a link goes on, if the way to it leads to another container. The last link of the way is not followed.
    pub(crate) fn follow_to_link(
        &self,
        object: &Arc<Object<Self>>,
        location: Location<'_>,
    ) -> Result<Option<Elsewhere<B>>> {
        let Some(attached) = Self::attached(object) else { return Ok(None) };
        if !attached.container().leads_out.load(Ordering::Relaxed)
            || !matches!(location.target(), Target::Name(_))
        {
            return Ok(None);
        }
        let resolved = Self::resolve(object, location, None, false)?.map(|(_, resolved)| resolved);
        if resolved.is_some_and(|resolved| resolved.outside.is_some() && resolved.rest.len() > 1) {
            return self.follow(object, location, None);
        }
        Ok(None)
    }

    /// Where a call goes on, if a link leads to another container.
    pub(super) fn follow(
        &self,
        object: &Arc<Object<Self>>,
        location: Location<'_>,
        name: Option<&CStr>,
    ) -> Result<Option<Elsewhere<B>>> {
        let Some(attached) = Self::attached(object) else { return Ok(None) };
        if !attached.container().leads_out.load(Ordering::Relaxed)
            && attached.container().state().unfilled.is_empty()
        {
            return Ok(None);
        }
        let outside =
            Self::resolve(object, location, name, false)?.and_then(|(_, resolved)| resolved.outside);
        let Some((mut file, mut path)) = outside else { return Ok(None) };
        let mut from = Arc::clone(object);
        for _ in 0..MOST_FILES {
            let Some(handle) = self.open_elsewhere(&from, &file, location.link_access())? else {
                return Ok(None);
            };
            let itself = OwnLocation::itself(ObjectKind::File);
            let to = CString::new(path).unwrap_or_default();
            let next = Self::resolve(&handle, itself.as_location(), Some(&to), false)?;
            let Some(next) = next.and_then(|(_, resolved)| resolved.outside) else {
                let place = OwnLocation::named(ObjectKind::File, to, location.link_access());
                return Ok(Some(Elsewhere { file: handle, itself, place }));
            };
            (file, path) = next;
            from = handle;
        }
        Ok(None)
    }

    /// A handle of the container that a link names. `None` if it is none: then native HDF5 looks for a file of its own.
    fn open_elsewhere(
        &self,
        object: &Object<Self>,
        file: &[u8],
        links: Id,
    ) -> Result<Option<Arc<Object<Self>>>> {
        let Some(attached) = Self::attached(object) else { return Ok(None) };
        let (given, intent) = aside(self.host, || Hdf5::of(self.host).behind_links(links));
        let access = given.as_ref().map_or_else(|| attached.opening.access.id(), OwnedId::id);
        let settings = settings_of::<Self>(self.host, access)?;
        let mut found = None;
        for name in candidates(attached.container().place.seen_from(), file) {
            if let Some(place) = self.find(&name, &settings)? {
                found = Some((name, place));
                break;
            }
        }
        let Some((name, place)) = found else { return Ok(None) };
        let writable =
            intent.map_or_else(|| attached.opening.is_writable(), |flags| flags & H5F_ACC_RDWR != 0);
        // One that nobody has any more is closed already.
        self.registry.sweep();
        let known = self.registry.find(&place.root);
        // As natively, a file that is open for reading only stays so.
        let writable = writable && known.as_ref().is_none_or(|known| known.is_writable());
        let container = match known {
            Some(known) => known,
            None => self.open_container(&name, place, writable, access, &settings)?,
        };
        let opening = self.opening(&container, &name, access, writable)?;
        object.inside(container.master.file(), Some(Attached::new(opening))).map(Some)
    }

    /// Keeps the handle open through which an object was reached.
    pub(crate) fn opened(mut new: NewObject<Self>, elsewhere: Option<&Elsewhere<B>>) -> NewObject<Self> {
        if let (Some(elsewhere), Some(attached)) = (elsewhere, &mut new.data) {
            let through: Arc<dyn Any + Send + Sync> = elsewhere.file();
            attached.through = Some(through);
        }
        new
    }
}
