//! Virtual datasets whose sources are in containers. Native HDF5 opens only files of its own, so the sources are read here, through
//! HDF5's public functions: a source may be in any file that the application could open itself.

#![expect(unsafe_code, reason = "calls HDF5's public functions")]

use core::ffi::CStr;
use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use h5_abi::{H5S_SELECT_OR, H5S_SELECT_SET};
use h5_host::questions::StorageLayout;
use h5_host::{OwnedId, VirtualView};
use h5_vol::{BelowObject, Error, Result};
use selection::{Extent, Growing, Selection};

use crate::backend::Store;
use crate::dataset::{Ours, fill};
use crate::hdf5::{DEFAULT, Hdf5, aside, good};
use crate::node::Node;
use crate::opening::{Opening, Told};
use crate::paths::source_candidates;
use crate::spec::{Layout, RegionSpec, SelectionSpec, SpaceSpec};
use crate::types::leads_outside;
use crate::virtual_sources::{Mapping, MappingKind, Seen, SourceName, are_growing, extent_of};

/// A virtual dataset with sources in containers, as they are now.
pub(crate) struct Virtual<'v, S: Store> {
    opening: &'v Opening<S>,
    mappings: Vec<Mapping>,
    /// What there is of each.
    seen: Vec<Seen<Place>>,
    all: Ours<S>,
    /// Its extent, and how far it can grow.
    pub(crate) extent: SpaceSpec,
}

/// Where a source is: its file, by the name that the application would use, and the dataset there.
type Place = (CString, CString);

impl<'v, S: Store> Virtual<'v, S> {
    /// Looks at the sources of a virtual dataset. `None` if native HDF5 can read it: all its sources are in native files.
    pub(crate) fn look(
        opening: &'v Opening<S>,
        node: &Arc<Node<S::Key>>,
        below: &BelowObject,
        is_container: &dyn Fn(&Path) -> bool,
    ) -> Result<Option<Self>> {
        let container = &opening.container;
        let (host, hdf5) = (container.host(), container.master.hdf5());
        let list = host.ask(|questions| {
            let list = below.dataset_creation_list(questions)?;
            (questions.layout(list.id()) == StorageLayout::Virtual).then_some(list)
        });
        let Some(list) = list else { return Ok(None) };
        let elsewhere = aside(host, || hdf5.elsewhere(list.id(), Layout::Virtual))?;
        let mappings: Option<Vec<Mapping>> = elsewhere.sources.into_iter().map(Mapping::new).collect();
        let Some(mappings) = mappings else { return Ok(None) };
        let access = host.ask(|questions| {
            let list = below.dataset_access_list(questions)?;
            Some((questions.virtual_view(list.id())?, list))
        });
        let (view, prefix) = match access {
            Some((view, list)) => (view, aside(host, || hdf5.virtual_prefix(list.id()))),
            None => (VirtualView::LastAvailable { gap: 0 }, Vec::new()),
        };
        let mut has_container = false;
        let mut find = |name: &SourceName| {
            let file = source_name(opening, &name.file, &prefix, is_container)?;
            let dims = aside(host, || Source::open(opening, (&file, &name.dataset))?.dims(hdf5))?;
            has_container |= is_container(OsStr::from_bytes(file.to_bytes()).as_ref());
            Some(((file, name.dataset.clone()), dims))
        };
        let seen: Vec<Seen<Place>> = mappings.iter().map(|mapping| mapping.look(view, &mut find)).collect();
        if !has_container {
            return Ok(None);
        }
        let all = Ours::ask(container, node, below)?;
        let space = host.ask(|questions| below.dataset_space(questions));
        let known = space.and_then(|space| aside(host, || hdf5.space_spec(space.id()).ok()));
        let Some(SpaceSpec::Simple { dims, maximum }) = known else { return Ok(None) };
        if leads_outside(hdf5, all.datatype.id()) {
            return Ok(None);
        }
        let dims = extent_of(&mappings, &seen, view, &dims);
        let extent = SpaceSpec::Simple { dims, maximum };
        Ok(Some(Self { opening, mappings, seen, all, extent }))
    }

    /// Whether its extent depends on its sources.
    pub(crate) fn is_growing(&self) -> bool {
        are_growing(&self.mappings)
    }

    /// What the application knows of it, once it was told.
    pub(crate) fn told(&self) -> Told {
        let dims = self.extent.dims().unwrap_or_default().to_vec();
        Told { dims, sources: self.seen.iter().map(|seen| seen.sources.len()).collect() }
    }

