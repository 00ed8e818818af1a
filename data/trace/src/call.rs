//! A call of the application.

use crate::clock;
use crate::context::Inside;
use crate::kind::Kind;
use crate::label::Label;
use crate::lane::Lane;
use crate::local;
use crate::record::Record;
use crate::session::{call_ended, is_on};
use crate::span::{Span, span};
use crate::tally::Short;

/// Nanoseconds from which what HDF5 does in a short call has a span of its own.
const WORTH_A_SPAN: u64 = 10_000;

/// A start that nobody has looked at the clock for.
const NOT_KNOWN: u64 = u64::MAX;

/// A call that has begun, and may turn out to be over already.
#[derive(Debug, Clone, Copy)]
pub struct Beginning {
    kind: Kind,
    /// `None` if nothing is recorded.
    lane: Option<&'static Lane>,
    /// Not known if it may be the next of many short ones.
    start: u64,
}

/// A call, from when it [began](begin) until this is dropped. If nobody says that it [deserves a
/// span](Self::deserves_a_span), it may be one of many short ones that are counted together.
#[must_use = "it ends when this value is dropped"]
#[derive(Debug)]
pub struct Call(Option<Open>);

#[derive(Debug)]
struct Open {
    lane: &'static Lane,
    /// Or [`NOT_KNOWN`].
    start: u64,
    bytes: u64,
    label: Label,
    /// Why HDF5 does it, if that is known.
    reason: Label,
    datasets: u16,
    kind: Kind,
    is_long: bool,
    /// HDF5 does it.
    is_passed_on: bool,
}

/// A call begins that reads or writes.
#[inline]
pub fn begin(kind: Kind) -> Beginning {
    let lane = if is_on() { local::lane() } else { None };
    match lane {
        Some(lane) if !lane.tally.counts(kind) => Beginning { kind, lane: Some(lane), start: look(lane) },
        lane => Beginning { kind, lane, start: NOT_KNOWN },
    }
}

/// Looks when a call begins, and ends the short ones before.
fn look(lane: &Lane) -> u64 {
    let now = clock::now();
    lane.end_short_calls(now);
    now
}

impl Beginning {
    /// Whether it is recorded at all.
    #[inline]
    pub fn is_on(self) -> bool {
        self.lane.is_some()
    }

    /// It is over, and was a short one that moved so many bytes of this dataset.
    #[inline]
    pub fn was_short(self, label: Label, bytes: u64) {
        if let Some(lane) = self.lane {
            let (is_passed_on, reason) = (false, Label::NONE);
            count(
                lane,
                Short { start: known(self.start), kind: self.kind, label, bytes, is_passed_on, reason },
            );
        }
    }

    /// It goes on.
    #[inline]
    pub fn goes_on(self) -> Call {
        Call(self.lane.map(|lane| Open {
            lane,
            start: self.start,
            bytes: 0,
            label: Label::NONE,
            reason: Label::NONE,
            datasets: 0,
            kind: self.kind,
            is_long: false,
            is_passed_on: false,
        }))
    }
}

impl Call {
    /// Whether it is recorded at all.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// It moves so many bytes of so many datasets, of which this is the first.
    #[inline]
    pub fn note(&mut self, label: Label, datasets: usize, bytes: u64) {
        if let Some(open) = &mut self.0 {
            open.label = label;
            open.datasets = u16::try_from(datasets).unwrap_or(u16::MAX);
            open.bytes = bytes;
        }
    }

    /// It is none of the short ones before: looks when it begins, at the latest now.
    #[inline]
    pub fn is_another(&mut self) {
        if let Some(open) = &mut self.0 {
            open.look();
        }
    }

    /// It has a span of its own: it takes so long that this does not matter.
    #[inline]
    pub fn deserves_a_span(&mut self) {
        if let Some(open) = &mut self.0 {
            open.look();
            open.is_long = true;
        }
    }

    /// Ends the first step of it, of this kind, if it has a span of its own.
    #[inline]
    pub fn so_far(&self, kind: Kind) {
        if let Some(Open { start, is_long: true, .. }) = &self.0 {
            drop(Span::since(kind, *start));
        }
    }

    /// This thread is busy with a dataset, for this call.
    #[inline]
    pub fn enter(&self, label: Label) -> Inside {
        Inside::new(self.0.as_ref().map(|open| open.lane), label)
    }

    /// HDF5 does it from now on until the span is dropped. Why, is asked only if it will be told.
    #[inline]
    pub fn native(&mut self, reason: impl FnOnce() -> Label) -> Span {
        match &mut self.0 {
            Some(open) => open.native(reason),
            None => Span::nothing(),
        }
    }
}

impl Drop for Call {
    #[inline]
    fn drop(&mut self) {
        match &self.0 {
            None => {}
            Some(open) if open.is_long => open.end_long(),
            Some(open) => open.end_short(),
        }
    }
}

impl Open {
    fn look(&mut self) {
        if self.start == NOT_KNOWN {
            self.start = look(self.lane);
        }
    }

    fn native(&mut self, reason: impl FnOnce() -> Label) -> Span {
        self.is_passed_on = true;
        if self.start != NOT_KNOWN || !self.lane.tally.has_reason() {
            self.reason = reason();
        }
        // Of a short one it is told when it is known how long it was.
        if self.is_long { span(Kind::Native).because(self.reason) } else { Span::nothing() }
    }

    fn end_short(&self) {
        let &Self { lane, start, kind, label, bytes, reason, is_passed_on, .. } = self;
        count(lane, Short { start: known(start), kind, label, bytes, is_passed_on, reason });
    }

    fn end_long(&self) {
        let end = clock::now();
        // Those that were made inside of it, by a function of the application that HDF5 has called.
        self.lane.end_short_calls(end);
        let record = Record::new(self.kind, self.label, self.start, end);
        self.lane.push(Record { count: self.datasets, bytes: self.bytes, ..record });
        call_ended(end);
    }
}

fn known(start: u64) -> Option<u64> {
    (start != NOT_KNOWN).then_some(start)
}

#[inline]
fn count(lane: &Lane, call: Short) {
    if let Some(record) = lane.tally.add(call, clock::now) {
        push_short(lane, record);
    }
}

fn push_short(lane: &Lane, record: Record) {
    let Record { label, reason, start, end, count, passed_on, .. } = record;
    if (count, passed_on) == (1, 1) && end.saturating_sub(start) >= WORTH_A_SPAN {
        lane.push(Record { reason, ..Record::new(Kind::Native, label, start, end) });
    }
    lane.push(record);
    call_ended(end);
}
