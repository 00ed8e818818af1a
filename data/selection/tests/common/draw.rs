//! Random numbers and coordinates, for the oracles of several crates.

/// Random numbers given by proptest; each draw takes the next.
pub(crate) struct Draw<'a> {
    numbers: &'a [u32],
    next: usize,
}

impl<'a> Draw<'a> {
    pub(crate) fn new(numbers: &'a [u32]) -> Self {
        Self { numbers, next: 0 }
    }

    /// A number from `low` to `high`, both inclusive.
    pub(crate) fn number(&mut self, low: u64, high: u64) -> u64 {
        let value = self.numbers[self.next % self.numbers.len()];
        // After they are used up, numbers repeat in another mixture.
        let value = u64::from(value).wrapping_mul(1 + 2 * (self.next / self.numbers.len()) as u64);
        self.next += 1;
        low + (value ^ (value >> 15)) % (high - low + 1)
    }

    pub(crate) fn size(&mut self, low: u64, high: u64) -> usize {
        size(self.number(low, high))
    }

    pub(crate) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.size(0, list.len() as u64 - 1)]
    }

    /// A number that divides another one.
    pub(crate) fn divisor(&mut self, of: u64) -> u64 {
        self.pick(&(1..=of).filter(|divisor| of.is_multiple_of(*divisor)).collect::<Vec<_>>())
    }

    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            list.swap(at, self.size(0, at as u64));
        }
    }
}

pub(crate) fn size(number: u64) -> usize {
    usize::try_from(number).unwrap()
}

pub(crate) fn linear(dims: &[u64], at: &[u64]) -> u64 {
    at.iter().zip(dims).fold(0, |sum, (x, dim)| sum * dim + x)
}

/// All coordinates of an extent in row-major order.
pub(crate) fn everywhere(dims: &[u64]) -> Vec<Vec<u64>> {
    let mut all = vec![vec![]];
    for &dim in dims {
        all = all.iter().flat_map(|at| (0..dim).map(move |x| [&at[..], &[x]].concat())).collect();
    }
    all
}

/// Some coordinates of an extent that has any.
pub(crate) fn walk(draw: &mut Draw<'_>, dims: &[u64]) -> Vec<Vec<u64>> {
    let all = everywhere(dims);
    let mut coordinates = vec![];
    let mut at = 0;
    for _ in 0..draw.number(0, 60) {
        // Half of them carry on from the last, some repeat it.
        at = match draw.number(0, 5) {
            0..=2 => (at + 1) % all.len(),
            3 => at,
            _ => draw.size(0, all.len() as u64 - 1),
        };
        coordinates.push(all[at].clone());
    }
    coordinates
}
