//! A sieve: one piece of memory through which small reads that follow one another in a file that cannot change are served.
//!
//! Native HDF5 has such a buffer for each contiguous dataset. Reading 64 KiB at once takes as long as nine small reads, and
//! the memory is used again and again, so that it stays in the processor's cache. Reads that jump about are not for it.

use core::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Store;
use crate::descriptor::ReadAt;
use crate::target::Target;
use crate::windows::Piece;

/// Bytes of a sieve: those of native HDF5's.
const SIEVE: usize = 64 * 1024;

/// Bytes between two reads up to which more of them are expected in the same sieve. Each read costs as much as copying 5 KiB.
const NEAR: u64 = 4 * 1024;

/// Bytes of all sieves of the process. Beyond that no more are made.
const PROCESS_BYTES: usize = 64 << 20;

static HELD: AtomicUsize = AtomicUsize::new(0);

/// The sieve of one dataset.
#[derive(Debug, Default)]
pub struct Sieve {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Its memory; none until it is needed.
    memory: Option<Memory>,
    /// The bytes of the file that are at its beginning.
    known: Range<u64>,
    /// The bytes of the file that were asked for last.
    last: Option<Range<u64>>,
}

#[derive(Debug)]
struct Memory(Box<[u8]>);

/// Where reads that follow one another go.
#[derive(Debug, Clone, Copy)]
enum Step {
    Ahead,
    Back,
}

impl Sieve {
    /// Gives `length` bytes of a piece of the file, from `offset` on, to `take`. `None` if reads there are not likely to be
    /// followed by others, or if more cannot be read than is asked for.
    pub fn read<F: ReadAt>(
        &self,
        store: &Store<F>,
        piece: Piece,
        offset: u64,
        length: usize,
        take: impl FnOnce(&[u8]),
    ) -> Option<()> {
        let wanted = offset..offset.checked_add(length as u64)?;
        let end = piece.start.checked_add(piece.length)?;
        if length > SIEVE || wanted.start < piece.start || wanted.end > end {
            return None;
        }
        // Threads that read at once have places of their own, for which one sieve is no good.
        let mut state = self.state.try_lock().ok()?;
        let step = state.note(&wanted);
        if !state.knows(&wanted) {
            state.fill(store, around(&wanted, step?, piece.start..end))?;
        }
        let from = usize::try_from(wanted.start - state.known.start).ok()?;
        take(state.memory.as_ref()?.0.get(from..)?.get(..length)?);
        Some(())
    }
}

impl State {
    /// Notes what is asked for; how that follows what was asked for last, if it is near.
    fn note(&mut self, wanted: &Range<u64>) -> Option<Step> {
        let last = self.last.replace(wanted.clone())?;
        let gap = wanted.start.saturating_sub(last.end).max(last.start.saturating_sub(wanted.end));
        let step = if wanted.start < last.start { Step::Back } else { Step::Ahead };
        (gap <= NEAR).then_some(step)
    }

    fn knows(&self, wanted: &Range<u64>) -> bool {
        self.known.start <= wanted.start && wanted.end <= self.known.end
    }

    fn fill<F: ReadAt>(&mut self, store: &Store<F>, range: Range<u64>) -> Option<()> {
        self.known = 0..0;
        let length = usize::try_from(range.end - range.start).ok()?;
        let memory = match &mut self.memory {
            Some(memory) => memory,
            none => none.insert(Memory::take()?),
        };
        store.read(range.start, Target::from_slice(memory.0.get_mut(..length)?), &mut []).ok()?;
        self.known = range;
        Some(())
    }
}

/// What to read of a piece: what is wanted, and what comes next.
fn around(wanted: &Range<u64>, step: Step, piece: Range<u64>) -> Range<u64> {
    match step {
        Step::Ahead => wanted.start..wanted.start.saturating_add(SIEVE as u64).min(piece.end),
        Step::Back => wanted.end.saturating_sub(SIEVE as u64).max(piece.start)..wanted.end,
    }
}

impl Memory {
    /// Memory of a sieve, unless there are too many of them.
    fn take() -> Option<Self> {
        if HELD.fetch_add(SIEVE, Ordering::Relaxed) + SIEVE > PROCESS_BYTES {
            HELD.fetch_sub(SIEVE, Ordering::Relaxed);
            return None;
        }
        Some(Self(vec![0; SIEVE].into_boxed_slice()))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        HELD.fetch_sub(SIEVE, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
