//! Sizes for people.

use std::fmt;

/// A number of bytes, written in the largest unit that gives at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bytes(pub(crate) u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let (mut whole, mut rest, mut unit) = (self.0, 0, None);
        for name in UNITS {
            if whole < 1024 {
                break;
            }
            (whole, rest, unit) = (whole / 1024, whole % 1024, Some(name));
        }
        let Some(unit) = unit else { return write!(f, "{whole} B") };
        // Truncated, not rounded: nothing is shown larger than it is.
        match rest * 10 / 1024 {
            0 => write!(f, "{whole} {unit}"),
            _ if whole >= 100 => write!(f, "{whole} {unit}"),
            tenths => write!(f, "{whole}.{tenths} {unit}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_the_unit_they_reach() {
        for (bytes, expected) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1 KiB"),
            (1536, "1.5 KiB"),
            (200 << 20, "200 MiB"),
            ((200 << 20) + (1 << 19), "200 MiB"),
            (u64::MAX, "15.9 EiB"),
        ] {
            assert_eq!(Bytes(bytes).to_string(), expected);
        }
    }
}
