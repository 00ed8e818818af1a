//! Calls over time: as many spans as fit on a page, which grow with the time that has passed.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use h5_vol::Callback;
use serde::Serialize;

use crate::counters::{Direction, nanoseconds};

/// The greatest number of spans.
const MOST: usize = 120;
/// The length of a span at first, in nanoseconds.
const SHORTEST: u64 = 1_000_000;

/// What kind of call it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Write,
    /// Files, groups, links, attributes and all that is asked about them.
    Other,
}

impl Kind {
    /// The kind of a callback. Those that HDF5 makes around others, for itself, have none.
    pub(crate) fn of(callback: Callback) -> Option<Self> {
        match callback {
            Callback::DatasetRead => Some(Self::Read),
            Callback::DatasetWrite => Some(Self::Write),
            Callback::Initialize
            | Callback::Terminate
            | Callback::InfoCopy
            | Callback::InfoCompare
            | Callback::InfoFree
            | Callback::InfoToString
            | Callback::InfoFromString
            | Callback::GetObject
            | Callback::GetWrapContext
            | Callback::WrapObject
            | Callback::UnwrapObject
            | Callback::FreeWrapContext => None,
            _ => Some(Self::Other),
        }
    }
}

/// What began in a span of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Span {
    pub(crate) reads: u64,
    pub(crate) writes: u64,
    pub(crate) others: u64,
    pub(crate) bytes_read: u64,
    pub(crate) bytes_written: u64,
}

impl Span {
    fn add(&mut self, other: &Self) {
        self.reads += other.reads;
        self.writes += other.writes;
        self.others += other.others;
        self.bytes_read = self.bytes_read.saturating_add(other.bytes_read);
        self.bytes_written = self.bytes_written.saturating_add(other.bytes_written);
    }

    /// All calls.
    pub(crate) fn calls(&self) -> u64 {
        self.reads + self.writes + self.others
    }
}

/// The spans from the first call on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Spans {
    /// The length of each.
    pub(crate) span_ns: u64,
    pub(crate) spans: Vec<Span>,
}

impl Spans {
    fn at(&mut self, ns: u64) -> &mut Span {
        let mut place = ns / self.span_ns;
        while place >= MOST as u64 {
            let pairs = self.spans.chunks(2).map(|pair| {
                let mut both = pair[0];
                pair.get(1).inspect(|second| both.add(second));
                both
            });
            self.spans = pairs.collect();
            self.span_ns = self.span_ns.saturating_mul(2);
            place = ns / self.span_ns;
        }
        let place = usize::try_from(place).unwrap_or(MOST - 1);
        if place >= self.spans.len() {
            self.spans.resize(place + 1, Span::default());
        }
        &mut self.spans[place]
    }
}

/// Counts calls over time. Threads of several hosts may do it at the same time.
#[derive(Debug)]
pub(crate) struct Timeline {
    start: Instant,
    spans: Mutex<Spans>,
}

impl Timeline {
    pub(crate) fn new() -> Self {
        Self { start: Instant::now(), spans: Mutex::new(Spans { span_ns: SHORTEST, spans: Vec::new() }) }
    }

    fn with(&self, at: Instant, change: impl FnOnce(&mut Span)) {
        let ns = nanoseconds(at.saturating_duration_since(self.start));
        change(self.spans.lock().unwrap_or_else(PoisonError::into_inner).at(ns));
    }

    /// A call has begun at this time.
    pub(crate) fn called(&self, kind: Kind, at: Instant) {
        self.with(at, |span| match kind {
            Kind::Read => span.reads += 1,
            Kind::Write => span.writes += 1,
            Kind::Other => span.others += 1,
        });
    }

    /// A call that has begun at this time has moved so many bytes.
    pub(crate) fn moved(&self, direction: Direction, bytes: u64, at: Instant) {
        self.with(at, |span| {
            let all = match direction {
                Direction::Read => &mut span.bytes_read,
                Direction::Write => &mut span.bytes_written,
            };
            *all = all.saturating_add(bytes);
        });
    }

    pub(crate) fn get(&self) -> Spans {
        self.spans.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn spans_grow_and_lose_nothing() {
        let line = Timeline::new();
        for ms in 0..1000 {
            let at = line.start + Duration::from_millis(ms);
            line.called(if ms % 2 == 0 { Kind::Read } else { Kind::Other }, at);
            line.moved(Direction::Write, 3, at);
        }
        let found = line.get();
        assert_eq!(found.span_ns, 16_000_000);
        assert_eq!(found.spans.len(), 63);
        assert_eq!(found.spans.iter().map(Span::calls).sum::<u64>(), 1000);
        assert_eq!(found.spans[0], Span { reads: 8, others: 8, bytes_written: 48, ..Span::default() });
        assert_eq!(found.spans[62].calls(), 8);
    }

    #[test]
    fn an_hour_later_the_first_call_is_still_there() {
        let line = Timeline::new();
        line.called(Kind::Write, line.start);
        line.called(Kind::Write, line.start + Duration::from_hours(1));
        let found = line.get();
        assert!(found.spans.len() <= MOST && found.spans.len() > MOST / 2);
        assert_eq!((found.spans[0].writes, found.spans.last().unwrap().writes), (1, 1));
    }
}
