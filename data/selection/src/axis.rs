//! One loop of a nest: elements along one direction, in blocks.
//!
//! A regular hyperslab along one dimension is a series of equal blocks. Cut to a window (a chunk) the first
//! and last block may be partial; the first is described, the last follows from the number of elements. Ranks
//! advance by the same step from element to element whatever the blocks are, because each element carries the
//! same number of inner elements.

/// `n` elements along one direction: `first` in the first block, `block` in each further one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Axis {
    /// Elements.
    pub(crate) n: u64,
    /// Elements in the first block. Equal to `n` for an even axis: all steps the same.
    pub(crate) first: u64,
    /// Elements in the blocks after the first.
    pub(crate) block: u64,
    /// Offset from an element to the next in the same block.
    pub(crate) step: u64,
    /// Offset from the last element of a block to the first of the next.
    pub(crate) jump: u64,
    /// Rank from an element to the next.
    pub(crate) rank_step: u64,
}

/// Where element `i` of an axis is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    /// Offset from element 0.
    pub(crate) offset: u64,
    /// Elements left in its block, itself included.
    pub(crate) in_block: u64,
}

impl Axis {
    /// All steps the same?
    #[inline]
    pub(crate) fn is_even(&self) -> bool {
        self.first == self.n
    }

    /// Offset between the starts of full blocks.
    #[inline]
    pub(crate) fn period(&self) -> u64 {
        (self.block - 1) * self.step + self.jump
    }

    /// Offset from the first element to the start of the second block.
    #[inline]
    pub(crate) fn lead(&self) -> u64 {
        (self.first - 1) * self.step + self.jump
    }

    /// Makes axes that have equal steps even, whatever blocks they were described in.
    #[inline]
    pub(crate) fn even_out(&mut self) {
        if self.first >= self.n || self.jump == self.step {
            self.first = self.n;
            self.block = self.n;
            self.jump = self.step;
        } else if self.first == 1 && (self.block == 1 || self.n == 2) {
            self.step = self.jump;
            self.first = self.n;
            self.block = self.n;
        }
    }

    /// Finds element `index`.
    #[inline]
    pub(crate) fn spot(&self, index: u64) -> Spot {
        if index < self.first {
            return Spot { offset: index * self.step, in_block: self.first - index };
        }
        let index = index - self.first;
        let (blocks, within) = (index / self.block, index % self.block);
        Spot {
            offset: self.lead() + blocks * self.period() + within * self.step,
            in_block: self.block - within,
        }
    }

    /// Takes an even inner axis into this one if the two are one series of elements.
    #[inline]
    pub(crate) fn absorb(&mut self, inner: &Axis) -> bool {
        // The inner axis lies inside one element of this one, so its span fits.
        if !inner.is_even()
            || self.step != inner.n * inner.step
            || self.rank_step != inner.n * inner.rank_step
        {
            return false;
        }
        self.n *= inner.n;
        self.first *= inner.n;
        self.block = if self.first == self.n { self.n } else { self.block * inner.n };
        self.jump = self.jump - self.step + inner.step;
        self.step = inner.step;
        self.rank_step = inner.rank_step;
        true
    }
}
