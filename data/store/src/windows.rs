//! Windows on a file that is being written: a small write costs a copy, and a small read beside an earlier one, too.
//!
//! A window is a part of a *piece*: bytes of the file that belong to one dataset or one chunk. Nothing outside of the piece is
//! ever read or written through it. It knows the bytes that were read or written so far, which are one range, and which of
//! them are newer than the file's. Writes that follow one another extend the range, so nothing is read for them.
//!
//! Whoever reads the file in another way calls [`Windows::flush`] before, and whoever writes it [`Windows::leave`].

use core::ops::Range;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::descriptor::{ReadAt, WriteAt};
use crate::target::{Run, Target};
use crate::{Store, StoreError};

/// Bytes of a window: it takes about as long to read as four system calls do.
const WINDOW: usize = 16 * 1024;

/// Bytes between two calls up to which a window is read, and of a read from which it is not.
const NEAR: usize = 2 * 1024;

/// Bytes of all windows of a dataset, and how many there are. Beyond that those that were not used for longest make room.
const DATASET_BYTES: usize = Windows::MOST_BY_SIZE * WINDOW;
const MOST: usize = 1024;

/// Bytes of all windows of the process. Beyond that no more are opened.
const PROCESS_BYTES: usize = 64 << 20;

/// Bytes of all windows of the process, and of those that are newer than the file.
static HELD: AtomicUsize = AtomicUsize::new(0);
static UNWRITTEN: AtomicUsize = AtomicUsize::new(0);

/// Bytes of all windows of the process that are newer than the file.
pub fn unwritten_bytes() -> usize {
    UNWRITTEN.load(Ordering::Relaxed)
}

/// Bytes of a file that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Where they begin in the file.
    pub start: u64,
    /// How many there are.
    pub length: u64,
}

/// The windows of one dataset.
#[derive(Debug, Default)]
pub struct Windows {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// By where they begin in the file.
    windows: BTreeMap<u64, Window>,
    bytes: usize,
    /// Counts uses, to tell which window was used last.
    clock: u64,
    /// Where in the file was read or written last.
    last: Option<u64>,
}

#[derive(Debug)]
struct Window {
    /// Where it begins in the file.
    start: u64,
    bytes: Box<[u8]>,
    /// The bytes that are known.
    known: Range<usize>,
    /// Those of them that may be newer than the file's.
    changed: Range<usize>,
    used: u64,
}

/// A part of a window.
struct Place {
    /// Where the window begins in the file, and its length.
    start: u64,
    length: usize,
    /// The part.
    range: Range<usize>,
}

impl Windows {
    /// Bytes of a window.
    pub const WINDOW: usize = WINDOW;

    /// How many windows of this size a dataset has at a time.
    pub const MOST_BY_SIZE: usize = 16;

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether any of them is newer than the file.
    pub fn is_changed(&self) -> bool {
        self.state().windows.values().any(Window::is_changed)
    }

    /// Fills `target` from `offset` on. All of it is in the piece.
    pub fn read<F: ReadAt + WriteAt>(
        &self,
        store: &Store<F>,
        piece: Piece,
        offset: u64,
        mut target: Target<'_>,
    ) -> Result<(), StoreError> {
        let mut inside = piece.inside(store, offset, target.len())?;
        if target.len() >= WINDOW {
            self.flush(store)?;
            return store.read(offset, target, &mut []);
        }
        let mut state = self.state();
        let mut done = 0;
        while done < target.len() {
            let place = Place::of(piece, inside, target.len() - done);
            let part = Run { offset: done, length: place.range.len() };
            state.read(store, piece, &place, target.reborrow().part(part))?;
            done += part.length;
            inside += part.length as u64;
        }
        Ok(())
    }

    /// Writes all of `bytes` from `offset` on. All of them are in the piece.
    pub fn write<F: ReadAt + WriteAt>(
        &self,
        store: &Store<F>,
        piece: Piece,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), StoreError> {
        let mut inside = piece.inside(store, offset, bytes.len())?;
        if bytes.len() >= WINDOW {
            self.leave(store)?;
            return store.write(offset, bytes);
        }
        let mut state = self.state();
        let mut done = 0;
        while done < bytes.len() {
            let place = Place::of(piece, inside, bytes.len() - done);
            let part = &bytes[done..done + place.range.len()];
            state.write(store, &place, part)?;
            done += part.len();
            inside += part.len() as u64;
        }
        Ok(())
    }

