//! Copying blocks at regular distances from a buffer into memory.

use crate::memory::Memory;

/// Blocks of equal length at regular distances, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Blocks {
    /// First block in the source.
    pub(crate) from: usize,
    /// From one block to the next in the source.
    pub(crate) from_stride: usize,
    /// First block in memory.
    pub(crate) to: usize,
    /// From one block to the next in memory.
    pub(crate) to_stride: usize,
    /// Bytes of a block in the source.
    pub(crate) length: usize,
    /// Bytes of a block in memory: others only if elements are converted on the way.
    pub(crate) to_length: usize,
    /// How many blocks.
    pub(crate) count: usize,
}

impl Blocks {
    /// Bytes from the first to behind the last on one side; `None` if that overflows.
    fn span(first: usize, stride: usize, length: usize, count: usize) -> Option<usize> {
        stride.checked_mul(count.checked_sub(1)?)?.checked_add(length)?.checked_add(first)
    }

    /// `count` of them from number `turn` on.
    ///
    /// # Panics
    /// If their positions overflow.
    pub(crate) fn turns(&self, turn: usize, count: usize) -> Self {
        let at = |first: usize, stride: usize| stride.checked_mul(turn).and_then(|by| first.checked_add(by));
        let from = at(self.from, self.from_stride).expect("a place in the buffer");
        let to = at(self.to, self.to_stride).expect("a place in memory");
        Self { from, to, count, ..*self }
    }

    /// Appends a single block if that makes one of the two: it carries on on both sides, or it is one more at
    /// the same distances.
    pub(crate) fn append(&mut self, next: &Self) -> bool {
        let (Some(from), Some(to)) = (next.from.checked_sub(self.from), next.to.checked_sub(self.to)) else {
            return false;
        };
        if next.count != 1 {
            return false;
        }
        if self.count == 1 && from == self.length && to == self.to_length {
            self.length += next.length;
            self.to_length += next.to_length;
            return true;
        }
        if next.length != self.length {
            return false;
        }
        if self.count == 1 {
            (self.from_stride, self.to_stride) = (from, to);
        } else if self.from_stride.checked_mul(self.count) != Some(from)
            || self.to_stride.checked_mul(self.count) != Some(to)
        {
            return false;
        }
        self.count += 1;
        true
    }
}

/// Copies blocks from `source` to memory.
///
/// # Panics
/// If a block lies outside of either.
pub(crate) fn scatter(source: &[u8], memory: &Memory<'_>, blocks: &Blocks) {
    if blocks.count == 0 || blocks.length == 0 {
        return;
    }
    debug_assert_eq!(blocks.length, blocks.to_length, "nothing is converted here");
    let read_to = Blocks::span(blocks.from, blocks.from_stride, blocks.length, blocks.count);
    assert!(read_to.is_some_and(|end| end <= source.len()), "the blocks lie in the buffer");
    let write_to = Blocks::span(blocks.to, blocks.to_stride, blocks.length, blocks.count);
    assert!(write_to.is_some_and(|end| end <= memory.len()), "the blocks lie in memory");
    // SAFETY: all blocks lie in `source` and in the memory, by the checks; the two do not overlap because the
    // memory is exclusively ours.
    unsafe {
        match blocks.length {
            1 => copy_fixed::<1>(source, memory, blocks),
            2 => copy_fixed::<2>(source, memory, blocks),
            3 => copy_fixed::<3>(source, memory, blocks),
            4 => copy_fixed::<4>(source, memory, blocks),
            8 => copy_fixed::<8>(source, memory, blocks),
            12 => copy_fixed::<12>(source, memory, blocks),
            16 => copy_fixed::<16>(source, memory, blocks),
            24 => copy_fixed::<24>(source, memory, blocks),
            32 => copy_fixed::<32>(source, memory, blocks),
            64 => copy_fixed::<64>(source, memory, blocks),
            _ => copy_any(source, memory, blocks),
        }
    }
}

/// # Safety
/// All blocks lie in `source` and in `memory`, which do not overlap; the length is `SIZE`.
unsafe fn copy_fixed<const SIZE: usize>(source: &[u8], memory: &Memory<'_>, blocks: &Blocks) {
    // SAFETY: the first blocks lie within, by the contract.
    let (mut from, mut to) =
        unsafe { (source.as_ptr().add(blocks.from), memory.target(blocks.to, SIZE).as_ptr()) };
    for turn in (0..blocks.count).rev() {
        // SAFETY: by the contract; arrays of bytes have no alignment.
        unsafe { to.cast::<[u8; SIZE]>().write(from.cast::<[u8; SIZE]>().read()) };
        if turn > 0 {
            // SAFETY: there is another block.
            (from, to) = unsafe { (from.add(blocks.from_stride), to.add(blocks.to_stride)) };
        }
    }
}

