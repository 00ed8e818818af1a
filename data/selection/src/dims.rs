//! One number per dimension, and the extent of a dataspace.

use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::SelectionError;
use crate::small::Small;

/// The largest number of dimensions of a dataspace (`H5S_MAX_RANK`).
pub const MAX_RANK: usize = 32;

/// One `u64` per dimension, at most [`MAX_RANK`] of them; up to four are held without allocating.
#[derive(Clone)]
pub struct Dims(Small<u64, 4>);

impl Dims {
    /// A copy of `values`.
    #[inline]
    pub fn new(values: &[u64]) -> Result<Self, SelectionError> {
        if values.len() > MAX_RANK {
            return Err(SelectionError::RankTooLarge { rank: values.len() });
        }
        Ok(Self(Small::from_slice(values)))
    }

    /// A copy of a list already known to be short enough.
    #[inline]
    pub(crate) fn of(values: &[u64]) -> Self {
        Self(Small::from_slice(values))
    }

    /// `rank` times `value`.
    #[inline]
    pub(crate) fn filled(value: u64, rank: usize) -> Self {
        Self(Small::filled(value, rank))
    }

    /// Row-major strides of an array of these dimensions. Saturates: where that happens the array has no
    /// elements.
    #[inline]
    pub(crate) fn strides(&self) -> Self {
        let mut strides = Self::filled(1, self.len());
        let mut step = 1_u64;
        for (stride, dim) in strides.iter_mut().zip(self.iter()).rev() {
            *stride = step;
            step = step.saturating_mul(*dim);
        }
        strides
    }

    /// Number of elements of an array of these dimensions, or `None` if it does not fit. One if there are
    /// none.
    #[inline]
    pub(crate) fn product(&self) -> Option<u64> {
        let mut product = Some(1_u64);
        for &dim in self.iter() {
            if dim == 0 {
                return Some(0);
            }
            product = product.and_then(|p| p.checked_mul(dim));
        }
        product
    }
}

impl Deref for Dims {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        &self.0
    }
}

impl DerefMut for Dims {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.0
    }
}

impl PartialEq for Dims {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl Eq for Dims {}

impl fmt::Debug for Dims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self[..], f)
    }
}

impl TryFrom<&[u64]> for Dims {
    type Error = SelectionError;

    fn try_from(values: &[u64]) -> Result<Self, SelectionError> {
        Self::new(values)
    }
}

/// The current dimensions of a dataspace whose number of elements fits in 64 bits.
///
/// No dimensions mean a scalar: one element. Dimensions of size zero are allowed and mean no elements.
#[derive(Clone, PartialEq, Eq)]
pub struct Extent {
    dims: Dims,
    count: u64,
}

impl Extent {
    /// The extent of these dimensions.
    #[inline]
    pub fn new(dims: &[u64]) -> Result<Self, SelectionError> {
        let dims = Dims::new(dims)?;
        let count = dims.product().ok_or(SelectionError::ExtentOverflow)?;
        Ok(Self { dims, count })
    }

    /// The extent of a scalar dataspace.
    pub fn scalar() -> Self {
        Self { dims: Dims::of(&[]), count: 1 }
    }

    /// The sizes.
    #[inline]
    pub fn dims(&self) -> &Dims {
        &self.dims
    }

    /// How many dimensions there are.
    #[inline]
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// How many elements there are.
    #[inline]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Distance, in elements, between neighbours along each dimension (row-major; without meaning if there
    /// are no elements).
    #[inline]
    pub fn strides(&self) -> Dims {
        self.dims.strides()
    }

    /// Checks that a list has one entry per dimension.
    #[inline]
    pub(crate) fn check_rank(&self, found: usize) -> Result<(), SelectionError> {
        if found == self.rank() {
            Ok(())
        } else {
            Err(SelectionError::RankMismatch { expected: self.rank(), found })
        }
    }
}

impl fmt::Debug for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Extent{:?}", self.dims)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_strides() {
        assert_eq!(Extent::scalar().count(), 1);
        assert_eq!(Extent::new(&[]).unwrap(), Extent::scalar());
        let extent = Extent::new(&[2, 3, 4]).unwrap();
        assert_eq!((extent.count(), &extent.strides()[..]), (24, &[12, 4, 1][..]));
        assert_eq!(Extent::new(&[u64::MAX, 0, u64::MAX]).unwrap().count(), 0);
        assert_eq!(Extent::new(&[u64::MAX, 1]).unwrap().count(), u64::MAX);
    }

    #[test]
    fn overflow_and_rank_are_errors() {
        assert_eq!(Extent::new(&[1 << 32, 1 << 32]), Err(SelectionError::ExtentOverflow));
        assert_eq!(Extent::new(&[1; 33]), Err(SelectionError::RankTooLarge { rank: 33 }));
        assert_eq!(Extent::new(&[1; 32]).unwrap().count(), 1);
    }
}
