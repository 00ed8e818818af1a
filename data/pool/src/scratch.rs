//! Working memory of one thread: kept from task to task, so that decoding a chunk allocates nothing.

use crate::aligned::AlignedBytes;
use crate::shim::thread_local;
use std::any::Any;
use std::cell::Cell;
use std::fmt;

/// Every piece of scratch begins at a multiple of this, a page: no copy out of it is slowed down by its address.
pub const ALIGNMENT: usize = 4096;

/// A thread keeps at most this many bytes of scratch from one batch to the next; what is beyond is freed.
pub const KEPT_BYTES: usize = 8 << 20;

/// Growable working memory, handed to each task by [`Pool::run`](crate::Pool::run).
///
/// The bytes are initialised, but with whatever an earlier task has left in them.
pub struct Scratch {
    bytes: AlignedBytes,
    tool: Option<Box<dyn Tool>>,
}

/// What a thread keeps from task to task besides bytes: decompressors, say, which are costly to set up.
pub trait Tool: Any {
    /// A batch has ended: gives back memory beyond what an idle thread should hold.
    fn trim(&mut self);
}

/// A task asked for more scratch than the system has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfMemory {
    /// How many bytes were asked for; `usize::MAX` if their number did not even fit.
    pub bytes: usize,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "no memory for {} bytes of working space", self.bytes)
    }
}

impl std::error::Error for OutOfMemory {}

impl Scratch {
    /// Holds nothing yet.
    pub const fn new() -> Self {
        Self { bytes: AlignedBytes::empty(), tool: None }
    }

    /// `len` bytes of unspecified content, aligned to [`ALIGNMENT`].
    pub fn bytes(&mut self, len: usize) -> Result<&mut [u8], OutOfMemory> {
        self.reserve(len)?;
        Ok(&mut self.bytes.as_mut_slice()[..len])
    }

    /// Several separate pieces at once, each aligned to [`ALIGNMENT`]: say, the bytes as stored and as decoded.
    pub fn pieces<const N: usize>(&mut self, lens: [usize; N]) -> Result<[&mut [u8]; N], OutOfMemory> {
        self.reserve_pieces(&lens)?;
        Ok(split(self.bytes.as_mut_slice(), lens))
    }

    /// Pieces, and the tool of this type: the one of the last task, or a new one if that used another type.
    pub fn pieces_and_tool<const N: usize, T: Tool + Default>(
        &mut self,
        lens: [usize; N],
    ) -> Result<([&mut [u8]; N], &mut T), OutOfMemory> {
        self.reserve_pieces(&lens)?;
        let is_there = self.tool.as_ref().is_some_and(|tool| (&**tool as &dyn Any).is::<T>());
        if !is_there {
            self.tool = Some(Box::<T>::default());
        }
        let tool = self.tool.as_mut().and_then(|tool| (&mut **tool as &mut dyn Any).downcast_mut());
        Ok((split(self.bytes.as_mut_slice(), lens), tool.expect("it was put there if it was not")))
    }

    fn reserve_pieces(&mut self, lens: &[usize]) -> Result<(), OutOfMemory> {
        let total = lens
            .iter()
            .try_fold(0usize, |sum, len| sum.checked_add(len.checked_next_multiple_of(ALIGNMENT)?))
            .ok_or(OutOfMemory { bytes: usize::MAX })?;
        self.reserve(total)
    }

    /// How many bytes can be had without an allocation.
    pub const fn capacity(&self) -> usize {
        self.bytes.len()
    }

    /// Frees everything if it is more than a thread may keep between batches.
    pub(crate) fn trim(&mut self) {
        if self.capacity() > KEPT_BYTES {
            self.bytes = AlignedBytes::empty();
        }
        if let Some(tool) = &mut self.tool {
            tool.trim();
        }
    }

    fn reserve(&mut self, len: usize) -> Result<(), OutOfMemory> {
        if len <= self.capacity() {
            return Ok(());
        }
        // Doubling while the buffer may be kept; beyond that it is freed soon, so not more than asked for.
        let rounded = if len <= KEPT_BYTES { len.next_power_of_two() } else { len };
        let rounded = rounded.checked_next_multiple_of(ALIGNMENT).ok_or(OutOfMemory { bytes: len })?;
        // The old bytes need not survive: free them first, so that both never exist together.
        self.bytes = AlignedBytes::empty();
        self.bytes = AlignedBytes::zeroed(rounded).ok_or(OutOfMemory { bytes: len })?;
        Ok(())
    }
}

