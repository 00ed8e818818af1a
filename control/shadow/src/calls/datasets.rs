//! Datasets: who has their elements, and what is asked of them.

use core::ffi::c_int;
use std::path::Path;
use std::sync::Arc;

use h5_host::OwnedId;
use h5_vol::calls::{DatasetCreate, DatasetGet, DatasetOptional, DatasetRead, DatasetSpecific, DatasetWrite};
use h5_vol::views::{DatasetOperation, DatasetQuestion, DirectChunk, SpaceStatus};
use h5_vol::{Error, NewObject, Object, ObjectKind, Result};

use crate::backend::{Backend, Store};
use crate::connector::Shadow;
use crate::dataset::Ours;
use crate::hdf5::{Hdf5, aside};
use crate::locks::Locks;
use crate::master::{reveal, without_storage};
use crate::node::Node;
use crate::opening::Attached;
use crate::spec::Kind;
use crate::types::leads_outside;
use crate::virtual_read::Virtual;

/// A dataset of a container.
type Known<'o, B> = (&'o Attached<<B as Backend>::Store>, Arc<Node<<<B as Backend>::Store as Store>::Key>>);

impl<B: Backend> Shadow<B> {
    pub(crate) fn create_dataset(&self, mut call: DatasetCreate<'_, Self>) -> Result<NewObject<Self>> {
        let Some(attached) = Self::attached(&call.object) else { return call.forward() };
        attached.opening.require_writable()?;
        let before = match call.name {
            Some(name) => Self::before_new_link(&call.object, call.location, Some(name))?,
            None => None,
        };
        let hdf5 = Hdf5::of(self.host);
        let (list, hidden) = aside(self.host, || {
            let list = hdf5.copy_list(call.creation)?;
            let is_ours = !leads_outside(hdf5, call.datatype);
            let hidden = if is_ours { without_storage(hdf5, list.id())? } else { None };
            let container = attached.container();
            let filters = container.master.filters(list.id())?;
            container.store.accept(&filters).map_err(|failure| container.error(&failure))?;
            Ok::<_, Error>((list, hidden))
        })?;
        if hidden.is_some() {
            call.creation = list.id();
        }
        let new = call.forward()?;
        Self::after_new_link(before)?;
        if let (Some(attached), Some(below)) = (&new.data, new.below()) {
            let identity = self.host.ask_below(|questions| below.identity(questions, ObjectKind::Dataset));
            let container = attached.container();
            if let Some(identity) = identity.filter(|identity| identity.file == container.master.number()) {
                attached.set_node(container.adopt(identity.token(), Kind::Dataset, hidden));
            }
        }
        Ok(new)
    }

