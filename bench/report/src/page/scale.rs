//! Ratios on a logarithmic scale.

use crate::{Measured, Results};

/// Where the scale has a line, if it goes so far.
const LINES: [f64; 13] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0];

/// What the name of a line takes up of the width on a phone, in percent.
pub(super) const ROOM: f64 = 10.0;

/// From the least to the greatest ratio that is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    least: f64,
    greatest: f64,
}

impl Scale {
    /// For all rows, and at least from a half to twice as fast.
    pub(super) fn of(results: &Results) -> Self {
        let mut scale = Self { least: 0.5, greatest: 2.0 };
        for row in &results.rows {
            let Some(measured) = row.measured() else { continue };
            let asked = row.asked.ratio.into_iter();
            let figures = [measured.ratio.median, measured.ratio.low, measured.ratio.high].into_iter();
            for figure in figures.chain(asked).chain(limit_ratio(measured)).filter(|one| is_shown(*one)) {
                scale.least = scale.least.min(figure);
                scale.greatest = scale.greatest.max(figure);
            }
        }
        // A little room at both ends.
        Self { least: scale.least / 1.15, greatest: scale.greatest * 1.15 }
    }

    /// Percent of the width.
    pub(super) fn place(self, ratio: f64) -> f64 {
        let ratio = if ratio > 0.0 { ratio.clamp(self.least, self.greatest) } else { self.least };
        (ratio / self.least).ln() / (self.greatest / self.least).ln() * 100.0
    }

    pub(super) fn lines(self) -> impl Iterator<Item = f64> {
        LINES.into_iter().filter(move |line| self.least <= *line && *line <= self.greatest)
    }

    /// Those that are named: native HDF5's, and to both sides of it those that are far enough from the one before.
    pub(super) fn named_lines(self) -> Vec<f64> {
        let slower: Vec<f64> = self.lines().filter(|line| *line < 1.0).collect();
        let faster = self.lines().filter(|line| *line > 1.0);
        let mut named = vec![1.0];
        let mut before = self.place(1.0);
        for line in faster {
            if self.place(line) - before >= ROOM {
                before = self.place(line);
                named.push(line);
            }
        }
        before = self.place(1.0);
        for line in slower.into_iter().rev() {
            if before - self.place(line) >= ROOM {
                before = self.place(line);
                named.push(line);
            }
        }
        named
    }
}

/// How many times as fast as native HDF5 the limit is.
pub(super) fn limit_ratio(measured: &Measured) -> Option<f64> {
    let limit = measured.limit.as_ref()?;
    Some(measured.native.seconds.median / limit.seconds.median).filter(|ratio| is_shown(*ratio))
}

/// Whether a figure has a place on the scale. What is more than a thousand times as fast or as slow does not stretch it.
fn is_shown(ratio: f64) -> bool {
    (0.001..=1000.0).contains(&ratio)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_as_fast_is_as_far_from_native_as_half_as_fast() {
        let scale = Scale { least: 0.25, greatest: 16.0 };
        let [half, one, two] = [0.5, 1.0, 2.0].map(|ratio| scale.place(ratio));
        assert!((two - one - (one - half)).abs() < 1e-9);
        let ends = [0.25, 16.0, 0.0, -1.0, 1e9].map(|ratio| format!("{:.1}", scale.place(ratio)));
        assert_eq!(ends, ["0.0", "100.0", "0.0", "0.0", "100.0"]);
        assert_eq!(scale.lines().collect::<Vec<_>>(), [0.5, 1.0, 2.0, 5.0, 10.0]);
    }
    #[test]
    fn names_of_lines_do_not_overlap() {
        let named = |least, greatest| Scale { least, greatest }.named_lines();
        assert_eq!(named(0.4, 10.0), [1.0, 2.0, 5.0, 10.0, 0.5]);
        assert_eq!(named(0.01, 100.0), [1.0, 5.0, 20.0, 100.0, 0.2, 0.05, 0.01]);
    }
}
