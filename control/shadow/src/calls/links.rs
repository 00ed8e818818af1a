//! Links.

use core::ffi::c_int;
use core::sync::atomic::Ordering;
use std::sync::Arc;

use h5_vol::calls::{LinkCreate, LinkSpecific, LinkTransfer};
use h5_vol::views::{LinkOperation, NewLink};
use h5_vol::{Location, Object, Result, Target};

use crate::backend::Backend;
use crate::connector::Shadow;

impl<B: Backend> Shadow<B> {
    pub(crate) fn create_link(mut call: LinkCreate<'_, Self>) -> Result<c_int> {
        let target = call.hard_link_target();
        // The location is relative to the target if there is no object of its own.
        let Some(object) = call.object.clone().or_else(|| target.clone()) else { return call.forward() };
        if let (Some(target), NewLink::Hard(location)) = (&target, call.arguments.view()) {
            Self::look(target, location, None)?;
        }
        let before = Self::before_new_link(&object, call.location, None)?;
        let is_external = matches!(call.arguments.view(), NewLink::UserDefined { .. });
        if let (Some((container, _)), true) = (&before, is_external) {
            container.leads_out.store(true, Ordering::Relaxed);
        }
        let status = call.forward()?;
        Self::after_new_link(before)?;
        Ok(status)
    }

    pub(crate) fn transfer_link(call: &mut LinkTransfer<'_, Self>, moving: bool) -> Result<c_int> {
        let either = call.source.clone().or_else(|| call.target.clone());
        let Some(either) = either else { return call.forward() };
        let source = call.source.clone().unwrap_or_else(|| Arc::clone(&either));
        let target = call.target.clone().unwrap_or(either);
        if moving {
            Self::note_parent(&source, call.source_location)?;
        } else {
            Self::look(&source, call.source_location, None)?;
        }
        let before = Self::before_new_link(&target, call.target_location, None)?;
        let status = call.forward()?;
        Self::after_new_link(before)?;
        Ok(status)
    }

    pub(crate) fn change_links(mut call: LinkSpecific<'_, Self>) -> Result<c_int> {
        match call.arguments.view() {
            LinkOperation::Delete => Self::note_parent(&call.object, call.location)?,
            LinkOperation::Iterate(iteration) if iteration.recursive => {
                Self::look_below(&call.object, call.location, None)?;
            }
            _ => Self::look(&call.object, call.location, None)?,
        }
        call.forward()
    }

    /// Notes that the group which has a link is going to lose it.
    fn note_parent(object: &Object<Self>, location: Location<'_>) -> Result<()> {
        let Some(attached) = Self::attached(object) else { return Ok(()) };
        attached.opening.require_writable()?;
        let found = match location.target() {
            Target::Name(name) => {
                let Some(from) = Self::token(object) else { return Ok(()) };
                let path = name.to_bytes();
                let end = path.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
                let slash = path[..end].iter().rposition(|byte| *byte == b'/');
                let parent = match slash {
                    Some(0) => &b"/"[..],
                    Some(slash) => &path[..slash],
                    None => &b""[..],
                };
                let container = Arc::clone(attached.container());
                let resolved = crate::hdf5::aside(object.host(), || container.resolve(from, parent))?;
                Some((container, resolved))
            }
            _ => Self::resolve(object, location, None, false)?,
        };
        if let Some((container, resolved)) = found
            && resolved.rest.is_empty()
        {
            container.note_relinked(resolved.reached);
        }
        Ok(())
    }
}
