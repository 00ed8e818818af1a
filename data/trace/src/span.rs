//! Something that takes time.

use crate::clock;
use crate::kind::Kind;
use crate::label::Label;
use crate::local;
use crate::record::Record;
use crate::session::is_on;

/// The beginning of a span that is not recorded.
const OFF: u64 = u64::MAX;

/// Bytes from which moving them takes so long that recording it does not matter.
const WORTH_A_SPAN: u64 = 64 * 1024;

/// Something that takes time, from when this is made until it is dropped.
#[must_use = "it ends when this value is dropped"]
#[derive(Debug)]
pub struct Span {
    kind: Kind,
    reason: Label,
    count: u16,
    bytes: u64,
    start: u64,
}

/// Begins something.
#[inline]
pub fn span(kind: Kind) -> Span {
    Span::since(kind, if is_on() { clock::now() } else { OFF })
}

/// Begins to move bytes, which is recorded only if they are many.
#[inline]
pub fn step(kind: Kind, bytes: u64) -> Span {
    if bytes >= WORTH_A_SPAN { span(kind).of(bytes) } else { Span::nothing() }
}

/// The same where it takes some counting to know how many.
#[inline]
pub fn step_of(kind: Kind, bytes: impl FnOnce() -> u64) -> Span {
    if is_on() { step(kind, bytes()) } else { Span::nothing() }
}

impl Span {
    /// Nothing that is recorded.
    #[inline]
    pub fn nothing() -> Self {
        Self::since(Kind::Task, OFF)
    }

    /// It is about so many bytes.
    #[inline]
    pub fn of(mut self, bytes: u64) -> Self {
        self.bytes = bytes;
        self
    }

    /// It is done for this reason.
    #[inline]
    pub(crate) fn because(mut self, reason: Label) -> Self {
        self.reason = reason;
        self
    }

    /// It is about so many things.
    #[inline]
    pub(crate) fn times(mut self, count: usize) -> Self {
        self.count = u16::try_from(count).unwrap_or(u16::MAX);
        self
    }

    /// Ends it, and begins something else at the same moment that is recorded if this is.
    #[inline]
    pub fn then(mut self, kind: Kind) -> Self {
        let mut next = Self::nothing();
        if self.start != OFF {
            let now = clock::now();
            self.record(now);
            self.start = OFF;
            next = Self::since(kind, now);
        }
        next
    }

    /// Something that began at that moment.
    #[inline]
    pub(crate) fn since(kind: Kind, start: u64) -> Self {
        Self { kind, reason: Label::NONE, count: 0, bytes: 0, start }
    }

    fn record(&self, end: u64) {
        let Some(lane) = local::lane() else { return };
        let &Self { kind, reason, count, bytes, start } = self;
        lane.push(Record { count, reason, bytes, ..Record::new(kind, lane.label(), start, end) });
    }

    #[cold]
    fn end(&self) {
        self.record(clock::now());
    }
}

impl Drop for Span {
    #[inline]
    fn drop(&mut self) {
        if self.start != OFF {
            self.end();
        }
    }
}
