//! Numbers and codes by chance, the same ones each time.

/// Numbers that look arbitrary.
pub(super) struct Random(fastrand::Rng);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// A number below this one.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0.usize(..limit)
    }

    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(super) fn byte(&mut self) -> u8 {
        self.0.u8(..)
    }

    pub(super) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// Lengths of codes for these symbols, all others without one: a complete code, or, for a single symbol, one bit.
    /// It is made of one without bits, which is split again and again; the `deeper`, the more often where it is long.
    pub(super) fn code(&mut self, symbols: &[usize], longest: u8, deeper: usize) -> Vec<u8> {
        let mut leaves = vec![u8::from(symbols.len() == 1)];
        while leaves.len() < symbols.len() {
            let may_split = |leaf: &usize| leaves[*leaf] < longest;
            let tries: Vec<usize> =
                (0..=deeper).map(|_| self.below(leaves.len())).filter(may_split).collect();
            if let Some(leaf) = tries.into_iter().max_by_key(|&leaf| leaves[leaf]) {
                leaves[leaf] += 1;
                leaves.push(leaves[leaf]);
            }
        }
        let count = symbols.iter().max().map_or(0, |last| last + 1);
        let mut lengths = vec![0; count];
        for &symbol in symbols {
            let leaf = self.below(leaves.len());
            lengths[symbol] = leaves.swap_remove(leaf);
        }
        lengths
    }

    /// Some of these, at least one.
    pub(super) fn some(&mut self, of: core::ops::Range<usize>) -> Vec<usize> {
        let times = 1 + self.below(6);
        let mut chosen: Vec<usize> = of.clone().filter(|_| self.once_in(times)).collect();
        if chosen.is_empty() {
            chosen.push(of.start + self.below(of.len()));
        }
        chosen
    }
}
