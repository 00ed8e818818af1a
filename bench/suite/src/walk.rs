//! The numbers that are written and read: a random walk in small steps. It compresses like measured data, to about a third
//! with shuffle and gzip.

use crate::random::Random;

/// The numbers are multiples of this.
const STEP: f64 = 1.0 / 64.0;
/// The standard deviation of the difference between two numbers.
const SPREAD: f64 = 0.25;
/// The seed. How well floats compress depends on how far the walk goes. At the usual sizes, this one compresses within 2 % of
/// the data that the targets were set with.
const SEED: u64 = 33;
/// The random bits of a step: four numbers of 12 bits each. Then the mean and the standard deviation of their sum.
const BITS: u64 = 48;
const MEAN: f64 = 4.0 * 4095.0 / 2.0;
const DEVIATION: f64 = 2364.8266;

/// An endless walk, the same every time.
#[derive(Debug, Clone)]
pub(crate) struct Walk {
    random: Random,
    place: f64,
}

impl Walk {
    pub(crate) fn new() -> Self {
        Self { random: Random::new(SEED), place: 0.0 }
    }

    /// The next number, not rounded.
    pub(crate) fn next_place(&mut self) -> f64 {
        self.place += (f64::from(four_added(self.random.below(1 << BITS))) - MEAN) * (SPREAD / DEVIATION);
        self.place
    }

    /// The next number, rounded and counted in steps.
    pub(crate) fn next_steps(&mut self) -> f64 {
        (self.next_place() / STEP).round_ties_even()
    }

    /// The next number, rounded.
    pub(crate) fn next_rounded(&mut self) -> f64 {
        self.next_steps() * STEP
    }

    /// The next number as a 16-bit integer, counted in steps. It wraps around if it is too large.
    pub(crate) fn next_short(&mut self) -> i16 {
        #[expect(clippy::cast_possible_truncation, reason = "it is between -30000 and 30000")]
        let short = ((self.next_place() / STEP).rem_euclid(60_000.0) - 30_000.0) as i16;
        short
    }

    /// Skips this many numbers.
    pub(crate) fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.next_place();
        }
    }

    /// Fills memory with floats.
    pub(crate) fn floats(&mut self, memory: &mut [u8]) {
        #[expect(clippy::cast_possible_truncation, reason = "rounded as they are, few need more digits")]
        fill(memory, || (self.next_rounded() as f32).to_le_bytes());
    }

    /// Fills memory with floats that are not rounded: their low bytes are noise, as those of most measurements and of what is
    /// computed are.
    pub(crate) fn noisy_floats(&mut self, memory: &mut [u8]) {
        #[expect(clippy::cast_possible_truncation, reason = "as precise as floats are")]
        fill(memory, || (self.next_place() as f32).to_le_bytes());
    }

    /// Fills memory with doubles.
    pub(crate) fn doubles(&mut self, memory: &mut [u8]) {
        fill(memory, || self.next_rounded().to_le_bytes());
    }

    /// Fills memory with 32-bit integers, counted in steps.
    pub(crate) fn integers(&mut self, memory: &mut [u8]) {
        #[expect(clippy::cast_possible_truncation, reason = "a walk does not get that far")]
        fill(memory, || (self.next_steps() as i32).to_le_bytes());
    }
}

/// Fills memory, element by element. A rest at the end that is smaller than an element is not changed.
pub(crate) fn fill<const SIZE: usize>(memory: &mut [u8], mut next: impl FnMut() -> [u8; SIZE]) {
    for element in memory.as_chunks_mut().0 {
        *element = next();
    }
}

/// The sum of the four parts of a random number. It is approximately normally distributed.
fn four_added(random: u64) -> u32 {
    let part = |number: u64| u32::try_from(random >> (12 * number) & 0xfff).unwrap_or_default();
    part(0) + part(1) + part(2) + part(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: u32 = 1 << 20;

    /// Distances between neighbours.
    fn distances() -> Vec<f64> {
        let mut walk = Walk::new();
        let mut last = 0.0;
        let distance = |_| {
            let place = walk.next_place();
            place - std::mem::replace(&mut last, place)
        };
        (0..COUNT).map(distance).collect()
    }

    #[test]
    fn distances_are_spread_like_a_normal_distribution() {
        let (distances, count) = (distances(), f64::from(COUNT));
        let moment = |power| distances.iter().map(|distance| distance.powi(power)).sum::<f64>() / count;
        assert!(moment(1).abs() < 1e-3, "the mean is {}", moment(1));
        assert!((moment(2).sqrt() / SPREAD - 1.0).abs() < 0.01, "the deviation is {}", moment(2).sqrt());
        let within = distances.iter().filter(|distance| distance.abs() < SPREAD).count();
        #[expect(clippy::cast_precision_loss, reason = "it is small")]
        let share = within as f64 / count;
        assert!((share - 0.683).abs() < 0.02, "{share} are within one deviation");
    }

    #[test]
    fn neighbours_have_nothing_to_do_with_each_other() {
        let distances = distances();
        let products = distances.iter().zip(&distances[1..]).map(|(a, b)| a * b).sum::<f64>();
        let correlation = products / f64::from(COUNT) / SPREAD.powi(2);
        assert!(correlation.abs() < 0.01, "{correlation}");
    }

    #[test]
    fn all_kinds_are_the_same_walk() {
        let (mut floats, mut doubles, mut integers) = (vec![0; 4000], vec![0; 8000], vec![0; 4000]);
        Walk::new().floats(&mut floats);
        Walk::new().doubles(&mut doubles);
        Walk::new().integers(&mut integers);
        let mut other = Walk::new();
        for ((float, double), integer) in
            floats.as_chunks().0.iter().zip(doubles.as_chunks().0).zip(integers.as_chunks().0)
        {
            let double = f64::from_le_bytes(*double);
            let (float, integer) = (f32::from_le_bytes(*float), i32::from_le_bytes(*integer));
            assert!((f64::from(float) - double).abs() < 1e-9);
            assert!((f64::from(integer) * STEP - double).abs() < 1e-9);
            assert!((other.next_place() - double).abs() <= STEP / 2.0);
        }
        let mut skipped = Walk::new();
        skipped.skip(1000);
        assert_eq!(skipped.next_place().to_bits(), other.next_place().to_bits());
    }

    #[test]
    fn noisy_floats_have_noise_in_their_low_bytes() {
        let (mut floats, mut noisy) = (vec![0; 40_000], vec![0; 40_000]);
        Walk::new().floats(&mut floats);
        Walk::new().noisy_floats(&mut noisy);
        let mut seen = [false; 256];
        for (float, other) in floats.as_chunks().0.iter().zip(noisy.as_chunks().0) {
            let distance = f32::from_le_bytes(*float) - f32::from_le_bytes(*other);
            assert!(f64::from(distance).abs() <= STEP);
            seen[usize::from(other[0])] = true;
        }
        assert!(seen.iter().all(|seen| *seen));
    }

    #[test]
    fn shorts_turn_around_at_their_ends() {
        let mut walk = Walk { place: 60_000.0 * STEP, ..Walk::new() };
        let shorts: Vec<i16> = (0..1000).map(|_| walk.next_short()).collect();
        assert!(shorts.iter().all(|short| (-30_000..=30_000).contains(short)));
        assert!(shorts.iter().any(|&short| short < -29_000) && shorts.iter().any(|&short| short > 29_000));
    }
}