/// # Safety
/// As [`copy_fixed`], for any length.
unsafe fn copy_any(source: &[u8], memory: &Memory<'_>, blocks: &Blocks) {
    let target = memory.target(blocks.to, blocks.length).as_ptr();
    for turn in 0..blocks.count {
        // SAFETY: block number `turn` lies in both, by the contract, and they do not overlap.
        unsafe {
            let from = source.as_ptr().add(blocks.from + turn * blocks.from_stride);
            copy_block(from, target.add(turn * blocks.to_stride), blocks.length);
        }
    }
}

/// # Safety
/// `length` bytes at `from` are valid to read, at `to` to write, and they do not overlap.
unsafe fn copy_block(from: *const u8, to: *mut u8, length: usize) {
    /// The C library copies less than this with vector instructions, and more with string moves.
    const VECTORS: usize = 2048;
    // String moves are slow if the target is a little further in its page than the source.
    let is_slow = (1..64).contains(&(to.addr().wrapping_sub(from.addr()) % 4096));
    let step = if cfg!(target_arch = "x86_64") && is_slow { VECTORS } else { length };
    let mut done = 0;
    while done < length {
        let part = step.min(length - done);
        // SAFETY: `done..done + part` lies within `length`.
        unsafe { core::ptr::copy_nonoverlapping(from.add(done), to.add(done), part) };
        done += part;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_and_stride() {
        let source: Vec<u8> = (0..=255).cycle().take(512).collect();
        for length in (1..26).chain([32, 36]) {
            for (from_stride, to_stride) in
                [(length, length), (length + 3, length), (length, length + 5), (0, length)]
            {
                let count = 5;
                let mut memory = vec![0xEE; 400];
                let blocks =
                    Blocks { from: 7, from_stride, to: 3, to_stride, length, to_length: length, count };
                scatter(&source, &Memory::from_slice(&mut memory), &blocks);
                let mut expected = vec![0xEE; 400];
                for turn in 0..count {
                    for byte in 0..length {
                        expected[3 + turn * to_stride + byte] = source[7 + turn * from_stride + byte];
                    }
                }
                assert_eq!(memory, expected, "{blocks:?}");
            }
        }
    }

    #[test]
    fn blocks_of_one_pattern_become_one() {
        let one = |from, to, length| Blocks {
            from,
            from_stride: 9,
            to,
            to_stride: 9,
            length,
            to_length: length,
            count: 1,
        };
        let joined = |list: &[Blocks]| {
            let mut all: Vec<Blocks> = Vec::new();
            for blocks in list {
                if !all.last_mut().is_some_and(|last| last.append(blocks)) {
                    all.push(*blocks);
                }
            }
            all
        };
        let run = joined(&[one(0, 5, 10), one(10, 15, 7), one(17, 22, 1)]);
        assert_eq!(run, [one(0, 5, 18)]);
        let strided = joined(&[one(0, 5, 10), one(12, 105, 10), one(24, 205, 10)]);
        let pattern = Blocks { from_stride: 12, to_stride: 100, count: 3, ..one(0, 5, 10) };
        assert_eq!(strided, [pattern]);
        let repeated = joined(&[one(8, 0, 2), one(8, 2, 2), one(8, 4, 2)]);
        assert_eq!(repeated, [Blocks { from_stride: 0, to_stride: 2, count: 3, ..one(8, 0, 2) }]);
        for other in [one(36, 204, 10), one(35, 305, 10), one(36, 305, 9), one(1, 305, 10), one(36, 0, 10)] {
            assert_eq!(joined(&[pattern, other]).len(), 2, "{other:?}");
        }
        assert_eq!(joined(&[pattern, Blocks { count: 2, ..one(36, 305, 10) }]).len(), 2);
        assert_eq!(joined(&[one(0, 5, 10), one(12, 5 - 4, 10)]).len(), 2);
    }

    #[test]
    #[should_panic(expected = "lie in memory")]
    fn a_block_outside_memory_panics() {
        let blocks =
            Blocks { from: 0, from_stride: 4, to: 0, to_stride: 4, length: 4, to_length: 4, count: 3 };
        scatter(&[0; 12], &Memory::from_slice(&mut [0; 11]), &blocks);
    }

    #[test]
    #[should_panic(expected = "lie in the buffer")]
    fn a_block_outside_the_buffer_panics() {
        let blocks = Blocks {
            from: 0,
            from_stride: usize::MAX,
            to: 0,
            to_stride: 4,
            length: 4,
            to_length: 4,
            count: 3,
        };
        scatter(&[0; 12], &Memory::from_slice(&mut [0; 12]), &blocks);
    }
}
