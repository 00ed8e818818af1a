//! A buffer for elements that are not yet what the application wants: read as they are stored, a batch at a time.

use std::vec::IntoIter;

use engine::{Fill, Layout, Memory, Part, Source};
use selection::{Extent, Selection};

use crate::inspect::selection::Selected;
use crate::report::reason::Reason;

/// The batches of a part of a read, and a buffer for one of them.
#[derive(Debug)]
pub(crate) struct Stage {
    /// The batches that are not ready yet.
    waiting: IntoIter<Selected>,
    buffer: Vec<u8>,
    /// Bytes of a stored element.
    size: usize,
    /// The elements of the batch, and the rank of the first one among those of all batches.
    elements: usize,
    first: u64,
    /// What is to be read, until it is.
    next: Option<Batch>,
}

#[derive(Debug)]
struct Batch {
    layout: Layout,
    file: Selected,
    /// Where it goes in the buffer: one after another.
    memory: Selection,
    /// What is read where there is no storage.
    filler: Fill,
}

impl Stage {
    /// A stage for elements of so many bytes.
    pub(crate) fn new(batches: Vec<Selected>, size: usize) -> Self {
        Self { waiting: batches.into_iter(), buffer: Vec::new(), size, elements: 0, first: 0, next: None }
    }

    /// What the batch that comes next selects, if there is one.
    pub(crate) fn take_next(&mut self) -> Option<Selected> {
        self.waiting.next()
    }

    /// Makes a batch ready, of elements that need at most so many bytes each while they are here.
    pub(crate) fn make_ready(
        &mut self,
        file: Selected,
        layout: Layout,
        filler: Fill,
        most: usize,
    ) -> Result<(), Reason> {
        self.first += self.elements as u64;
        self.elements = usize::try_from(file.selection.len()).map_err(|_| Reason::TooLarge)?;
        let bytes = self.elements.checked_mul(self.size.max(most)).ok_or(Reason::TooLarge)?;
        make_room(&mut self.buffer, bytes)?;
        let extent = Extent::new(&[file.selection.len()]).map_err(|_| Reason::TooLarge)?;
        self.next = Some(Batch { layout, file, memory: Selection::all(&extent), filler });
        Ok(())
    }

    /// The layout of the batch that is ready.
    pub(crate) fn layout(&self) -> Option<&Layout> {
        self.next.as_ref().map(|batch| &batch.layout)
    }

    /// The engine's part of the batch that is ready: elements as they are stored, into the buffer.
    pub(crate) fn part<'b>(&'b mut self, source: &'b Source) -> Option<Part<'b>> {
        let batch = self.next.take()?;
        Some(Part {
            source,
            layout: batch.layout,
            element: self.size as u64,
            conversion: None,
            file: batch.file.selection,
            file_in_order: batch.file.in_order,
            memory_selection: batch.memory,
            memory: Memory::from_slice(&mut self.buffer[..self.elements * self.size]),
            fill: batch.filler,
        })
    }

    /// Elements of the batch.
    pub(crate) fn elements(&self) -> usize {
        self.elements
    }

    /// The rank of its first element among those of all batches.
    pub(crate) fn first(&self) -> u64 {
        self.first
    }

    /// The buffer, which begins with the elements.
    pub(crate) fn buffer(&mut self) -> &mut [u8] {
        &mut self.buffer
    }

    /// The elements as they are stored.
    pub(crate) fn stored(&mut self) -> &mut [u8] {
        &mut self.buffer[..self.elements * self.size]
    }
}

/// Makes a buffer at least so large.
pub(crate) fn make_room(buffer: &mut Vec<u8>, bytes: usize) -> Result<(), Reason> {
    let more = bytes.saturating_sub(buffer.len());
    buffer.try_reserve_exact(more).map_err(|_| Reason::TooLarge)?;
    buffer.resize(buffer.len() + more, 0);
    Ok(())
}