    /// The elements of a virtual dataset, as far as the application was told of it, as if the format had them in one piece.
    pub(crate) fn read(mut self, Told { dims, sources }: &Told) -> Result<Ours<S>> {
        for (seen, count) in self.seen.iter_mut().zip(sources) {
            seen.sources.truncate(*count);
        }
        let bad = |error: selection::SelectionError| self.all.failed(&error.to_string());
        let extent = Extent::new(dims).map_err(bad)?;
        // Sources are read as a whole, even if the dataset has less of them.
        let mut room = dims.clone();
        for (mapping, seen) in self.mappings.iter().zip(&self.seen) {
            mapping.reach(seen, &mut room);
        }
        let around = Extent::new(&room).map_err(bad)?;
        let mut elements = self.filled(&around)?;
        for (mapping, seen) in self.mappings.iter().zip(&self.seen) {
            for (number, source) in (0_u64..).zip(&seen.sources) {
                let Some((place, source_dims)) = source else { continue };
                // As natively, what cannot be read is fill value.
                let _ = aside(self.opening.container.host(), || {
                    self.read_source(mapping, number, (place, source_dims), &room, &mut elements)
                });
            }
        }
        if room != *dims {
            let inside = Selection::tile(&around, &vec![0; dims.len()], dims).map_err(bad)?;
            let (element, mut cut) = (self.all.facts.element, self.filled(&extent)?);
            let mut to = 0;
            for row in inside.rows(0..u64::MAX) {
                for block in 0..row.count {
                    let at = |elements: u64| usize::try_from(elements).unwrap_or(usize::MAX) * element;
                    let (from, length) = (at(row.offset + block * row.stride), at(row.block));
                    cut[to..to + length].copy_from_slice(&elements[from..from + length]);
                    to += length;
                }
            }
            elements = cut;
        }
        let Self { all, .. } = self;
        // In one piece it has one chunk.
        let whole = Node::new(all.node.key.clone(), all.node.kind, all.node.token, all.node.hidden);
        whole.pending().insert(vec![0; extent.rank()], Arc::new(elements));
        Ok(Ours { node: Arc::new(whole), extent: Some(extent), ..all })
    }

    /// Fill values for all elements of an extent.
    fn filled(&self, extent: &Extent) -> Result<Vec<u8>> {
        let bytes = self.all.chunk_bytes(&self.all.grid(extent)?)?;
        let mut elements = Vec::new();
        let too_large = |_| self.all.failed(&format!("there is no memory for {bytes} bytes of it"));
        elements.try_reserve_exact(bytes).map_err(too_large)?;
        elements.resize(bytes, 0);
        fill(&mut elements, &self.all.facts.fill);
        Ok(elements)
    }

    /// Reads a source to where it belongs among elements of an extent.
    fn read_source(
        &self,
        mapping: &Mapping,
        number: u64,
        (place, source_dims): (&Place, &[u64]),
        room: &[u64],
        elements: &mut [u8],
    ) -> Result<()> {
        let hdf5 = self.opening.container.master.hdf5();
        let (mapped, source) = (&mapping.spec.mapped, &mapping.spec.source);
        let (mapped, source) = match &mapping.kind {
            MappingKind::Fixed => (in_extent(hdf5, mapped, room)?, in_extent(hdf5, source, source_dims)?),
            MappingKind::Following { mapped: growing, source: growing_source } => {
                let slices =
                    growing_source.slices(source_dims.get(growing_source.dim()).copied().unwrap_or(0));
                if slices == 0 {
                    return Ok(());
                }
                (
                    first_slices(hdf5, mapped, growing, slices, room)?,
                    first_slices(hdf5, source, growing_source, slices, source_dims)?,
                )
            }
            MappingKind::Numbered { mapped: growing } => {
                (block(hdf5, mapped, growing, number, room)?, in_extent(hdf5, source, source_dims)?)
            }
        };
        let unreadable = || Error::failed("a source of a virtual dataset cannot be opened");
        let source_file = Source::open(self.opening, (&place.0, &place.1)).ok_or_else(unreadable)?;
        // SAFETY: the host verifies the identifiers. There are as many elements as the extent of the mapped space has, of the datatype.
        let status = unsafe {
            (self.opening.container.host().functions().H5Dread)(
                source_file.dataset.id().0,
                self.all.datatype.id().0,
                mapped.id().0,
                source.id().0,
                DEFAULT,
                elements.as_mut_ptr().cast(),
            )
        };
        good(status, "read a source of a virtual dataset")
    }
}

