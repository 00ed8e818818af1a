//! The median and the quartiles of a figure's samples.

use bench_report::Spread;

/// The median and the quartiles, as computed by Python's `statistics.quantiles`. `None` without samples. The quartiles of two
/// samples would be outside their range, so the samples themselves are used.
pub(super) fn spread(samples: &[f64]) -> Option<Spread> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (lowest, highest) = (*sorted.first()?, *sorted.last()?);
    let part = |quarter: usize| quartile(&sorted, quarter).clamp(lowest, highest);
    Some(Spread { low: part(1), median: part(2), high: part(3) })
}

/// A quartile, interpolated between two of the sorted samples.
fn quartile(sorted: &[f64], quarter: usize) -> f64 {
    let [_, .., _] = sorted else { return sorted[0] };
    let place = quarter * (sorted.len() + 1);
    let right = (place / 4).clamp(1, sorted.len() - 1);
    #[expect(clippy::cast_precision_loss, reason = "a number of rounds")]
    let weight = (place as f64 - 4.0 * right as f64) / 4.0;
    sorted[right - 1] * (1.0 - weight) + sorted[right] * weight
}

/// The ratio of two figures, round by round.
pub(super) fn ratio(over: &[f64], under: &[f64]) -> Option<Spread> {
    let ratios: Vec<_> = over.iter().zip(under).map(|(over, under)| over / under).collect();
    spread(&ratios)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(samples: &[f64], expected: [f64; 3]) {
        let Spread { low, median, high } = spread(samples).unwrap();
        let near = [low, median, high]
            .iter()
            .zip(expected)
            .all(|(found, expected)| (found - expected).abs() < 1e-12);
        assert!(near, "{low}, {median}, {high} instead of {expected:?}");
    }

    #[test]
    fn quartiles_are_those_of_python() {
        // statistics.quantiles(samples, n=4)
        assert_near(&[3.0, 1.0, 2.0], [1.0, 2.0, 3.0]);
        assert_near(&[4.0, 1.0, 2.0, 8.0], [1.25, 3.0, 7.0]);
        assert_near(&[5.0, 1.0, 9.0, 2.0, 7.0, 3.0, 11.0], [2.0, 5.0, 9.0]);
        assert_near(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0], [1.75, 6.0, 20.0]);
    }

    #[test]
    fn few_samples_are_not_left() {
        assert_near(&[7.0], [7.0; 3]);
        assert_near(&[3.0, 1.0], [1.0, 2.0, 3.0]);
        assert_eq!(spread(&[]), None);
    }

    #[test]
    fn ratios_are_of_rounds() {
        let ratios = ratio(&[4.0, 9.0, 10.0], &[2.0, 3.0, 10.0]).unwrap();
        assert!((ratios.median - 2.0).abs() < 1e-12 && (ratios.high - 3.0).abs() < 1e-12);
    }
}
