//! Elements from a buffer into memory, as they are or converted on the way. When reading, the memory is the
//! application's; when writing, the application's is the buffer, and the memory becomes what is written.

use convert::Conversion;

use crate::memory::Memory;
use crate::scatter::{Blocks, scatter};

/// Bytes converted at a time at most, on either side: both stay in a core's own cache.
pub(crate) const BATCH: usize = 64 * 1024;

/// Where elements go.
pub(crate) struct Delivery<'d, 'b> {
    pub(crate) memory: &'d Memory<'d>,
    converting: Option<Converting<'d, 'b>>,
}

/// How elements are converted on the way.
struct Converting<'d, 'b> {
    conversion: &'d Conversion,
    /// Bytes of an element on either side.
    from: usize,
    to: usize,
    /// For elements that do not lie one after another in the source, or in memory.
    gathered: &'b mut [u8],
    converted: &'b mut [u8],
}

/// Bytes of buffers that delivering takes, for either side: elements of these sizes, if they are converted.
pub(crate) fn buffer_lengths(is_converting: bool, (from, to): (u64, u64)) -> [usize; 2] {
    let length = |element: u64| usize::try_from(element).unwrap_or(usize::MAX).max(BATCH);
    if is_converting { [length(from), length(to)] } else { [0, 0] }
}

impl<'d, 'b> Delivery<'d, 'b> {
    /// The delivery to `memory` of elements of these sizes in the source and there, with buffers of
    /// [`buffer_lengths`].
    pub(crate) fn new(
        memory: &'d Memory<'d>,
        conversion: Option<&'d Conversion>,
        (from, to): (u64, u64),
        [gathered, converted]: [&'b mut [u8]; 2],
    ) -> Self {
        let size = |element: u64| usize::try_from(element).unwrap_or(usize::MAX);
        let (from, to) = (size(from), size(to));
        let converting =
            conversion.map(|conversion| Converting { conversion, from, to, gathered, converted });
        Self { memory, converting }
    }

    /// The delivery of bytes as they are.
    #[cfg(test)]
    pub(crate) fn plain(memory: &'d Memory<'d>) -> Self {
        Self { memory, converting: None }
    }

    /// Whether the bytes in memory are those in the file, so that they may go there without this.
    pub(crate) fn is_plain(&self) -> bool {
        self.converting.is_none()
    }

    /// Takes blocks of whole elements out of `source`.
    ///
    /// # Panics
    /// If a block lies outside of `source` or of the memory.
    pub(crate) fn deliver(&mut self, source: &[u8], blocks: &Blocks) {
        match &mut self.converting {
            None => scatter(source, self.memory, blocks),
            Some(converting) => converting.deliver(source, self.memory, blocks),
        }
    }
}

impl Converting<'_, '_> {
    fn deliver(&mut self, source: &[u8], memory: &Memory<'_>, blocks: &Blocks) {
        let is_run_in_source = blocks.count == 1 || blocks.from_stride == blocks.length;
        let is_run_in_memory = blocks.count == 1 || blocks.to_stride == blocks.to_length;
        if is_run_in_source && is_run_in_memory {
            let (length, to_length) = (blocks.length * blocks.count, blocks.to_length * blocks.count);
            self.conversion.convert(&source[blocks.from..][..length], memory.slice(blocks.to, to_length));
            return;
        }
        if blocks.length > self.gathered.len() || blocks.to_length > self.converted.len() {
            // Blocks that are large are runs themselves.
            for turn in 0..blocks.count {
                self.deliver(source, memory, &blocks.turns(turn, 1));
            }
            return;
        }
        let together = (self.gathered.len() / blocks.length).min(self.converted.len() / blocks.to_length);
        let mut done = 0;
        while done < blocks.count {
            let group = blocks.turns(done, together.min(blocks.count - done));
            self.group(source, memory, &group, is_run_in_source, is_run_in_memory);
            done += group.count;
        }
    }

    /// Converts blocks that fit the buffers.
    fn group(
        &mut self,
        source: &[u8],
        memory: &Memory<'_>,
        group: &Blocks,
        is_run_in_source: bool,
        is_run_in_memory: bool,
    ) {
        let (length, to_length) = (group.length * group.count, group.to_length * group.count);
        debug_assert_eq!(length / self.from, to_length / self.to, "as many elements on both sides");
        let elements = if is_run_in_source {
            &source[group.from..][..length]
        } else {
            let buffer = &mut self.gathered[..length];
            let side_by_side = Blocks { to: 0, to_stride: group.length, to_length: group.length, ..*group };
            scatter(source, &Memory::from_slice(buffer), &side_by_side);
            &*buffer
        };
        if is_run_in_memory {
            self.conversion.convert(elements, memory.slice(group.to, to_length));
            return;
        }
        let converted = &mut self.converted[..to_length];
        if !self.conversion.writes_all() {
            // What the conversion leaves alone must come back as it was.
            for (turn, block) in converted.chunks_exact_mut(group.to_length).enumerate() {
                memory.copy_to(group.to + turn * group.to_stride, block);
            }
        }
        self.conversion.convert(elements, converted);
        let back = Blocks { from: 0, from_stride: group.to_length, length: group.to_length, ..*group };
        scatter(converted, memory, &back);
    }
}
