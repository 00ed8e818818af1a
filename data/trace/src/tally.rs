//! Short calls, counted until they are worth a span.
//!
//! Two looks at the clock would be a tenth of what the shortest calls take. So calls in a tight loop are put together: the
//! clock is looked at when the first of some begins, when that ends, and when the last has ended. If the application does other
//! things between calls for longer than these take, each call has its own span.
//!
//! Only the thread whose tally it is changes it; others look at it when the process ends. (All `Relaxed`: numbers that stand
//! for themselves, and a span that a running thread is just about to write is no loss.)

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU32, AtomicU64};

use crate::kind::Kind;
use crate::label::Label;
use crate::record::Record;

/// Nanoseconds that calls take together before they become a span.
const TOGETHER: u64 = 50_000;

/// How many calls are put together at most.
const MOST: u64 = 64;

/// Calls are put together if from one to the next it takes at most so many times as long as the calls themselves do.
const TIGHT: u64 = 3;

/// Calls of one thread that are not in its list yet.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    calls: AtomicU32,
    /// How many there may be.
    limit: AtomicU32,
    /// Of all of them, or none if they are about different datasets.
    label: AtomicU32,
    /// Whether they write.
    writes: AtomicU32,
    /// How many HDF5 has done, and why the last one of which that is known.
    passed_on: AtomicU32,
    reason: AtomicU32,
    bytes: AtomicU64,
    start: AtomicU64,
    /// How long the first of them took.
    first: AtomicU64,
    /// How long it was from one to the next among those before, and when the last of those ended.
    each: AtomicU64,
    before: AtomicU64,
}

/// A call that has ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Short {
    /// When it began, if anybody has looked.
    pub(crate) start: Option<u64>,
    pub(crate) kind: Kind,
    pub(crate) label: Label,
    pub(crate) bytes: u64,
    /// HDF5 has done it, and why if that is known.
    pub(crate) is_passed_on: bool,
    pub(crate) reason: Label,
}

impl Tally {
    /// Whether calls of this kind are being counted, so that the next one need not look at the clock.
    #[inline]
    pub(crate) fn counts(&self, kind: Kind) -> bool {
        self.calls.load(Relaxed) > 0 && self.kind() == kind
    }

    fn kind(&self) -> Kind {
        if self.writes.load(Relaxed) == 0 { Kind::Read } else { Kind::Write }
    }

    /// Whether it is known why HDF5 does some of these calls.
    pub(crate) fn has_reason(&self) -> bool {
        self.calls.load(Relaxed) > 0 && self.reason.load(Relaxed) != Label::NONE.number()
    }

    /// Counts a call. If that makes enough of them, the span they become.
    #[inline]
    pub(crate) fn add(&self, call: Short, now: impl FnOnce() -> u64) -> Option<Record> {
        let calls = self.calls.load(Relaxed);
        if calls == 0 {
            return self.add_first(call, now());
        }
        if self.label.load(Relaxed) != call.label.number() {
            self.label.store(Label::NONE.number(), Relaxed);
        }
        self.bytes.store(self.bytes.load(Relaxed).saturating_add(call.bytes), Relaxed);
        self.note_passed_on(call);
        self.calls.store(calls + 1, Relaxed);
        if calls + 1 < self.limit.load(Relaxed) { None } else { self.take(now()) }
    }

    fn add_first(&self, call: Short, now: u64) -> Option<Record> {
        let start = call.start.unwrap_or(now);
        self.start.store(start, Relaxed);
        self.first.store(now.saturating_sub(start), Relaxed);
        self.label.store(call.label.number(), Relaxed);
        self.writes.store(u32::from(call.kind == Kind::Write), Relaxed);
        self.bytes.store(call.bytes, Relaxed);
        self.passed_on.store(0, Relaxed);
        self.reason.store(Label::NONE.number(), Relaxed);
        self.note_passed_on(call);
        self.calls.store(1, Relaxed);
        if self.limit.load(Relaxed) <= 1 { self.take(now) } else { None }
    }

    #[inline]
    fn note_passed_on(&self, call: Short) {
        if call.is_passed_on {
            self.passed_on.store(self.passed_on.load(Relaxed) + 1, Relaxed);
            if call.reason != Label::NONE {
                self.reason.store(call.reason.number(), Relaxed);
            }
        }
    }

    /// The span of what was counted until now, if anything was; begins again. The last call has just ended.
    fn take(&self, now: u64) -> Option<Record> {
        let record = self.record(now)?;
        let count = u64::from(record.count);
        let since = if count == 1 { self.before.load(Relaxed) } else { record.start };
        let each = now.saturating_sub(since) / count;
        let is_tight = each <= self.first.load(Relaxed).saturating_mul(TIGHT);
        let limit = if is_tight { (TOGETHER / each.max(1)).clamp(1, MOST) } else { 1 };
        self.limit.store(u32::try_from(limit).unwrap_or(1), Relaxed);
        self.each.store(each, Relaxed);
        self.before.store(now, Relaxed);
        self.calls.store(0, Relaxed);
        Some(record)
    }

    /// The same, when nobody has looked at the clock after the last call: it ended before `now`, and not before `known`.
    pub(crate) fn take_late(&self, known: u64, now: u64) -> Option<Record> {
        let record = self.pending(known, now)?;
        self.before.store(record.end, Relaxed);
        self.calls.store(0, Relaxed);
        Some(record)
    }

