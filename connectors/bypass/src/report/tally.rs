//! The counts of one or several processes, as they are reported at the end.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::report::board::COUNTERS;
use crate::report::reason::Reason;

/// Places of the counters.
pub(crate) const FILES: usize = 0;
pub(crate) const READS_BYPASSED: usize = 1;
pub(crate) const BYTES_READ: usize = 2;
pub(crate) const WRITES_BYPASSED: usize = 3;
pub(crate) const BYTES_WRITTEN: usize = 4;
pub(crate) const SMALL_READS: usize = 5;
pub(crate) const MISSING_SOURCES: usize = 6;
pub(crate) const ASYNCHRONOUS_READS: usize = 7;
pub(crate) const ASYNCHRONOUS_WRITES: usize = 8;
pub(crate) const CHUNKS_AHEAD: usize = 9;
pub(crate) const CHUNKS_BEHIND: usize = 10;
pub(crate) const PLAIN_SOURCES: usize = 11;

/// The code of what the board has put together for want of room.
const OTHER: &str = "other";

/// Which way data went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Direction {
    Read,
    Write,
}

impl Direction {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// A reason as it is told: for programs and for people.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Told {
    pub(crate) sentence: String,
    pub(crate) code: String,
}

impl Told {
    pub(crate) fn of(reason: &Reason) -> Self {
        Self { sentence: reason.to_string(), code: reason.code().to_owned() }
    }

    /// As text for the board. The code comes first: a long text is cut at its end.
    pub(crate) fn to_board(&self) -> String {
        format!("{}\t{}", self.code, self.sentence)
    }

    pub(crate) fn from_board(text: &str) -> Self {
        let (code, sentence) = text.split_once('\t').unwrap_or((OTHER, text));
        Self { sentence: sentence.to_owned(), code: code.to_owned() }
    }
}

/// Everything that was counted.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    counters: [u64; COUNTERS],
    passed_on: BTreeMap<(Direction, Told), u64>,
}

impl Tally {
    pub(crate) fn add_counters(&mut self, counters: &[AtomicU64]) {
        for (sum, counter) in self.counters.iter_mut().zip(counters) {
            *sum += counter.load(Relaxed);
        }
        let small = counters.get(SMALL_READS).map_or(0, |counter| counter.load(Relaxed));
        if small > 0 {
            self.add(Direction::Read, Told::of(&Reason::Small), small);
        }
    }

    pub(crate) fn add(&mut self, direction: Direction, reason: Told, count: u64) {
        *self.passed_on.entry((direction, reason)).or_default() += count;
    }

    pub(crate) fn counter(&self, place: usize) -> u64 {
        self.counters[place]
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.counters.iter().all(|counter| *counter == 0) && self.passed_on.is_empty()
    }

    /// How many calls were passed on.
    pub(crate) fn passed_on(&self, direction: Direction) -> u64 {
        self.passed_on.iter().filter(|((way, _), _)| *way == direction).map(|(_, count)| count).sum()
    }

    /// The reasons and how often, the most frequent first.
    pub(crate) fn reasons(&self) -> Vec<(Direction, &Told, u64)> {
        let mut rows: Vec<_> =
            self.passed_on.iter().map(|((direction, reason), count)| (*direction, reason, *count)).collect();
        rows.sort_by_key(|(_, _, count)| std::cmp::Reverse(*count));
        rows
    }