    /// What the container knows of a dataset; `None` if native HDF5 has it in another file.
    fn known(object: &Object<Self>) -> Option<Known<'_, B>> {
        let (attached, below) = (Self::attached(object)?, object.below()?);
        Some((attached, attached.node(object.host(), below, ObjectKind::Dataset)?))
    }

    /// The same with what is needed to move elements, if the format has them.
    fn ours(object: &Object<Self>) -> Result<Option<Ours<B::Store>>> {
        let (Some((attached, node)), Some(below)) = (Self::known(object), object.below()) else {
            return Ok(None);
        };
        if !node.is_in_chunks() {
            attached.container().load_values(&node)?;
            return Ok(None);
        }
        Ours::ask(attached.container(), &node, below).map(Some)
    }

    pub(crate) fn read_datasets(&self, call: &DatasetRead<'_, Self>) -> Result<c_int> {
        for (index, part) in call.parts.iter().enumerate() {
            let ours = match Self::ours(&part.dataset)? {
                None => self.virtual_dataset(&part.dataset)?,
                ours => ours,
            };
            if let Some(ours) = ours {
                ours.read(part, call.transfer)?;
                continue;
            }
            // HDF5 may call a function of the application that converts elements.
            let _callback = Locks::of(self.host).user_callback(self.host);
            call.forward_part(index)?;
        }
        Ok(0)
    }

    /// A virtual dataset with sources in containers, as if the format had its elements.
    fn virtual_dataset(&self, object: &Object<Self>) -> Result<Option<Ours<B::Store>>> {
        self.with_virtual(object, |attached, found| {
            let now = found.told();
            // As natively, sources that appear or grow count when the application asks for the dataspace again.
            let told = if found.is_growing() { attached.told().get_or_insert(now).clone() } else { now };
            found.read(&told).map(Some)
        })
    }

    /// The dataspace of a virtual dataset whose extent depends on sources in containers.
    fn virtual_space(&self, object: &Object<Self>) -> Result<Option<OwnedId>> {
        self.with_virtual(object, |attached, found| {
            if !found.is_growing() {
                return Ok(None);
            }
            *attached.told() = Some(found.told());
            aside(self.host, || Hdf5::of(self.host).make_space(&found.extent)).map(Some)
        })
    }

    /// Does something with a virtual dataset that has sources in containers; `None` if it is none.
    fn with_virtual<R>(
        &self,
        object: &Object<Self>,
        run: impl FnOnce(&Attached<B::Store>, Virtual<'_, B::Store>) -> Result<Option<R>>,
    ) -> Result<Option<R>> {
        let (Some((attached, node)), Some(below)) = (Self::known(object), object.below()) else {
            return Ok(None);
        };
        // Sources are opened and read by calls inside of this one.
        let _callback = Locks::of(self.host).user_callback(self.host);
        let settings = h5_vol::settings_of::<Self>(self.host, attached.opening.access.id())?;
        let is_container = |name: &Path| self.is_ours(name, &settings);
        match Virtual::look(&attached.opening, &node, below, &is_container)? {
            Some(found) => run(attached, found),
            None => Ok(None),
        }
    }

    pub(crate) fn write_datasets(call: &DatasetWrite<'_, Self>) -> Result<c_int> {
        for (index, part) in call.parts.iter().enumerate() {
            if let Some(attached) = Self::attached(&part.dataset) {
                attached.opening.require_writable()?;
            }
            if let Some(ours) = Self::ours(&part.dataset)? {
                ours.write(part, call.transfer)?;
                continue;
            }
            let host = part.dataset.host();
            let _callback = Locks::of(host).user_callback(host);
            call.forward_part(index)?;
            if let Some((attached, node)) = Self::known(&part.dataset) {
                node.note_rewritten();
                attached.container().note_changed(node.token);
            }
        }
        Ok(0)
    }

    /// Chunks that the application reads or writes as they are stored.
    pub(crate) fn direct_chunk(mut call: DatasetOptional<'_, Self>) -> Result<c_int> {
        let object = Arc::clone(&call.object);
        let is_in_chunks = Self::known(&object).is_some_and(|(_, node)| node.is_in_chunks());
        // A function of the application's may be called for each chunk, and use the dataset.
        let _callback = is_in_chunks.then(|| Locks::of(object.host()).user_callback(object.host()));
        let container = Self::attached(&object).filter(|_| is_in_chunks);
        let _alone = container.map(|attached| attached.container().alone());
        // Elements that the shadow has are loaded by this question, too: `H5Dvlen_get_buf_size` asks for their sizes.
        let (Some(ours), Some(below)) = (Self::ours(&object)?, object.below()) else { return call.forward() };
        let rank = ours.extent.as_ref().map_or(0, selection::Extent::rank);
        let missing = || Error::failed("chunk storage is not allocated");
        match call.direct_chunk(rank)? {
            Some(DirectChunk::Write { origin, mask, bytes }) => {
                if let Some(attached) = Self::attached(&object) {
                    attached.opening.require_writable()?;
                }
                ours.write_stored(below, &origin, mask, bytes)?;
            }
            Some(DirectChunk::Read { origin, mut target }) => {
                let (stored, mask) = ours.read_stored(below, &origin)?.ok_or_else(missing)?;
                target.give(&stored, mask)?;
            }
            Some(
                asked @ (DirectChunk::Count(_)
                | DirectChunk::AtIndex { .. }
                | DirectChunk::AtOrigin { .. }
                | DirectChunk::Each(_)),
            ) if ours.facts.chunk.is_some() => {
                return ours.answer_about_chunks(below, asked);
            }
            Some(DirectChunk::Size { origin, mut size }) => {
                size.set(ours.read_stored(below, &origin)?.ok_or_else(missing)?.0.len() as u64);
            }
            _ => return call.forward(),
        }
        Ok(0)
    }

    pub(crate) fn ask_dataset(&self, mut call: DatasetGet<'_, Self>) -> Result<c_int> {
        let object = Arc::clone(&call.object);
        let Some((attached, node)) = Self::known(&object) else { return call.forward() };
        if !node.is_in_chunks() {
            if let DatasetQuestion::Space(mut space) = call.arguments.view()
                && let Some(found) = self.virtual_space(&object)?
            {
                space.set(found.into_id());
                return Ok(0);
            }
            return call.forward();
        }
        let container = attached.container();
        let stored = || -> Result<u64> {
            let pending: usize = node.pending().values().map(|chunk| chunk.len()).sum();
            let stored = if node.is_described() {
                container.store.stored_bytes(&node.key).map_err(|failure| container.error(&failure))?
            } else {
                0
            };
            Ok(stored + pending as u64)
        };
        match call.arguments.view() {
            DatasetQuestion::StorageSize(mut size) => size.set(stored()?),
            DatasetQuestion::SpaceStatus(mut status) => {
                status.set(if stored()? > 0 { SpaceStatus::Allocated } else { SpaceStatus::NotAllocated });
            }
            DatasetQuestion::CreationList(_) => {
                let status = call.forward()?;
                if let (DatasetQuestion::CreationList(list), Some(hidden)) =
                    (call.arguments.view(), node.hidden)
                    && let Some(list) = list.get()
                {
                    aside(object.host(), || reveal(Hdf5::of(object.host()), list, hidden))?;
                }
                return Ok(status);
            }
            _ => return call.forward(),
        }
        Ok(0)
    }

    pub(crate) fn change_dataset(mut call: DatasetSpecific<'_, Self>) -> Result<c_int> {
        let object = Arc::clone(&call.object);
        let Some((attached, node)) = Self::known(&object) else { return call.forward() };
        match call.arguments.view() {
            DatasetOperation::SetExtent => {
                attached.opening.require_writable()?;
                let _alone = attached.container().alone();
                let before = Self::ours(&object)?;
                let status = call.forward()?;
                // Chunks may have other numbers now.
                node.kept.forget_all();
                attached.container().note_changed(node.token);
                node.note_rewritten();
                if let (Some(before), Some(after)) = (before, Self::ours(&object)?) {
                    before.resized_to(&after)?;
                }
                Ok(status)
            }
            DatasetOperation::Flush(_) => {
                attached.container().flush()?;
                call.forward()
            }
            // The shadow is never older than itself.
            DatasetOperation::Refresh(_) => Ok(0),
            _ => call.forward(),
        }
    }
}