    /// What is being counted, with a guess of when it ended.
    pub(crate) fn pending(&self, known: u64, now: u64) -> Option<Record> {
        let others = u64::from(self.calls.load(Relaxed)).saturating_sub(1);
        let took = self.each.load(Relaxed).saturating_mul(others).saturating_add(self.first.load(Relaxed));
        self.record(self.start.load(Relaxed).saturating_add(took).max(known).min(now))
    }

    fn record(&self, end: u64) -> Option<Record> {
        let calls = self.calls.load(Relaxed);
        (calls > 0).then(|| Record {
            kind: if self.kind() == Kind::Write { Kind::ShortWrites } else { Kind::ShortReads },
            label: Label::from_number(self.label.load(Relaxed)),
            count: u16::try_from(calls).unwrap_or(u16::MAX),
            passed_on: u16::try_from(self.passed_on.load(Relaxed)).unwrap_or(u16::MAX),
            reason: Label::from_number(self.reason.load(Relaxed)),
            bytes: self.bytes.load(Relaxed),
            start: self.start.load(Relaxed),
            end,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Calls that take so long, and what the application does after each; the spans they become.
    fn calls(tally: &Tally, clock: &Cell<u64>, (length, gap): (u64, u64), count: usize) -> Vec<Record> {
        let call = |_| {
            let start = (!tally.counts(Kind::Read)).then(|| clock.get());
            let label = Label::from_number(7);
            clock.set(clock.get() + length);
            let (kind, is_passed_on, reason) = (Kind::Read, false, Label::NONE);
            let short = Short { start, kind, label, bytes: 64, is_passed_on, reason };
            let record = tally.add(short, || clock.get());
            clock.set(clock.get() + gap);
            record
        };
        (0..count).filter_map(call).collect()
    }

    #[test]
    fn calls_in_a_tight_loop_are_put_together() {
        let (tally, clock) = (Tally::default(), Cell::new(1000));
        let spans = calls(&tally, &clock, (500, 300), 641);
        assert!(spans[2..].iter().all(|span| span.count > 55), "{spans:?}");
        assert!(spans[2..].iter().all(|span| span.end - span.start == u64::from(span.count) * 800 - 300));
        assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start));
        let counted: u16 = spans.iter().map(|span| span.count).sum();
        let pending = tally.take_late(0, clock.get()).unwrap();
        assert_eq!(counted + pending.count, 641);
        assert!(pending.end.abs_diff(clock.get() - 300) < 300, "as long as those before");
        assert!(spans.iter().all(|span| span.bytes == u64::from(span.count) * 64));
    }

    #[test]
    fn calls_between_which_other_things_are_done_are_not() {
        let (tally, clock) = (Tally::default(), Cell::new(1000));
        calls(&tally, &clock, (500, 300), 100);
        let spans = calls(&tally, &clock, (500, 5000), 200);
        assert!(spans[1..].iter().all(|span| span.count == 1 && span.end - span.start == 500), "{spans:?}");
        // Nor those that take long.
        let spans = calls(&tally, &clock, (100_000, 300), 200);
        assert!(spans.iter().all(|span| span.count == 1 && span.end - span.start == 100_000));
    }

    #[test]
    fn a_pause_is_not_taken_for_a_call() {
        let (tally, clock) = (Tally::default(), Cell::new(1000));
        calls(&tally, &clock, (500, 300), 110);
        let last = tally.pending(0, u64::MAX).unwrap();
        assert!(last.count > 1);
        clock.set(clock.get() + 1_000_000_000);
        let taken = tally.take_late(0, clock.get()).unwrap();
        assert_eq!(taken, last);
        assert!(taken.end < clock.get() - 1_000_000_000);
        assert!(tally.pending(0, u64::MAX).is_none());
        calls(&tally, &clock, (500, 300), 10);
        assert_eq!(tally.pending(clock.get() + 5, u64::MAX).map(|record| record.end), Some(clock.get() + 5));
    }

    #[test]
    fn a_span_has_the_name_that_all_its_calls_have() {
        let tally = Tally::default();
        tally.limit.store(10, Relaxed);
        let mut call = Short {
            start: Some(5),
            kind: Kind::Write,
            label: Label::from_number(3),
            bytes: 1,
            is_passed_on: true,
            reason: Label::from_number(9),
        };
        assert!(tally.add(call, || 6).is_none());
        assert!(tally.counts(Kind::Write) && !tally.counts(Kind::Read));
        assert_eq!(tally.pending(0, 9).map(|record| record.label), Some(call.label));
        assert!(tally.has_reason());
        call.label = Label::from_number(4);
        call.start = None;
        assert!(tally.add(Short { reason: Label::NONE, ..call }, || 7).is_none());
        assert!(tally.add(Short { is_passed_on: false, reason: Label::NONE, ..call }, || 8).is_none());
        let record = tally.take(9).unwrap();
        assert_eq!((record.label, record.count, record.passed_on), (Label::NONE, 3, 2));
        assert_eq!(record.reason, Label::from_number(9));
        assert_eq!((record.kind, record.start, record.end, record.bytes), (Kind::ShortWrites, 5, 9, 3));
        assert!(tally.take(10).is_none() && tally.pending(0, 10).is_none() && !tally.has_reason());
    }
}