    /// Writes the table for people.
    pub(crate) fn write_table(&self, text: &mut String) {
        // Writing to a String cannot fail.
        let files = self.counters[FILES];
        let _ = writeln!(text, "h5bypass: {files} file{} opened through the connector", plural(files));
        let _ = writeln!(
            text,
            "h5bypass: reads bypassed {} ({} bytes), passed on {}; writes bypassed {} ({} bytes), passed on {}",
            self.counters[READS_BYPASSED],
            self.counters[BYTES_READ],
            self.passed_on(Direction::Read),
            self.counters[WRITES_BYPASSED],
            self.counters[BYTES_WRITTEN],
            self.passed_on(Direction::Write)
        );
        let missing = self.counters[MISSING_SOURCES];
        if missing > 0 {
            let end = plural(missing);
            let _ = writeln!(
                text,
                "h5bypass: {missing:>10} missing source{end} of virtual datasets read as fill values"
            );
        }
        let plain = self.counters[PLAIN_SOURCES];
        if plain > 0 {
            let end = plural(plain);
            let _ =
                writeln!(text, "h5bypass: {plain:>10} source{end} of virtual datasets opened without HDF5");
        }
        let (reads, writes) = (self.counters[ASYNCHRONOUS_READS], self.counters[ASYNCHRONOUS_WRITES]);
        if reads + writes > 0 {
            let _ = writeln!(text, "h5bypass: asynchronous: {reads} of the reads, {writes} of the writes");
        }
        let ahead = self.counters[CHUNKS_AHEAD];
        if ahead > 0 {
            let _ = writeln!(text, "h5bypass: {ahead:>10} chunk{} decoded ahead", plural(ahead));
        }
        let behind = self.counters[CHUNKS_BEHIND];
        if behind > 0 {
            let _ = writeln!(text, "h5bypass: {behind:>10} chunk{} encoded behind", plural(behind));
        }
        for (direction, Told { sentence, .. }, count) in self.reasons() {
            let (way, end) = (direction.name(), plural(count));
            let _ = writeln!(text, "h5bypass: {count:>10} {way}{end} passed on: {sentence}");
        }
    }
}

/// The end of a word for so many.
fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// A filter that is not part of HDF5 itself, and who does its work.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FilterUse {
    pub(crate) name: String,
    pub(crate) id: i32,
    pub(crate) served_by: ServedBy,
}

/// Who does the work of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ServedBy {
    /// Our codec, though HDF5 has the same filter.
    OurCodecForTheirs,
    /// Our codec; HDF5 has no filter of this number.
    OurCodec,
    /// HDF5, with our codec, which it was lent.
    LentCodec,
    /// HDF5, with the application's own filter.
    Application,
}

impl ServedBy {
    /// Its stable name, for programs.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::OurCodecForTheirs => "codec-for-registered",
            Self::OurCodec => "codec",
            Self::LentCodec => "codec-lent",
            Self::Application => "application",
        }
    }
}

impl fmt::Display for FilterUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let who = match self.served_by {
            ServedBy::OurCodecForTheirs => "our codec, in the place of the same filter of HDF5's",
            ServedBy::OurCodec => "our codec; none is registered with HDF5",
            ServedBy::LentCodec => "our codec, lent to HDF5, which has none",
            ServedBy::Application => "the application's own filter, called by HDF5",
        };
        write!(f, "filter {} ({}): {who}", self.name, self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_survives_the_board() {
        for reason in [Reason::Virtual, Reason::FilterUnknown("filter x\ty (5): none".to_owned())] {
            let told = Told::of(&reason);
            assert_eq!(Told::from_board(&told.to_board()), told);
        }
        assert_eq!(Told::from_board("other reasons").code, OTHER);
    }

    #[test]
    fn the_table_has_totals_and_reasons() {
        let mut tally = Tally::default();
        tally.add_counters(&[1, 2, 30, 4, 50, 6, 3, 1, 2, 9, 1].map(AtomicU64::new));
        tally.add(Direction::Write, Told::of(&Reason::Compact), 1);
        tally.add(Direction::Read, Told::of(&Reason::Virtual), 7);
        let mut text = String::new();
        tally.write_table(&mut text);
        let (small, compact, layout) = (Reason::Small, Reason::Compact, Reason::Virtual);
        let expected = [
            "h5bypass: 1 file opened through the connector".to_owned(),
            "h5bypass: reads bypassed 2 (30 bytes), passed on 13; writes bypassed 4 (50 bytes), passed on 1"
                .to_owned(),
            "h5bypass:          3 missing sources of virtual datasets read as fill values".to_owned(),
            "h5bypass: asynchronous: 1 of the reads, 2 of the writes".to_owned(),
            "h5bypass:          9 chunks decoded ahead".to_owned(),
            "h5bypass:          1 chunk encoded behind".to_owned(),
            format!("h5bypass:          7 reads passed on: {layout}"),
            format!("h5bypass:          6 reads passed on: {small}"),
            format!("h5bypass:          1 write passed on: {compact}"),
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }
}