/// A selection in another extent.
fn in_extent(hdf5: Hdf5, region: &RegionSpec, dims: &[u64]) -> Result<OwnedId> {
    let space = SpaceSpec::Simple { dims: dims.to_vec(), maximum: dims.iter().copied().map(Some).collect() };
    hdf5.make_region(&RegionSpec { space, selection: region.selection.clone() })
}

/// The first slices of a selection without an end.
fn first_slices(
    hdf5: Hdf5,
    region: &RegionSpec,
    growing: &Growing,
    slices: u64,
    dims: &[u64],
) -> Result<OwnedId> {
    let SelectionSpec::Regular { start, stride, count, block } = &region.selection else {
        return Err(Error::failed("a mapping without an end that is not regular"));
    };
    let dim = growing.dim();
    let (first, step, size) = (start[dim], stride[dim], block[dim]);
    // Blocks that touch each other, or one block without an end, are one block.
    let size = if size >= step { slices } else { size };
    let (blocks, rest) = (slices / size, slices % size);
    let space = in_extent(hdf5, &RegionSpec { selection: SelectionSpec::None, ..region.clone() }, dims)?;
    let mut operation = H5S_SELECT_SET;
    let parts = [(first, blocks, size), (first.saturating_add(blocks.saturating_mul(step)), 1, rest)];
    for (first, times, size) in parts.into_iter().filter(|(_, times, size)| *times > 0 && *size > 0) {
        let (mut start, mut stride, mut count, mut block) =
            (start.clone(), stride.clone(), count.clone(), block.clone());
        (start[dim], stride[dim], count[dim], block[dim]) = (first, step.max(size), times, size);
        // SAFETY: our own dataspace, and lists with a number for each of its dimensions.
        let status = unsafe {
            hdf5.functions().H5Sselect_hyperslab()?(
                space.id().0,
                operation,
                start.as_ptr(),
                stride.as_ptr(),
                count.as_ptr(),
                block.as_ptr(),
            )
        };
        good(status, "select what a mapping has")?;
        operation = H5S_SELECT_OR;
    }
    Ok(space)
}

/// The block with a number of a selection without an end.
fn block(hdf5: Hdf5, region: &RegionSpec, growing: &Growing, number: u64, dims: &[u64]) -> Result<OwnedId> {
    let (Some((first, _)), SelectionSpec::Regular { start, stride, count, block }) =
        (growing.block(number), &region.selection)
    else {
        return Err(Error::failed("a mapping that is too far"));
    };
    let (mut start, mut count) = (start.clone(), count.clone());
    (start[growing.dim()], count[growing.dim()]) = (first, 1);
    let selection = SelectionSpec::Regular { start, stride: stride.clone(), count, block: block.clone() };
    in_extent(hdf5, &RegionSpec { selection, ..region.clone() }, dims)
}

/// The name by which the application would open the file of a source.
fn source_name<S: Store>(
    opening: &Opening<S>,
    file: &CStr,
    prefix: &[u8],
    is_container: &dyn Fn(&Path) -> bool,
) -> Option<CString> {
    if file == c"." {
        return CString::new(opening.name.as_bytes()).ok();
    }
    let found = source_candidates(opening.container.place.seen_from(), file.to_bytes(), prefix)
        .into_iter()
        .find(|name| is_container(name) || name.exists());
    CString::new(found?.as_os_str().as_bytes()).ok()
}

/// A source that is open. The dataset is closed before its file.
struct Source {
    dataset: OwnedId,
    _file: OwnedId,
}

impl Source {
    /// Opens a source; `None` if that does not work.
    fn open<S: Store>(opening: &Opening<S>, (file, dataset): (&CStr, &CStr)) -> Option<Self> {
        let host = opening.container.host();
        let functions = host.functions();
        // SAFETY: the host verifies the identifiers; C strings.
        unsafe {
            let file = OwnedId::take(host, (functions.H5Fopen)(file.as_ptr(), 0, opening.access.id().0))?;
            let dataset = OwnedId::take(host, (functions.H5Dopen2)(file.id().0, dataset.as_ptr(), DEFAULT))?;
            Some(Self { dataset, _file: file })
        }
    }

    /// Its extent; `None` if it never has elements.
    fn dims(&self, hdf5: Hdf5) -> Option<Vec<u64>> {
        // SAFETY: our own identifier.
        let space = unsafe { hdf5.functions().H5Dget_space().ok()?(self.dataset.id().0) };
        let space = OwnedId::take(self.dataset.host(), space)?;
        hdf5.space_spec(space.id()).ok()?.dims().map(<[u64]>::to_vec)
    }
}
