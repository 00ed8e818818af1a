//! A span as it is kept: 32 bytes.

use std::array;

use crate::kind::Kind;
use crate::label::Label;

/// Something that took time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) kind: Kind,
    pub(crate) label: Label,
    /// How many calls if it is several, else how many things it is about.
    pub(crate) count: u16,
    /// How many of several calls HDF5 has done.
    pub(crate) passed_on: u16,
    /// Why HDF5 does it.
    pub(crate) reason: Label,
    /// At most [`MOST_BYTES`].
    pub(crate) bytes: u64,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// What does not fit 40 bits is cut to this: a terabyte.
const MOST_BYTES: u64 = (1 << 40) - 1;

impl Record {
    /// What is known about most of them.
    pub(crate) fn new(kind: Kind, label: Label, start: u64, end: u64) -> Self {
        Self { kind, label, count: 0, passed_on: 0, reason: Label::NONE, bytes: 0, start, end }
    }

    pub(crate) fn packed(self) -> [u64; 4] {
        let what = self.kind as u64
            | u64::from(self.label.number()) << 8
            | u64::from(self.count) << 32
            | u64::from(self.passed_on) << 48;
        let bytes = self.bytes.min(MOST_BYTES) | u64::from(self.reason.number()) << 40;
        [self.start, self.end, bytes, what]
    }

    pub(crate) fn unpacked([start, end, bytes, what]: [u64; 4]) -> Option<Self> {
        let what = what.to_le_bytes();
        let label = |of: [u8; 8], from: usize| {
            let bytes = array::from_fn(|place| if place < 3 { of[from + place] } else { 0 });
            Label::from_number(u32::from_le_bytes(bytes))
        };
        Some(Self {
            kind: *Kind::ALL.get(usize::from(what[0]))?,
            label: label(what, 1),
            count: u16::from_le_bytes([what[4], what[5]]),
            passed_on: u16::from_le_bytes([what[6], what[7]]),
            reason: label(bytes.to_le_bytes(), 5),
            bytes: bytes & MOST_BYTES,
            start,
            end,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost() {
        for (kind, label) in Kind::ALL.into_iter().zip([0, 1, 255, 256, 0x00ff_ffff].into_iter().cycle()) {
            let record = Record {
                kind,
                label: Label::from_number(label),
                count: 65535,
                passed_on: 4711,
                reason: Label::from_number(0x00ff_ffff - label),
                bytes: MOST_BYTES - 7,
                start: 5,
                end: u64::MAX - 1,
            };
            assert_eq!(Record::unpacked(record.packed()), Some(record));
        }
        assert_eq!(Record::unpacked([0, 0, 0, 255]), None);
        let huge = Record { bytes: u64::MAX, ..Record::new(Kind::Read, Label::NONE, 1, 2) };
        assert_eq!(Record::unpacked(huge.packed()).map(|record| record.bytes), Some(MOST_BYTES));
    }
}
