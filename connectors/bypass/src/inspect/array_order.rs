//! Coordinates of chunks in an extensible array.
//!
//! HDF5 stores the chunks of a dataset with one unlimited dimension in an array. They are ordered as if that dimension were
//! the first, so that the array grows at its end. But HDF5 reports them as if the dimensions were in their own order
//! (`H5D__earray_idx_iterate_cb` in 1.14 to 2.2 does not undo what `H5D__earray_idx_insert` did). The reported coordinates are
//! wrong, but the position in the array follows from them, and from that the right coordinates.

/// How chunks are ordered in the array of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArrayOrder {
    /// The unlimited dimension.
    growing: usize,
    /// How many chunks there can be along each dimension; that of the unlimited one is not used.
    most: Vec<u64>,
}

impl ArrayOrder {
    /// The order of chunks of this size in a dataset of this largest extent, in which `u64::MAX` is unlimited. `None`
    /// if not exactly one dimension is.
    pub(crate) fn new(largest: &[u64], chunk: &[u64]) -> Option<Self> {
        let mut unlimited = (0..largest.len()).filter(|&d| largest[d] == u64::MAX);
        let growing = unlimited.next()?;
        if unlimited.next().is_some() || largest.len() != chunk.len() || chunk.contains(&0) {
            return None;
        }
        let most = largest.iter().zip(chunk).map(|(largest, chunk)| largest.div_ceil(*chunk)).collect();
        Some(Self { growing, most })
    }

    /// Turns what HDF5 says about a chunk, in numbers of chunks along each dimension, into its coordinates. `None` if
    /// it cannot be.
    pub(crate) fn correct(&self, scaled: &mut [u64]) -> Option<()> {
        if scaled.len() != self.most.len() || scaled[..self.growing].iter().any(|&before| before != 0) {
            return None;
        }
        let mut place = scaled[self.growing];
        for (&most, &behind) in self.most.iter().zip(&*scaled).skip(self.growing + 1) {
            place = place.checked_mul(most)?.checked_add(behind)?;
        }
        for d in (0..scaled.len()).rev().filter(|&d| d != self.growing) {
            scaled[d] = place.checked_rem(self.most[d])?;
            place /= self.most[d];
        }
        scaled[self.growing] = place;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What HDF5 does: inserts at the place in the swizzled order, and counts through the array in the natural one.
    fn as_told(order: &ArrayOrder, right: &[u64]) -> Vec<u64> {
        let others = (0..right.len()).filter(|&d| d != order.growing);
        let place = others.fold(right[order.growing], |place, d| place * order.most[d] + right[d]);
        let mut told = vec![0; right.len()];
        let mut rest = place;
        for d in (order.growing + 1..right.len()).rev() {
            told[d] = rest % order.most[d];
            rest /= order.most[d];
        }
        told[order.growing] = rest;
        told
    }

    #[test]
    fn what_is_told_becomes_right() {
        for growing in 0..3 {
            let mut largest = [50, 70, 30];
            largest[growing] = u64::MAX;
            let order = ArrayOrder::new(&largest, &[10, 7, 20]).unwrap();
            assert_eq!(order.growing, growing);
            for right in (0..5 * 10 * 2).map(|n| [n % 5, n / 5 % 10, n / 50]) {
                let mut scaled = as_told(&order, &right);
                order.correct(&mut scaled).unwrap();
                assert_eq!(scaled, right, "{growing}");
            }
        }
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(ArrayOrder::new(&[5, 5], &[1, 1]), None);
        assert_eq!(ArrayOrder::new(&[u64::MAX, u64::MAX], &[1, 1]), None);
        assert_eq!(ArrayOrder::new(&[u64::MAX], &[1, 1]), None);
        assert_eq!(ArrayOrder::new(&[u64::MAX], &[0]), None);
        let order = ArrayOrder::new(&[5, u64::MAX, 5], &[1, 1, 1]).unwrap();
        assert_eq!(order.correct(&mut [1, 0, 0]), None);
        assert_eq!(order.correct(&mut [0, u64::MAX, 0]), None);
        let empty = ArrayOrder::new(&[0, u64::MAX], &[1, 1]).unwrap();
        assert_eq!(empty.correct(&mut [0, 3]), None);
    }
}
