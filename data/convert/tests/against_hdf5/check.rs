//! Our conversions and HDF5's, side by side.

use convert::{Conversion, Datatype, HostTraits};

use crate::hdf5::{Host, Session};
use crate::make::make;
use crate::random::Random;

/// How a pair of datatypes fared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Both convert, with the same bytes.
    Same,
    /// HDF5 converts, and we leave it to it.
    LeftToHdf5,
    /// HDF5 refuses, and so do we.
    Refused,
    /// This version of HDF5 does not have one of the types.
    Unknown,
}

/// Elements of one type that are to become elements of another, and what we make of them.
pub(crate) struct Case<'a> {
    from: &'a Datatype,
    to: &'a Datatype,
    source: &'a [u8],
    /// What the destination holds before.
    background: Vec<u8>,
    /// For each kind of host.
    ours: Vec<(HostTraits, Option<Vec<u8>>)>,
}

impl<'a> Case<'a> {
    pub(crate) fn new(from: &'a Datatype, to: &'a Datatype, source: &'a [u8]) -> Self {
        let background = Random::new(0x5eed).bytes(source.len() / from.size * to.size);
        let mut case = Self { from, to, source, background, ours: Vec::new() };
        for host in Host::all() {
            if case.ours.iter().all(|(traits, _)| *traits != host.traits) {
                let conversion = Conversion::new(from, to, host.traits);
                case.ours.push((host.traits, conversion.map(|conversion| case.convert(&conversion))));
            }
        }
        case
    }

    /// What we make of the elements.
    fn convert(&self, conversion: &Conversion) -> Vec<u8> {
        let mut converted = self.background.clone();
        conversion.convert(self.source, &mut converted);
        self.check_that_all_is_written(conversion, &converted);
        converted
    }

    /// Whether a conversion that is said to write every byte does so: for the first elements, over other bytes.
    fn check_that_all_is_written(&self, conversion: &Conversion, ours: &[u8]) {
        let (from, to) = (self.from, self.to);
        if conversion.writes_all() {
            let count = (ours.len() / to.size).min(1000);
            let mut elsewhere: Vec<u8> =
                self.background[..count * to.size].iter().map(|byte| !byte).collect();
            conversion.convert(&self.source[..count * from.size], &mut elsewhere);
            assert!(elsewhere == ours[..count * to.size], "{from:?}\nto\n{to:?}\ndoes not write all");
        }
    }

    /// Converts the elements with HDF5.
    ///
    /// # Panics
    /// If the bytes differ, or if we convert what HDF5 refuses.
    pub(crate) fn check(&self, session: &Session) -> Answer {
        let (from, to) = (self.from, self.to);
        let (Some(from_type), Some(to_type)) = (make(session, from), make(session, to)) else {
            return Answer::Unknown;
        };
        let native = match from_type.convert(&to_type, self.source, &self.background) {
            Ok(native) => Some(native),
            // What the client itself refuses would say nothing about HDF5.
            Err(failure) => {
                assert_eq!(failure.message, "H5Tconvert failed", "{}", session.host);
                None
            }
        };
        let ours = self.ours.iter().find(|(traits, _)| *traits == session.traits);
        let (_, ours) = ours.expect("one of the hosts");
        let (ours, native) = match (ours, native) {
            (Some(ours), Some(native)) => (ours, native),
            (None, Some(_)) => return Answer::LeftToHdf5,
            (None, None) => return Answer::Refused,
            (Some(_), None) => panic!("{}: HDF5 does not convert\n{from:?}\nto\n{to:?}", session.host),
        };
        if let Some(index) = first_difference(ours, &native, to.size) {
            panic!(
                "{}: element {index} of\n{from:?}\nto\n{to:?}\nis {:02x?}, over {:02x?}:\n\
                 {:02x?} by HDF5,\n{:02x?} by us",
                session.host,
                element(self.source, from.size, index),
                element(&self.background, to.size, index),
                element(&native, to.size, index),
                element(ours, to.size, index),
            );
        }
        Answer::Same
    }
}

fn element(bytes: &[u8], size: usize, index: usize) -> &[u8] {
    &bytes[index * size..][..size]
}

/// The number of the first element that differs.
fn first_difference(left: &[u8], right: &[u8], size: usize) -> Option<usize> {
    if left == right {
        return None;
    }
    left.chunks(size).zip(right.chunks(size)).position(|(left, right)| left != right)
}