/// Pieces of these lengths, each at a multiple of [`ALIGNMENT`].
fn split<const N: usize>(bytes: &mut [u8], lens: [usize; N]) -> [&mut [u8]; N] {
    let mut rest = bytes;
    lens.map(|len| {
        let (piece, tail) = std::mem::take(&mut rest).split_at_mut(len.next_multiple_of(ALIGNMENT));
        rest = tail;
        &mut piece[..len]
    })
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Scratch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Scratch").field("capacity", &self.capacity()).finish()
    }
}

thread_local! {
    static CALLERS: Cell<Scratch> = const { Cell::new(Scratch::new()) };
}

/// Runs `work` with the scratch of this (the application's) thread.
///
/// It is taken out of its place meanwhile: a batch inside a batch finds an empty one. So does a thread whose
/// thread-locals are already gone.
pub(crate) fn with_callers_scratch<R>(work: impl FnOnce(&mut Scratch) -> R) -> R {
    struct PutBack(Scratch);
    impl Drop for PutBack {
        fn drop(&mut self) {
            let mut scratch = std::mem::take(&mut self.0);
            scratch.trim();
            // An error means that the thread is ending: then the bytes are freed here.
            let _ = CALLERS.try_with(|place| place.set(scratch));
        }
    }
    let mut taken = PutBack(CALLERS.try_with(Cell::take).unwrap_or_default());
    work(&mut taken.0)
}

#[cfg(all(test, not(feature = "shuttle")))]
mod tests {
    use super::*;

    #[test]
    fn grows_and_is_reused() {
        let mut scratch = Scratch::new();
        assert_eq!(scratch.capacity(), 0);
        let first = scratch.bytes(100).unwrap().as_ptr();
        assert_eq!(scratch.bytes(4096).unwrap().as_ptr(), first);
        assert_eq!(scratch.bytes(5000).unwrap().len(), 5000);
        assert_eq!(scratch.capacity(), 8192);
        assert!(scratch.bytes(0).unwrap().is_empty());
    }

    #[test]
    fn pieces_are_separate_and_aligned() {
        let mut scratch = Scratch::new();
        let [one, two, three] = scratch.pieces([1, 4096, 5000]).unwrap();
        assert_eq!((one.len(), two.len(), three.len()), (1, 4096, 5000));
        for piece in [&*one, &*two, &*three] {
            assert_eq!(piece.as_ptr().addr() % ALIGNMENT, 0);
        }
        one.fill(1);
        two.fill(2);
        three.fill(3);
        assert!(one == [1] && two.iter().all(|&byte| byte == 2));
    }

    #[test]
    fn a_tool_stays_until_another_is_wanted() {
        #[derive(Default)]
        struct Counter(u32);
        #[derive(Default)]
        struct Other;
        impl Tool for Counter {
            fn trim(&mut self) {
                self.0 += 100;
            }
        }
        impl Tool for Other {
            fn trim(&mut self) {}
        }
        let mut scratch = Scratch::new();
        for expected in 0..3 {
            let ([piece], counter) = scratch.pieces_and_tool::<1, Counter>([10]).unwrap();
            assert_eq!((piece.len(), counter.0), (10, expected));
            counter.0 += 1;
        }
        scratch.trim();
        assert_eq!(scratch.pieces_and_tool::<0, Counter>([]).unwrap().1.0, 103);
        scratch.pieces_and_tool::<0, Other>([]).unwrap();
        assert_eq!(scratch.pieces_and_tool::<0, Counter>([]).unwrap().1.0, 0);
    }

    #[test]
    fn too_much_is_an_error() {
        let mut scratch = Scratch::new();
        assert_eq!(scratch.bytes(usize::MAX).unwrap_err(), OutOfMemory { bytes: usize::MAX });
        assert!(scratch.pieces([usize::MAX / 2, usize::MAX / 2 + 2]).is_err());
        assert!(scratch.bytes(10).is_ok());
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut scratch = Scratch::new();
        scratch.bytes(KEPT_BYTES).unwrap();
        scratch.trim();
        assert_eq!(scratch.capacity(), KEPT_BYTES);
        scratch.bytes(KEPT_BYTES + 1).unwrap();
        scratch.trim();
        assert_eq!(scratch.capacity(), 0);
    }

    #[test]
    fn a_callers_scratch_stays_with_its_thread() {
        let first = with_callers_scratch(|scratch| scratch.bytes(64).unwrap().as_ptr().addr());
        with_callers_scratch(|scratch| {
            assert_eq!(scratch.bytes(64).unwrap().as_ptr().addr(), first);
            with_callers_scratch(|nested| assert_eq!(nested.capacity(), 0));
        });
        with_callers_scratch(|scratch| scratch.bytes(KEPT_BYTES + 1).map(|_| ()).unwrap());
        with_callers_scratch(|scratch| assert_eq!(scratch.capacity(), 0));
    }
}
