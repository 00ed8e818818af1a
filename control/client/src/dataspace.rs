//! Dataspaces: extents, and what is selected of them.

use core::ptr;

use h5_abi::{H5S_NULL, H5S_SCALAR, H5S_SELECT_SET, hid_t, hsize_t};

use crate::failure::{Failure, Result};
use crate::handle::{Handle, closer, handles};
use crate::session::{Session, c_count};

handles! {
    /// An extent, and what is selected of it.
    Dataspace;
}

/// A regular part of an extent: `count` blocks along each dimension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hyperslab {
    /// The first element.
    pub start: Vec<u64>,
    /// From one block to the next; 1 if absent.
    pub stride: Option<Vec<u64>>,
    /// Number of blocks.
    pub count: Vec<u64>,
    /// Elements of a block; 1 if absent.
    pub block: Option<Vec<u64>>,
}

impl Hyperslab {
    /// A part in one piece.
    pub fn new(start: &[u64], count: &[u64]) -> Self {
        Self { start: start.to_vec(), stride: None, count: count.to_vec(), block: None }
    }

    /// Every `stride`th element.
    pub fn strided(start: &[u64], stride: &[u64], count: &[u64]) -> Self {
        Self { stride: Some(stride.to_vec()), ..Self::new(start, count) }
    }
}

impl Dataspace {
    /// No limit to a dimension.
    pub const UNLIMITED: u64 = h5_abi::H5S_UNLIMITED;

    pub(crate) fn of_id(session: &Session, id: hid_t) -> Result<Self> {
        Ok(Self { handle: Handle::new(session, id, closer!(session, H5Sclose)) })
    }

    /// One element without dimensions.
    pub fn scalar(session: &Session) -> Result<Self> {
        // SAFETY: a class.
        Self::of_id(session, unsafe { call!(session, H5Screate(H5S_SCALAR)) }?)
    }

    /// No element at all.
    pub fn null(session: &Session) -> Result<Self> {
        // SAFETY: a class.
        Self::of_id(session, unsafe { call!(session, H5Screate(H5S_NULL)) }?)
    }

    /// An extent that cannot grow.
    pub fn simple(session: &Session, dimensions: &[u64]) -> Result<Self> {
        Self::growing(session, dimensions, dimensions)
    }

    /// An extent that can grow up to `maximum`.
    pub fn growing(session: &Session, dimensions: &[u64], maximum: &[u64]) -> Result<Self> {
        if dimensions.len() != maximum.len() {
            return Err(Failure::refused(format!("{dimensions:?} cannot grow to {maximum:?}")));
        }
        let rank = c_count(dimensions.len())?;
        // SAFETY: as many lengths as dimensions.
        let id = unsafe { call!(session, H5Screate_simple(rank, dimensions.as_ptr(), maximum.as_ptr())) }?;
        Self::of_id(session, id)
    }

    /// A copy, with its own selection.
    pub fn copy(&self) -> Result<Self> {
        // SAFETY: our own identifier.
        Self::of_id(self.session(), unsafe { call!(self.session(), H5Scopy(self.id())) }?)
    }

    /// Selects a part, in place of what was selected.
    pub fn select(&mut self, slab: &Hyperslab) -> Result<()> {
        let rank = self.rank()?;
        let Hyperslab { start, stride, count, block } = slab;
        let lengths = [Some(start), stride.as_ref(), Some(count), block.as_ref()];
        if lengths.into_iter().flatten().any(|lengths| lengths.len() != rank) {
            return Err(Failure::refused(format!("{slab:?} does not have {rank} dimensions")));
        }
        let optional = |lengths: &Option<Vec<u64>>| lengths.as_ref().map_or(ptr::null(), Vec::as_ptr);
        // SAFETY: as many lengths as dimensions, or none.
        unsafe {
            call!(
                self.session(),
                H5Sselect_hyperslab(
                    self.id(),
                    H5S_SELECT_SET,
                    start.as_ptr(),
                    optional(stride),
                    count.as_ptr(),
                    optional(block),
                )
            )
        }
        .map(|_| ())
    }

    /// Selects single elements, in this order: as many coordinates of each as there are dimensions.
    pub fn select_points(&mut self, coordinates: &[u64]) -> Result<()> {
        let rank = self.rank()?;
        if rank == 0 || !coordinates.len().is_multiple_of(rank) {
            return Err(Failure::refused(format!("coordinates of points with {rank} dimensions")));
        }
        let count = coordinates.len() / rank;
        // SAFETY: `rank` coordinates of each of the points.
        unsafe {
            call!(self.session(), H5Sselect_elements(self.id(), H5S_SELECT_SET, count, coordinates.as_ptr()))
        }
        .map(|_| ())
    }

    /// Whether it has no elements by its kind (`H5S_NULL`), not by its extent.
    pub fn is_null(&self) -> Result<bool> {
        // SAFETY: our own identifier.
        Ok(unsafe { call!(self.session(), H5Sget_simple_extent_type(self.id())) }? == H5S_NULL)
    }

    /// Number of dimensions.
    pub fn rank(&self) -> Result<usize> {
        // SAFETY: our own identifier.
        let rank = unsafe { call!(self.session(), H5Sget_simple_extent_ndims(self.id())) }?;
        Ok(usize::try_from(rank).unwrap_or(0))
    }

    /// Its dimensions, and how far each may grow.
    pub fn extents(&self) -> Result<(Vec<u64>, Vec<u64>)> {
        let rank = self.rank()?;
        let (mut dimensions, mut maximum): (Vec<hsize_t>, Vec<hsize_t>) = (vec![0; rank], vec![0; rank]);
        // SAFETY: room for as many lengths as there are dimensions.
        unsafe {
            call!(
                self.session(),
                H5Sget_simple_extent_dims(self.id(), dimensions.as_mut_ptr(), maximum.as_mut_ptr())
            )
        }?;
        Ok((dimensions, maximum))
    }

    /// Its dimensions.
    pub fn dimensions(&self) -> Result<Vec<u64>> {
        Ok(self.extents()?.0)
    }

    /// Elements of the extent, whatever is selected.
    pub fn elements(&self) -> Result<usize> {
        // SAFETY: our own identifier.
        elements(unsafe { call!(self.session(), H5Sget_simple_extent_npoints(self.id())) }?)
    }

    /// Elements that are selected.
    pub fn selected(&self) -> Result<usize> {
        // SAFETY: our own identifier.
        elements(unsafe { call!(self.session(), H5Sget_select_npoints(self.id())) }?)
    }
}

fn elements(count: i64) -> Result<usize> {
    usize::try_from(count).map_err(|_| Failure::refused(format!("{count} elements are too many")))
}
