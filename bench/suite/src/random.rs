//! Pseudo-random numbers for data and for positions in a dataset. They are the same in every run.

/// A sequence of numbers (SplitMix64).
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// The sequence with this seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64-bit number.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// The next number below `end`, or 0 if there is none.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next().checked_rem(end).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_below() {
        let mut random = Random::new(1);
        let numbers: Vec<u64> = (0..1000).map(|_| random.below(10)).collect();
        assert!((0..10).all(|number| numbers.contains(&number)) && numbers.iter().all(|&number| number < 10));
        assert_eq!(random.below(0), 0);
    }
}
