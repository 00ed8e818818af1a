//! What one thread has done: a list that only that thread appends to, and anybody may read at any time.
//!
//! **Ordering.** The thread stores a record's words, `Relaxed`, and then the new length, `Release`; who reads loads the
//! length, `Acquire`, and then as many records. So nobody sees half of one, and nobody waits: not the thread for those
//! who write the trace while it runs, and not a forked child for a thread that does not exist there.

use std::array;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use crate::label::Label;
use crate::record::Record;
use crate::tally::Tally;
use crate::thread_name::ThreadName;

/// Spans of the first block of memory; each that follows is twice as large.
const FIRST: usize = 256;

/// How many blocks there may be.
const BLOCKS: usize = 8;

type Slot = [AtomicU64; 4];

/// The list of one thread.
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) thread: ThreadName,
    blocks: [OnceLock<Box<[Slot]>>; BLOCKS],
    length: AtomicUsize,
    dropped: AtomicU64,
    /// How many spans all lists together have room left for.
    room: &'static AtomicUsize,
    pub(crate) tally: Tally,
    /// When the last span in the list ended.
    last_end: AtomicU64,
    /// What the thread is busy with.
    label: AtomicU32,
}

impl Lane {
    /// An empty list; `None` if there is no room for even a few spans.
    pub(crate) fn new(thread: ThreadName, room: &'static AtomicUsize) -> Option<Self> {
        let lane = Self {
            thread,
            blocks: array::from_fn(|_| OnceLock::new()),
            length: AtomicUsize::new(0),
            dropped: AtomicU64::new(0),
            room,
            tally: Tally::default(),
            last_end: AtomicU64::new(0),
            label: AtomicU32::new(Label::NONE.number()),
        };
        lane.block(0).is_some().then_some(lane)
    }

    /// What the thread is busy with.
    pub(crate) fn label(&self) -> Label {
        Label::from_number(self.label.load(Ordering::Relaxed))
    }

    /// Notes what the thread is busy with; what it was before. Only for that thread.
    pub(crate) fn set_label(&self, label: Label) -> Label {
        let before = self.label();
        self.label.store(label.number(), Ordering::Relaxed);
        before
    }

    /// Ends short calls that are being counted: a longer one begins now, or ends.
    pub(crate) fn end_short_calls(&self, now: u64) {
        if let Some(record) = self.tally.take_late(self.last_end.load(Ordering::Relaxed), now) {
            self.push(record);
        }
    }

    /// Short calls that are being counted, with a guess of when they ended.
    pub(crate) fn pending(&self) -> Option<Record> {
        self.tally.pending(self.last_end.load(Ordering::Relaxed), u64::MAX)
    }

    /// Appends a span, or counts it as dropped. Only for the thread whose list it is.
    pub(crate) fn push(&self, record: Record) {
        let place = self.length.load(Ordering::Relaxed);
        let (number, within) = position(place);
        let Some(slot) = self.block(number).and_then(|block| block.get(within)) else {
            self.dropped.store(self.dropped.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
            return;
        };
        for (word, value) in slot.iter().zip(record.packed()) {
            word.store(value, Ordering::Relaxed);
        }
        self.last_end.store(record.end, Ordering::Relaxed);
        self.length.store(place + 1, Ordering::Release);
    }

    /// The spans so far, in the order in which they ended.
    pub(crate) fn records(&self) -> Vec<Record> {
        self.records_from(0)
    }

    /// The same without so many at the beginning.
    pub(crate) fn records_from(&self, first: usize) -> Vec<Record> {
        let slots = (first..self.length.load(Ordering::Acquire)).filter_map(|place| {
            let (number, within) = position(place);
            self.blocks.get(number)?.get()?.get(within)
        });
        let words = |slot: &Slot| array::from_fn(|word| slot[word].load(Ordering::Relaxed));
        slots.filter_map(|slot| Record::unpacked(words(slot))).collect()
    }

    /// How many spans there was no room for.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// A block, if there is or can be one.
    fn block(&self, number: usize) -> Option<&[Slot]> {
        let place = self.blocks.get(number)?;
        if let Some(block) = place.get() {
            return Some(block);
        }
        let length = FIRST << number;
        let taken =
            self.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |room| room.checked_sub(length));
        taken.ok()?;
        let mut block = Vec::new();
        block.try_reserve_exact(length).ok()?;
        block.extend((0..length).map(|_| Slot::default()));
        Some(place.get_or_init(|| block.into_boxed_slice()))
    }
}

/// The block of a span, and its place there.
fn position(place: usize) -> (usize, usize) {
    let number = usize::try_from((place / FIRST + 1).ilog2()).unwrap_or(usize::MAX);
    (number, place + FIRST - (FIRST << number))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::thread;

    use super::*;
    use crate::kind::Kind;

    const MOST: usize = FIRST * ((1 << BLOCKS) - 1);

    fn record(start: u64) -> Record {
        Record { bytes: start * 3, ..Record::new(Kind::Fetch, Label::NONE, start, start + 1) }
    }

    fn lane(room: usize) -> Option<Lane> {
        let thread = ThreadName { number: 1, name: String::new(), rank: 0 };
        Lane::new(thread, Box::leak(Box::new(AtomicUsize::new(room))))
    }

    #[test]
    fn blocks_follow_each_other() {
        let mut expected = (0, 0);
        for place in 0..MOST {
            assert_eq!(position(place), expected);
            expected.1 += 1;
            if expected.1 == FIRST << expected.0 {
                expected = (expected.0 + 1, 0);
            }
        }
        assert_eq!(position(MOST), (BLOCKS, 0));
    }

    #[test]
    fn memory_is_bounded_for_a_thread_and_for_all() {
        let full = lane(usize::MAX).unwrap();
        (0..MOST as u64 + 10).for_each(|start| full.push(record(start)));
        assert_eq!(full.records().len(), MOST);
        assert_eq!(full.records()[MOST - 1], record(MOST as u64 - 1));
        assert_eq!(full.dropped(), 10);

        let poor = lane(FIRST * 3 + 5).unwrap();
        (0..FIRST as u64 * 4).for_each(|start| poor.push(record(start)));
        assert_eq!(poor.records().len(), FIRST * 3);
        assert_eq!(poor.dropped(), FIRST as u64);
        assert!(lane(FIRST - 1).is_none());
    }

    #[test]
    fn who_reads_meanwhile_sees_whole_spans() {
        let (lane, done) = (lane(usize::MAX).unwrap(), AtomicBool::new(false));
        thread::scope(|scope| {
            scope.spawn(|| {
                (0..MOST as u64).for_each(|start| lane.push(record(start)));
                done.store(true, Ordering::Relaxed);
            });
            let mut seen = 0;
            while !done.load(Ordering::Relaxed) {
                let records = lane.records();
                assert!(records.len() >= seen);
                seen = records.len();
                assert!((0..).zip(records).all(|(start, found)| found == record(start)));
            }
        });
    }
}
