//! Groups, committed datatypes, attributes, and objects of any kind.

#![expect(unsafe_code, reason = "calls go on behind external links")]

use core::ffi::c_int;
use std::sync::Arc;

use h5_vol::calls::{
    AttributeGet, AttributeSpecific, DatatypeCommit, GroupCreate, GroupGet, ObjectCopy, ObjectSpecific,
};
use h5_vol::views::{AttributeOperation, AttributeQuestion, GroupQuestion, ObjectOperation};
use h5_vol::{NewObject, Object, ObjectKind, Result, Target};

use crate::backend::{Backend, Store};
use crate::calls::look::Held;
use crate::connector::Shadow;
use crate::copy::{CopyFlags, Found, copied, copied_out};
use crate::fill::Resolved;
use crate::hdf5::{Hdf5, aside, c_string};
use crate::spec::Kind;

impl<B: Backend> Shadow<B> {
    pub(crate) fn create_group(&self, call: GroupCreate<'_, Self>) -> Result<NewObject<Self>> {
        let before = match call.name {
            Some(name) => Self::before_new_link(&call.object, call.location, Some(name))?,
            None => Self::before_new_link(&call.object, call.location, None)?.map(|(container, mut here)| {
                here.rest.clear();
                (container, here)
            }),
        };
        let new = call.forward()?;
        Self::after_new_link(before)?;
        self.adopt_new(&new, Kind::Group);
        Ok(new)
    }

    pub(crate) fn commit_datatype(&self, call: DatatypeCommit<'_, Self>) -> Result<NewObject<Self>> {
        let before = Self::before_new_link(&call.object, call.location, call.name)?;
        let is_named = call.name.is_some();
        let new = call.forward()?;
        if is_named {
            Self::after_new_link(before)?;
        }
        self.adopt_new(&new, Kind::Datatype);
        Ok(new)
    }

    /// Gives an object that the application has made an identity.
    fn adopt_new(&self, new: &NewObject<Self>, kind: Kind) {
        let (Some(attached), Some(below)) = (&new.data, new.below()) else { return };
        let identity = self.host.ask_below(|questions| below.identity(questions, new.kind()));
        let container = attached.container();
        if let Some(identity) = identity.filter(|identity| identity.file == container.master.number()) {
            new.data
                .as_ref()
                .inspect(|attached| attached.set_node(container.adopt(identity.token(), kind, None)));
        }
    }

    pub(crate) fn ask_group(mut call: GroupGet<'_, Self>) -> Result<c_int> {
        let object = Arc::clone(&call.object);
        if let GroupQuestion::Info { location, .. } = call.arguments.view() {
            Self::look(&object, location, None)?;
        }
        call.forward()
    }

    pub(crate) fn ask_attribute(mut call: AttributeGet<'_, Self>) -> Result<c_int> {
        let object = Arc::clone(&call.object);
        match call.arguments.view() {
            AttributeQuestion::Info { location, .. } | AttributeQuestion::Name { location, .. }
                if object.kind() != ObjectKind::Attribute =>
            {
                Self::look(&object, location, None)?;
            }
            _ => {}
        }
        call.forward()
    }

    pub(crate) fn change_attributes(mut call: AttributeSpecific<'_, Self>) -> Result<c_int> {
        match call.arguments.view() {
            AttributeOperation::Exists { .. } | AttributeOperation::Iterate(_) => {
                Self::look(&call.object, call.location, None)?;
            }
            AttributeOperation::Rename { to, .. } => {
                Self::accept_attribute(&call.object, to)?;
                Self::change_object(&call.object, Some(call.location))?;
            }
            _ => Self::change_object(&call.object, Some(call.location))?,
        }
        call.forward()
    }

    pub(crate) fn change_any(&self, mut call: ObjectSpecific<'_, Self>) -> Result<c_int> {
        let elsewhere = self.follow(&call.object, call.location, None)?;
        if let Some(elsewhere) = &elsewhere {
            call.object = elsewhere.file();
            // SAFETY: the call ends below.
            call.location = unsafe { elsewhere.place() };
        }
        match call.arguments.view() {
            ObjectOperation::ChangeReferences(_) => Self::change_object(&call.object, Some(call.location))?,
            ObjectOperation::Visit(_) => Self::look_below(&call.object, call.location, None)?,
            ObjectOperation::Flush(_) => {
                if let Some(attached) = Self::attached(&call.object) {
                    attached.container().flush()?;
                }
            }
            _ => Self::look(&call.object, call.location, None)?,
        }
        call.forward()
    }