    /// Writes to the file what is newer. If that fails, it stays here.
    pub fn flush<F: WriteAt>(&self, store: &Store<F>) -> Result<(), StoreError> {
        self.state().flush(store)
    }

    /// Writes to the file what is newer, and gives all windows up but those that cannot be written.
    pub fn leave<F: WriteAt>(&self, store: &Store<F>) -> Result<(), StoreError> {
        // At one moment: what somebody writes meanwhile must not be given up.
        let mut state = self.state();
        let outcome = state.flush(store);
        state.keep(Window::is_changed);
        outcome
    }

    /// Gives those up that are as the file.
    pub fn forget_unchanged(&self) {
        self.state().keep(Window::is_changed);
    }

    /// Gives all of them up, and with them what was not written.
    pub fn forget(&self) {
        *self.state() = State::default();
    }
}

impl State {
    fn read<F: ReadAt + WriteAt>(
        &mut self,
        store: &Store<F>,
        piece: Piece,
        place: &Place,
        target: Target<'_>,
    ) -> Result<(), StoreError> {
        // A window is worth reading if others will follow in it.
        let Some(window) = self.find(store, place, |last| Self::is_near(last, piece, place))? else {
            return store.read(place.start + place.range.start as u64, target, &mut []);
        };
        if !window.knows(&place.range) {
            window.complete(store)?;
        }
        target.copy_from(&window.bytes[place.range.clone()]);
        Ok(())
    }

    fn write<F: ReadAt + WriteAt>(
        &mut self,
        store: &Store<F>,
        place: &Place,
        bytes: &[u8],
    ) -> Result<(), StoreError> {
        let Some(window) = self.find(store, place, |_| true)? else {
            return store.write(place.start + place.range.start as u64, bytes);
        };
        if !window.touches(&place.range) {
            window.complete(store)?;
        }
        window.bytes[place.range.clone()].copy_from_slice(bytes);
        window.known = hull(&window.known, &place.range);
        window.change(&place.range);
        Ok(())
    }

    /// The window around a place. If there is none, it is opened if that is worthwhile and there is room; else `None`.
    fn find<F: WriteAt>(
        &mut self,
        store: &Store<F>,
        place: &Place,
        is_worthwhile: impl FnOnce(Option<u64>) -> bool,
    ) -> Result<Option<&mut Window>, StoreError> {
        self.clock += 1;
        let last = self.last.replace(place.start + place.range.start as u64);
        if !self.windows.contains_key(&place.start) {
            if !is_worthwhile(last) || HELD.load(Ordering::Relaxed) + place.length > PROCESS_BYTES {
                return Ok(None);
            }
            if self.windows.len() >= MOST || self.bytes + place.length > DATASET_BYTES {
                self.make_room(store)?;
            }
            self.bytes += place.length;
            self.windows.insert(place.start, Window::new(place.start, place.length));
        }
        let Some(window) = self.windows.get_mut(&place.start) else { return Ok(None) };
        window.used = self.clock;
        Ok(Some(window))
    }

    /// Whether it is likely that more is read there: all of the piece has room in windows, or the call before was near. A run
    /// that is not short is read faster by itself.
    fn is_near(last: Option<u64>, piece: Piece, place: &Place) -> bool {
        let is_small = piece.length <= DATASET_BYTES as u64;
        let distance = last.map(|last| last.abs_diff(place.start + place.range.start as u64));
        place.range.len() < NEAR && (is_small || distance.is_some_and(|bytes| bytes <= NEAR as u64))
    }

    /// Writes the half of them that was not used for longer, and gives it up: not every new window shall have to look for the
    /// oldest one.
    fn make_room<F: WriteAt>(&mut self, store: &Store<F>) -> Result<(), StoreError> {
        let mut uses: Vec<_> = self.windows.values().map(|window| window.used).collect();
        let middle = uses.len() / 2;
        let (_, middle, _) = uses.select_nth_unstable(middle);
        for window in self.windows.values_mut().filter(|window| window.used <= *middle) {
            window.flush(store)?;
        }
        self.keep(|window| window.used > *middle);
        Ok(())
    }

