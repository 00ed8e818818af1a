//! A worker's samples as the figures of a row.

use bench_report::{Measured, Peak, Proof, Spread, Times};

use super::spread;
use crate::{Finished, Samples};

/// Shorter times count as this, so that a ratio never divides by zero.
const SHORTEST: f64 = 1e-9;

/// Computes the figures, or says what is wrong with the samples.
pub fn measured(finished: &Finished, peak: Option<Peak>, proof: Proof) -> Result<Measured, String> {
    let rounds = finished.native.seconds.len();
    let native = checked("native", &finished.native, rounds)?;
    let bypass = checked("bypass", &finished.bypass, rounds)?;
    let limit = finished.limit.as_ref().map(|limit| checked("the limit", limit, rounds)).transpose()?;
    let share = limit.as_ref().map(|limit| ratio(&limit.seconds, &bypass.seconds)).transpose()?;
    Ok(Measured {
        bytes: finished.bytes,
        calls: finished.calls.max(1),
        unit: finished.unit,
        native: times(&native)?,
        bypass: times(&bypass)?,
        limit: limit.as_ref().map(times).transpose()?,
        ratio: ratio(&native.seconds, &bypass.seconds)?,
        cpu_ratio: ratio(&native.cpu, &bypass.cpu)?,
        share,
        peak,
        sizes: finished.sizes,
        proof,
    })
}

/// Checks that there is a valid time for each round, and replaces those that are too short.
fn checked(name: &str, samples: &Samples, rounds: usize) -> Result<Samples, String> {
    if samples.seconds.len() != rounds || samples.cpu.len() != rounds {
        return Err(format!("the worker sent a different number of samples for {name} than for native HDF5"));
    }
    let mut samples = samples.clone();
    for seconds in samples.seconds.iter_mut().chain(&mut samples.cpu) {
        if !seconds.is_finite() || *seconds < 0.0 {
            return Err(format!("the worker sent invalid times for {name}"));
        }
        *seconds = seconds.max(SHORTEST);
    }
    Ok(samples)
}

fn times(samples: &Samples) -> Result<Times, String> {
    let spread = |seconds| spread::spread(seconds).ok_or_else(nothing);
    Ok(Times { seconds: spread(&samples.seconds)?, cpu: spread(&samples.cpu)? })
}

fn ratio(over: &[f64], under: &[f64]) -> Result<Spread, String> {
    spread::ratio(over, under).ok_or_else(nothing)
}

fn nothing() -> String {
    "the worker sent no samples".into()
}

#[cfg(test)]
mod tests {
    use bench_report::Unit;

    use super::*;

    fn samples(seconds: &[f64]) -> Samples {
        Samples { seconds: seconds.to_vec(), cpu: seconds.iter().map(|seconds| seconds * 2.0).collect() }
    }

    fn finished(native: &[f64], bypass: &[f64], limit: Option<&[f64]>) -> Finished {
        Finished {
            bytes: 100,
            calls: 0,
            unit: Unit::Rate,
            native: samples(native),
            bypass: samples(bypass),
            limit: limit.map(samples),
            sizes: None,
        }
    }

    #[test]
    fn ratios_and_shares_go_the_right_way() {
        let finished = finished(&[4.0, 6.0, 8.0], &[2.0, 2.0, 2.0], Some(&[1.0, 1.0, 1.0]));
        let measured = measured(&finished, None, Proof::Bypassed).unwrap();
        assert!((measured.ratio.median - 3.0).abs() < 1e-12);
        assert!((measured.share.unwrap().median - 0.5).abs() < 1e-12);
        assert!((measured.native.cpu.median - 12.0).abs() < 1e-12);
        assert_eq!(measured.calls, 1, "nobody divides by zero");
    }

    #[test]
    fn times_too_short_to_measure_give_no_infinite_ratio() {
        for (native, bypass) in [([0.0], [0.0]), ([1.0], [0.0])] {
            let measured = measured(&finished(&native, &bypass, None), None, Proof::Bypassed).unwrap();
            assert!(measured.ratio.median.is_finite() && measured.cpu_ratio.high.is_finite());
        }
    }

    #[test]
    fn samples_that_make_no_sense_are_refused() {
        let good = [1.0, 1.0];
        for (bad, why) in [
            (finished(&good, &[1.0], None), "different number"),
            (finished(&good, &good, Some(&[1.0])), "different number"),
            (finished(&good, &[1.0, f64::INFINITY], None), "invalid times"),
            (finished(&[1.0, -1.0], &good, None), "invalid times"),
            (finished(&[], &[], None), "no samples"),
        ] {
            let error = measured(&bad, None, Proof::Bypassed).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