    pub(crate) fn copy_object(&self, mut call: ObjectCopy<'_, Self>) -> Result<c_int> {
        if call.is_across() {
            return h5_across::copy_object(&call);
        }
        let elsewhere = self.follow(&call.source, call.source_location, call.source_name)?;
        if let Some(elsewhere) = &elsewhere {
            call.source = elsewhere.file();
            // SAFETY: the call ends below.
            (call.source_location, call.source_name) = unsafe { (elsewhere.itself(), elsewhere.path()) };
        }
        let source = Self::resolve(&call.source, call.source_location, call.source_name, true)?;
        let before = Self::before_new_link(&call.target, call.target_location, call.target_name)?;
        let flags = aside(self.host, || Hdf5::of(self.host).copy_flags(call.copy)).map(CopyFlags)?;
        let originals = match &source {
            Some((container, resolved)) if resolved.rest.is_empty() => aside(container.host(), || {
                let originals = container.tree(resolved.reached, flags)?;
                container.load_all(&originals).map(|()| originals)
            })?,
            _ => Vec::new(),
        };
        match (&source, before) {
            (Some((container, _)), None) => Self::copy_out(call, container, &originals, flags),
            (None, None) => call.forward(),
            (_, Some(before)) => Self::copy_in(call, source.as_ref(), before, flags),
        }
    }

    /// Copies from a container to a file of native HDF5.
    fn copy_out(
        mut call: ObjectCopy<'_, Self>,
        container: &Held<B>,
        originals: &[Found],
        flags: CopyFlags,
    ) -> Result<c_int> {
        // Native HDF5 would copy objects that nobody can find afterwards, without their elements.
        if flags.expands_references() || flags.expands_external_links() {
            return h5_across::copy_object(&call);
        }
        let status = call.forward()?;
        let (Some(below), Some(name)) = (call.target.below(), call.target_name) else { return Ok(status) };
        let mut path = match call.target_location.target() {
            Target::Name(group) => [group.to_bytes(), b"/"].concat(),
            _ => Vec::new(),
        };
        path.extend_from_slice(name.to_bytes());
        let target = (below, call.target.kind());
        aside(container.host(), || copied_out(container, originals, target, &path))?;
        Ok(status)
    }

    /// Copies into a container.
    fn copy_in(
        mut call: ObjectCopy<'_, Self>,
        source: Option<&(Held<B>, Resolved)>,
        before: (Held<B>, Resolved),
        flags: CopyFlags,
    ) -> Result<c_int> {
        if flags.expands_references() {
            // Native HDF5 would make copies without names, and a format keeps no object without one.
            return h5_across::copy_object(&call);
        }
        let target = Arc::clone(&before.0);
        let parent = (before.1.rest.len() == 1).then(|| (before.1.reached, before.1.rest[0].clone()));
        let status = call.forward()?;
        let Some(new) = Self::after_new_link(Some(before))? else { return Ok(status) };
        let from = source.map(|(container, resolved)| (&**container, resolved.reached));
        aside(target.host(), || {
            let accepted = target.accept_copies(new);
            if let (Err(_), Some((group, name))) = (&accepted, parent) {
                let group = target.master.open(group)?;
                target.master.hdf5().unlink(group.id(), &c_string(&name)?)?;
            }
            accepted?;
            copied(from, &target, new)
        })?;
        Ok(status)
    }

    /// If this is the last object of its container, what has changed is told to the format.
    ///
    /// If that fails, the program is told on its standard error, and it is tried again when the container is let go. The close itself
    /// must not fail: HDF5 frees an object that cannot be closed, but keeps its identifier, and crashes when it next looks at all of them
    /// (`H5Idec_ref`, which h5py closes with). Native HDF5 does crash then.
    pub(crate) fn before_close(object: &Object<Self>) {
        let Some(attached) = Self::attached(object).filter(|attached| attached.is_last()) else { return };
        let told = attached.container().persist();
        // Another thread may have opened something while this one waited for it.
        match told {
            Ok(()) if attached.is_last() => attached.container().store.close(),
            Ok(()) => {}
            Err(error) => eprintln!("{error}"),
        }
    }
}