    fn flush<F: WriteAt>(&mut self, store: &Store<F>) -> Result<(), StoreError> {
        let mut outcome = Ok(());
        for window in self.windows.values_mut() {
            // One failure does not keep the others from being written.
            outcome = outcome.and(window.flush(store));
        }
        outcome
    }

    fn keep(&mut self, is_kept: impl Fn(&Window) -> bool) {
        self.windows.retain(|_, window| is_kept(window));
        self.bytes = self.windows.values().map(|window| window.bytes.len()).sum();
    }
}

impl Window {
    /// A window of which nothing is known.
    fn new(start: u64, length: usize) -> Self {
        HELD.fetch_add(length, Ordering::Relaxed);
        let bytes = vec![0; length].into_boxed_slice();
        Self { start, bytes, known: 0..0, changed: 0..0, used: 0 }
    }

    fn is_changed(&self) -> bool {
        !self.changed.is_empty()
    }

    fn knows(&self, range: &Range<usize>) -> bool {
        self.known.start <= range.start && range.end <= self.known.end
    }

    /// Whether a range and the one that is known make up one range.
    fn touches(&self, range: &Range<usize>) -> bool {
        self.known.is_empty() || (range.start <= self.known.end && self.known.start <= range.end)
    }

    /// Reads what is not known.
    fn complete<F: ReadAt>(&mut self, store: &Store<F>) -> Result<(), StoreError> {
        let before = 0..self.known.start;
        let after = self.known.end..self.bytes.len();
        for range in [before, after] {
            if !range.is_empty() {
                let offset = self.start + range.start as u64;
                store.read(offset, Target::from_slice(&mut self.bytes[range]), &mut [])?;
            }
        }
        self.known = 0..self.bytes.len();
        Ok(())
    }

    fn change(&mut self, range: &Range<usize>) {
        if !self.is_changed() {
            UNWRITTEN.fetch_add(self.bytes.len(), Ordering::Relaxed);
        }
        self.changed = hull(&self.changed, range);
    }

    fn flush<F: WriteAt>(&mut self, store: &Store<F>) -> Result<(), StoreError> {
        if self.is_changed() {
            let changed = self.changed.clone();
            store.write(self.start + changed.start as u64, &self.bytes[changed])?;
            self.is_written();
        }
        Ok(())
    }

    fn is_written(&mut self) {
        if self.is_changed() {
            UNWRITTEN.fetch_sub(self.bytes.len(), Ordering::Relaxed);
            self.changed = 0..0;
        }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        self.is_written();
        HELD.fetch_sub(self.bytes.len(), Ordering::Relaxed);
    }
}

impl Piece {
    /// Where bytes begin in the piece; an error unless all of them are in it, and in the file.
    fn inside<F>(self, store: &Store<F>, offset: u64, length: usize) -> Result<u64, StoreError> {
        store.check(offset, length as u64)?;
        offset
            .checked_sub(self.start)
            .filter(|inside| inside.checked_add(length as u64).is_some_and(|end| end <= self.length))
            .ok_or(StoreError::OutsideFile { offset, length: length as u64, end: store.end() })
    }
}

impl Place {
    /// The place of bytes that are in the piece: as many of `left` as are in one window.
    fn of(piece: Piece, inside: u64, left: usize) -> Self {
        let first = inside % WINDOW as u64;
        let before = inside - first;
        let length = usize::try_from(piece.length - before).unwrap_or(WINDOW).min(WINDOW);
        let first = usize::try_from(first).unwrap_or(WINDOW);
        Self { start: piece.start + before, length, range: first..length.min(first.saturating_add(left)) }
    }
}

/// The shortest range around both, of which one may be empty.
fn hull(one: &Range<usize>, other: &Range<usize>) -> Range<usize> {
    if one.is_empty() { other.clone() } else { one.start.min(other.start)..one.end.max(other.end) }
}

#[cfg(test)]
mod tests;
