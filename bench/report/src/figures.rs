//! Figures as text: three digits that matter, and a unit.

use crate::{About, Library, Measured, RatioOf, Spread, Unit};

/// Of one pass that took so many seconds: a rate, or the time of a call.
pub(crate) fn speed(measured: &Measured, seconds: f64) -> String {
    match measured.unit {
        Unit::Rate => format!("{} GB/s", three_digits(rate(measured, seconds))),
        Unit::PerCall => duration(per_call(measured, seconds)),
    }
}

/// Of native HDF5 and of bypass.
pub(crate) fn speeds(measured: &Measured) -> [String; 2] {
    [&measured.native, &measured.bypass].map(|times| speed(measured, times.seconds.median))
}

/// The same as GB/s, without the unit.
pub(crate) fn rates(measured: &Measured) -> [String; 2] {
    [&measured.native, &measured.bypass].map(|times| three_digits(rate(measured, times.seconds.median)))
}

/// GB/s
#[expect(clippy::cast_precision_loss, reason = "three digits of it are shown")]
pub(crate) fn rate(measured: &Measured, seconds: f64) -> f64 {
    measured.bytes as f64 / seconds / 1e9
}

/// Seconds of one call.
#[expect(clippy::cast_precision_loss, reason = "three digits of it are shown")]
fn per_call(measured: &Measured, seconds: f64) -> f64 {
    seconds / measured.calls.max(1) as f64
}

/// Seconds, in the unit that suits them.
pub(crate) fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 1e-6 => (s * 1e9, "ns"),
        s if s < 1e-3 => (s * 1e6, "us"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    format!("{} {unit}", three_digits(value))
}

/// How many times as fast.
pub(crate) fn ratio(value: f64) -> String {
    three_digits(value)
}

/// The middle half of a ratio.
pub(crate) fn ratios(spread: &Spread) -> String {
    format!("{}..{}", ratio(spread.low), ratio(spread.high))
}

/// The middle half of a share.
pub(crate) fn percents(spread: &Spread) -> String {
    format!("{:.0}..{}", spread.low * 100.0, percent(spread.high))
}

/// A share of 1.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// Bytes, in the unit that suits them.
#[expect(clippy::cast_precision_loss, reason = "three digits of it are shown")]
pub(crate) fn bytes(count: u64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut value = count as f64;
    let mut unit = 0;
    // What would be shown as 1024 of a unit is 1.00 of the next.
    while value >= 1023.5 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 || value.fract() == 0.0 {
        return format!("{value:.0} {}", units[unit]);
    }
    format!("{} {}", three_digits(value), units[unit])
}

/// 0.123, 1.23, 12.3, 123, 1234.
pub(crate) fn three_digits(value: f64) -> String {
    // The bounds are where rounding would give one digit more.
    match value.abs() {
        v if !v.is_finite() => "-".to_owned(),
        v if v < 0.0995 => format!("{value:.3}"),
        v if v < 9.995 => format!("{value:.2}"),
        v if v < 99.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// "1 thread", "2 threads".
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Processor, memory and system.
pub(crate) fn machine(about: &About) -> String {
    let About { processor, cores, memory, system, file_system, .. } = about;
    let cores = counted(*cores as usize, "core", "cores");
    format!("{processor}, {cores}, {} of memory, {system}, {file_system}", bytes(*memory))
}

/// The copies of libhdf5.
pub(crate) fn libraries(about: &About) -> String {
    let named = about.libraries.iter().map(|Library { name, version, is_thread_safe }| {
        format!("HDF5 {version} of {name}{}", if *is_thread_safe { ", thread-safe" } else { "" })
    });
    named.collect::<Vec<_>>().join("; ")
}

/// How much data was measured with.
pub(crate) fn extent(about: &About) -> String {
    match (&about.file, about.ratio_of) {
        (None, _) => format!("most datasets of {} MiB", about.mebibytes),
        // A program that reads what it likes.
        (Some(_), RatioOf::Medians) => format!("datasets of up to {} MiB", about.mebibytes),
        (Some(_), RatioOf::Rounds) => format!("at most {} MiB of each dataset", about.mebibytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_also_where_rounding_gives_one_more() {
        let cases = [
            (0.004, "0.004"),
            (0.0994, "0.099"),
            (0.0999, "0.10"),
            (0.7, "0.70"),
            (9.994, "9.99"),
            (9.996, "10.0"),
            (99.94, "99.9"),
            (99.96, "100"),
            (1234.4, "1234"),
            (f64::NAN, "-"),
            (f64::INFINITY, "-"),
        ];
        for (value, expected) in cases {
            assert_eq!(three_digits(value), expected, "{value}");
        }
    }

    #[test]
    fn units_suit_the_figure() {
        assert_eq!(duration(64e-9), "64.0 ns");
        assert_eq!(duration(1.5e-6), "1.50 us");
        assert_eq!(duration(0.25), "250 ms");
        assert_eq!(duration(3.0), "3.00 s");
        assert_eq!(bytes(0), "0 bytes");
        assert_eq!(bytes(1023), "1023 bytes");
        assert_eq!(bytes(1024), "1 KiB");
        assert_eq!(bytes(1_048_575), "1.00 MiB");
        assert_eq!(bytes(6_500_000), "6.20 MiB");
        assert_eq!(bytes(8 << 30), "8 GiB");
        assert_eq!(percent(1.044), "104 %");
    }
}
