//! Before a call goes on to native HDF5: what it is going to look at is put into the shadow.

use core::ffi::CStr;
use std::sync::Arc;

use h5_vol::{Error, Location, Object, ObjectKind, Result, Target, Token};

use crate::backend::{Backend, Store};
use crate::connector::Shadow;
use crate::container::Container;
use crate::fill::Resolved;
use crate::hdf5::aside;
use crate::opening::Attached;

pub(super) type Held<B> = Arc<Container<<B as Backend>::Store>>;

impl<B: Backend> Shadow<B> {
    /// What an object of a container keeps; `None` for native files.
    pub(crate) fn attached(object: &Object<Self>) -> Option<&Attached<B::Store>> {
        object.data().as_ref()
    }

    /// The place of an object in its shadow; `None` if it is in another file.
    pub(super) fn token(object: &Object<Self>) -> Option<Token> {
        let (below, attached) = (object.below()?, Self::attached(object)?);
        let identity = object.host().ask_below(|questions| below.identity(questions, object.kind()))?;
        (identity.file == attached.container().master.number()).then(|| identity.token())
    }

    /// Puts what a call looks at into the shadow.
    pub(crate) fn look(object: &Object<Self>, location: Location<'_>, name: Option<&CStr>) -> Result<()> {
        let Some(attached) = Self::attached(object) else { return Ok(()) };
        if attached.container().state().unfilled.is_empty() {
            return Ok(());
        }
        Self::resolve(object, location, name, false).map(drop)
    }

    /// The same, and everything below it.
    pub(super) fn look_below(
        object: &Object<Self>,
        location: Location<'_>,
        name: Option<&CStr>,
    ) -> Result<()> {
        let Some(attached) = Self::attached(object) else { return Ok(()) };
        if attached.container().state().unfilled.is_empty() {
            return Ok(());
        }
        Self::resolve(object, location, name, true).map(drop)
    }

    /// Where a call points, relative to an object of a container. `None` if that is not in the container.
    pub(super) fn resolve(
        object: &Object<Self>,
        location: Location<'_>,
        name: Option<&CStr>,
        everything: bool,
    ) -> Result<Option<(Held<B>, Resolved)>> {
        let (Some(attached), Some(mut from)) = (Self::attached(object), Self::token(object)) else {
            return Ok(None);
        };
        let mut path = match location.target() {
            Target::Name(name) => name.to_bytes().to_vec(),
            Target::Index { group, .. } => group.to_bytes().to_vec(),
            Target::Token(token) => {
                from = *token;
                Vec::new()
            }
            _ => Vec::new(),
        };
        if let Some(name) = name {
            if name.to_bytes().first() == Some(&b'/') {
                path.clear();
            } else if !path.is_empty() {
                path.push(b'/');
            }
            path.extend_from_slice(name.to_bytes());
        }
        let container = Arc::clone(attached.container());
        let resolved = aside(object.host(), || {
            if everything { container.resolve_all(from, &path) } else { container.resolve(from, &path) }
        })?;
        Ok(Some((container, resolved)))
    }

    /// For calls that change an object: fails if they may not, and notes that it has changed.
    pub(crate) fn change_object(object: &Object<Self>, location: Option<Location<'_>>) -> Result<()> {
        let Some(attached) = Self::attached(object) else { return Ok(()) };
        attached.opening.require_writable()?;
        match location {
            Some(location) if object.kind() != ObjectKind::Attribute => {
                if let Some((container, resolved)) = Self::resolve(object, location, None, false)?
                    && resolved.rest.is_empty()
                {
                    container.note_changed(resolved.reached);
                }
            }
            _ => {
                if let Some(token) = Self::token(object) {
                    attached.container().note_changed(token);
                }
            }
        }
        Ok(())
    }

    /// For calls that make a new link: what is there before. Fails if they may not.
    pub(super) fn before_new_link(
        object: &Object<Self>,
        location: Location<'_>,
        name: Option<&CStr>,
    ) -> Result<Option<(Held<B>, Resolved)>> {
        let Some(attached) = Self::attached(object) else { return Ok(None) };
        attached.opening.require_writable()?;
        let found = Self::resolve(object, location, name, false)?;
        if let Some((container, resolved)) = &found
            && resolved.outside.is_none()
        {
            resolved.rest.iter().try_for_each(|name| container.as_text(name).map(drop))?;
        }
        Ok(found)
    }

    /// Fails if an object of a container cannot have an attribute of this name.
    pub(crate) fn accept_attribute(object: &Object<Self>, name: Option<&CStr>) -> Result<()> {
        let (Some(attached), Some(name)) = (Self::attached(object), name) else { return Ok(()) };
        let container = attached.container();
        let accepted = container.store.accept_attribute(container.as_text(name.to_bytes())?);
        accepted.map_err(|failure| container.error(&failure))
    }

    /// After such a call: notes the group that has the new link, and the groups that were made on the way. Returns the place of
    /// the last object, if that is an object.
    pub(super) fn after_new_link(before: Option<(Held<B>, Resolved)>) -> Result<Option<Token>> {
        let Some((container, resolved)) = before else { return Ok(None) };
        if resolved.rest.is_empty() || resolved.outside.is_some() {
            return Ok(None);
        }
        aside(container.host(), || {
            let mut here = resolved.reached;
            container.note_relinked(here);
            let (last, between) = resolved.rest.split_last().ok_or_else(|| Error::failed("no name"))?;
            for name in between {
                match container.child(here, name)? {
                    Some((token, kind)) => {
                        container.adopt(token, kind, None);
                        here = token;
                    }
                    None => return Ok(None),
                }
            }
            Ok(container.child(here, last)?.map(|(token, _)| token))
        })
    }
}
