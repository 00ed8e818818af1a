//! Counts of forked processes, in memory that they share with the process they come from.
//!
//! Workers of Python's multiprocessing end with `_exit` or are killed, so they cannot print a summary. A forked process keeps its
//! counts on a board that its parent created, and the parent reports for the processes that could not.

use std::process;
use std::sync::OnceLock;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU64, AtomicUsize};

/// Numbers that each process counts.
pub(crate) const COUNTERS: usize = 12;

/// The number of processes that have room on the board. Later ones count in their own memory, as the first one does.
const PROCESSES: usize = 2048;

/// The number of reasons that a process has room for. All others are counted together.
const REASONS: usize = 32;
const OTHERS: &str = "other reasons";

/// Words of a reason's code and sentence; longer ones are cut.
const TEXT: usize = 28;

/// A reason: how often, the length of its text with what it is about, and the text.
const REASON: usize = 2 + TEXT;

/// A process: its number, whether it has told its counts itself, the counters, the reasons.
const PROCESS: usize = 2 + COUNTERS + REASONS * REASON;

static BOARD: OnceLock<Option<&'static [AtomicU64]>> = OnceLock::new();

/// The place of this process on the board, counted from 1; 0 if it has none.
static MINE: AtomicUsize = AtomicUsize::new(0);

/// Makes the board, for processes that are forked from now on.
pub(crate) fn prepare() {
    BOARD.get_or_init(|| h5_host::process::shared_with_children(1 + PROCESSES * PROCESS));
}

/// Takes a place for this process, which was just forked. Never waits.
pub(crate) fn after_fork_in_child() {
    MINE.store(0, Relaxed);
    let Some(Some(words)) = BOARD.get() else { return };
    let place = usize::try_from(words[0].fetch_add(1, Relaxed)).unwrap_or(PROCESSES) + 1;
    if let Some(process) = at(place) {
        process.0[0].store(u64::from(process::id()), Relaxed);
        MINE.store(place, Relaxed);
    }
}

/// The place of this process, if it was forked.
#[inline]
pub(crate) fn mine() -> Option<Process> {
    match MINE.load(Relaxed) {
        0 => None,
        place => at(place),
    }
}

fn at(place: usize) -> Option<Process> {
    let words = (*BOARD.get()?)?;
    let begin = (1..=PROCESSES).contains(&place).then(|| 1 + (place - 1) * PROCESS)?;
    words.get(begin..begin + PROCESS).map(Process)
}

/// Forked processes that have ended and could not tell what they counted.
pub(crate) fn ended_silently() -> Vec<Process> {
    let Some(Some(words)) = BOARD.get() else { return Vec::new() };
    let taken = usize::try_from(words[0].load(Relaxed)).unwrap_or(PROCESSES).min(PROCESSES);
    (1..=taken).filter_map(at).filter(|process| process.has_counted() && process.ended_silently()).collect()
}

/// What one process has counted.
#[derive(Clone, Copy)]
pub(crate) struct Process(&'static [AtomicU64]);

impl Process {
    #[inline]
    pub(crate) fn counters(self) -> &'static [AtomicU64] {
        &self.0[2..2 + COUNTERS]
    }

    /// It tells its counts itself.
    pub(crate) fn tells_itself(self) {
        self.0[1].store(1, Relaxed);
    }

    fn reason(self, number: usize) -> &'static [AtomicU64] {
        let begin = 2 + COUNTERS + number.min(REASONS - 1) * REASON;
        &self.0[begin..begin + REASON]
    }

    /// Counts a reason once more: the `number`-th that this process has had, from 0 on. `about` is below 128.
    pub(crate) fn count_reason(self, number: usize, about: u8, text: impl FnOnce() -> String) {
        let reason = self.reason(number);
        if reason[1].load(Relaxed) == 0 {
            let text = if number < REASONS - 1 { text() } else { OTHERS.to_owned() };
            let mut length = text.len().min(TEXT * 8);
            while !text.is_char_boundary(length) {
                length -= 1;
            }
            for (word, bytes) in reason[2..].iter().zip(text.as_bytes()[..length].chunks(8)) {
                let mut whole = [0; 8];
                whole[..bytes.len()].copy_from_slice(bytes);
                word.store(u64::from_ne_bytes(whole), Relaxed);
            }
            // The process may be killed at any moment: what is not complete is not there.
            reason[1].store((length as u64) << 8 | u64::from(about) | 0x80, Release);
        }
        reason[0].fetch_add(1, Relaxed);
    }

    /// The reasons: what they are about, what they say, how often.
    pub(crate) fn reasons(self) -> Vec<(u8, String, u64)> {
        let read = |number| {
            let reason = self.reason(number);
            let [about, length @ ..] = reason[1].load(Acquire).to_le_bytes();
            let length = usize::from(u16::from_le_bytes([length[0], length[1]])).min(TEXT * 8);
            let bytes: Vec<u8> =
                reason[2..].iter().flat_map(|word| word.load(Relaxed).to_ne_bytes()).take(length).collect();
            (about != 0).then(|| {
                (about & 0x7f, String::from_utf8_lossy(&bytes).into_owned(), reason[0].load(Relaxed))
            })
        };
        (0..REASONS).map_while(read).collect()
    }

    fn has_counted(self) -> bool {
        self.counters().iter().any(|counter| counter.load(Relaxed) > 0) || !self.reasons().is_empty()
    }

    fn ended_silently(self) -> bool {
        self.0[1].load(Relaxed) == 0 && !is_running(self.0[0].load(Relaxed))
    }
}

/// Whether there is a process with this number that has not ended. One that nobody has waited for is still listed.
fn is_running(number: u64) -> bool {
    let Ok(text) = std::fs::read(format!("/proc/{number}/stat")) else { return false };
    // The name of the program comes before the state, in parentheses, and may have any character in it.
    let state = text.iter().rposition(|byte| *byte == b')').and_then(|end| text.get(end + 2));
    !matches!(state, Some(b'Z' | b'X'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process() -> Process {
        Process(Box::leak((0..PROCESS).map(|_| AtomicU64::new(0)).collect()))
    }

    #[test]
    fn reasons_are_kept_with_their_counts() {
        let process = process();
        assert!(!process.has_counted());
        for _ in 0..3 {
            process.count_reason(0, 0, || "variable-length data".to_owned());
        }
        process.count_reason(1, 1, || "é".repeat(500));
        assert!(process.has_counted());
        let reasons = process.reasons();
        assert_eq!(reasons[0], (0, "variable-length data".to_owned(), 3));
        assert_eq!(reasons[1], (1, "é".repeat(TEXT * 4), 1));
        assert_eq!(reasons.len(), 2);
    }

    #[test]
    fn too_many_reasons_are_put_together() {
        let process = process();
        for number in 0..REASONS + 5 {
            process.count_reason(number, 0, || format!("reason {number}"));
        }
        let reasons = process.reasons();
        assert_eq!(reasons.len(), REASONS);
        assert_eq!(reasons[REASONS - 1], (0, OTHERS.to_owned(), 6));
        assert_eq!(reasons[REASONS - 2].1, format!("reason {}", REASONS - 2));
    }

    #[test]
    fn processes_run_until_they_have_ended() {
        assert!(is_running(u64::from(process::id())));
        let mut child = process::Command::new("true").spawn().unwrap();
        let number = u64::from(child.id());
        // Nobody has waited for it yet: it has ended all the same.
        while is_running(number) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(!is_running(number));
    }
}
