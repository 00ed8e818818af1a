//! Dataspaces.

use core::ptr;
use std::rc::Rc;

use anyhow::{Context, Result, ensure};
use h5_abi::{H5S_SELECT_SET, hid_t, hsize_t};

use super::Library;
use super::handle::Handle;
use super::library::c_count;

/// How large a dataset may become that may become as large as it likes.
pub(crate) const UNLIMITED: u64 = h5_abi::H5S_UNLIMITED;

/// A part of an extent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Slab {
    /// Where it begins.
    pub(crate) start: Vec<u64>,
    /// From one element to the next; 1 if nothing is said.
    pub(crate) stride: Option<Vec<u64>>,
    /// Elements.
    pub(crate) count: Vec<u64>,
}

impl Slab {
    /// A part in one piece.
    pub(crate) fn new(start: &[u64], count: &[u64]) -> Self {
        Self { start: start.to_vec(), stride: None, count: count.to_vec() }
    }
}

/// A dataspace, shared by those who use it.
#[derive(Clone)]
pub(crate) struct Space {
    handle: Rc<Handle>,
}

impl Space {
    /// All of an extent.
    pub(crate) fn new(library: &'static Library, extent: &[u64]) -> Result<Self> {
        Self::growing(library, extent, extent)
    }

    /// All of an extent that may become as large as `most`.
    pub(crate) fn growing(library: &'static Library, extent: &[u64], most: &[u64]) -> Result<Self> {
        ensure!(extent.len() == most.len(), "{extent:?} and {most:?} have not the same rank");
        let rank = c_count(extent.len())?;
        // SAFETY: as many numbers as are said.
        let id = unsafe { (library.api.H5Screate_simple)(rank, extent.as_ptr(), most.as_ptr()) };
        Self::of_id(library, "H5Screate_simple", id)
    }

    /// Part of an extent.
    pub(crate) fn part(library: &'static Library, extent: &[u64], slab: &Slab) -> Result<Self> {
        let space = Self::new(library, extent)?;
        let Slab { start, stride, count } = slab;
        let lengths = [start.len(), count.len(), stride.as_ref().map_or(count.len(), Vec::len)];
        ensure!(lengths == [extent.len(); 3], "{slab:?} has not the rank of {extent:?}");
        let stride = stride.as_ref().map_or(ptr::null(), Vec::as_ptr);
        // SAFETY: as many numbers as the space has dimensions.
        let status = unsafe {
            (library.api.H5Sselect_hyperslab)(
                space.id(),
                H5S_SELECT_SET,
                start.as_ptr(),
                stride,
                count.as_ptr(),
                ptr::null(),
            )
        };
        library.api.check("H5Sselect_hyperslab", status)?;
        Ok(space)
    }

    pub(super) fn of_id(library: &'static Library, call: &str, id: hid_t) -> Result<Self> {
        let handle = Handle::new(library, call, id, ("H5Sclose", library.api.H5Sclose))?;
        Ok(Self { handle: Rc::new(handle) })
    }

    pub(super) fn id(&self) -> hid_t {
        self.handle.id
    }

    /// How many dimensions it has.
    pub(crate) fn rank(&self) -> Result<usize> {
        let api = &self.handle.library.api;
        // SAFETY: our own identifier.
        let rank = unsafe { (api.H5Sget_simple_extent_ndims)(self.id()) };
        Ok(usize::try_from(api.check("H5Sget_simple_extent_ndims", rank)?)?)
    }

    /// Its extent, and how large that may become.
    pub(crate) fn extents(&self) -> Result<(Vec<u64>, Vec<u64>)> {
        let (api, rank) = (&self.handle.library.api, self.rank()?);
        let (mut extent, mut most): (Vec<hsize_t>, Vec<hsize_t>) = (vec![0; rank], vec![0; rank]);
        // SAFETY: room for as many numbers as there are dimensions.
        let status =
            unsafe { (api.H5Sget_simple_extent_dims)(self.id(), extent.as_mut_ptr(), most.as_mut_ptr()) };
        api.check("H5Sget_simple_extent_dims", status)?;
        Ok((extent, most))
    }

    /// Elements of its extent, whatever is selected of them.
    pub(crate) fn elements(&self) -> Result<usize> {
        let api = &self.handle.library.api;
        // SAFETY: our own identifier.
        let count = unsafe { (api.H5Sget_simple_extent_npoints)(self.id()) };
        usize::try_from(api.check("H5Sget_simple_extent_npoints", count)?).context("too many elements")
    }
}
