//! Elements on their way through a buffer of our own: read as they are stored, converted there by HDF5, and then put
//! where the application wants them.

use core::ops::Range;
use std::sync::Arc;
use std::vec::IntoIter;

use engine::{ChunkAddress, ChunkData, Fill, Layout, Memory, Part, Source};
use h5_host::Questions;
use h5_vol::BelowObject;
use h5_vol::calls::MemoryTarget;
use selection::{ChunkGrid, Extent, Selection};
use trace::Kind;

use crate::coherency::resolved::Resolved;
use crate::inspect::chunks::Manner;
use crate::inspect::fill::{Filling, Missing, is_converted_with_others, zeros};
use crate::inspect::selection::Selected;
use crate::read::host_conversion::HostConversion;
use crate::report::reason::Reason;
use crate::run::memory;

/// One dataset's part of a read that HDF5 converts, a batch at a time.
pub(crate) struct Staged<'a> {
    pub(crate) below: &'a BelowObject,
    pub(crate) dataset: Arc<Resolved>,
    pub(crate) manner: Manner,
    pub(crate) conversion: HostConversion,
    /// The application's memory, and where in it the elements of all batches go.
    pub(crate) target: &'a MemoryTarget<'a>,
    pub(crate) places: Selection,
    /// The batches that are not ready yet.
    pub(crate) waiting: IntoIter<Selected>,
    pub(crate) room: Room,
}

/// Where a batch is on its way.
#[derive(Debug, Default)]
pub(crate) struct Room {
    buffer: Vec<u8>,
    background: Vec<u8>,
    /// The elements of the batch, and the rank of the first one among those of all batches.
    elements: usize,
    first: u64,
    holes: Option<Holes>,
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

/// The elements of a batch that have no storage, and what they are in memory.
#[derive(Debug)]
struct Holes {
    grid: ChunkGrid,
    file: Selection,
    /// Of each chunk that the batch touches.
    is_missing: Vec<bool>,
    element: Vec<u8>,
}

/// HDF5 has failed to convert, and said why on the error stack.
#[derive(Debug)]
pub(crate) struct NotConverted;

impl Staged<'_> {
    /// Makes ready for the batch that comes next; `false` if there is none.
    pub(crate) fn prepare(&mut self, questions: Questions) -> Result<bool, Reason> {
        let Some(file) = self.waiting.next() else { return Ok(false) };
        let layout = self.dataset.layout(questions, self.below, &file.selection, self.manner)?;
        let (filler, holes) = self.missing(questions, &file.selection, &layout)?;
        self.room.holes = holes;
        self.room.first += self.room.elements as u64;
        self.room.elements = usize::try_from(file.selection.len()).map_err(|_| Reason::TooLarge)?;
        let bytes = |element: usize| self.room.elements.checked_mul(element).ok_or(Reason::TooLarge);
        let (stored, in_memory) =
            (bytes(self.conversion.stored_size())?, bytes(self.conversion.memory_size())?);
        make_room(&mut self.room.buffer, stored.max(in_memory))?;
        if self.conversion.needs_background() {
            make_room(&mut self.room.background, in_memory)?;
        }
        let extent = Extent::new(&[file.selection.len()]).map_err(|_| Reason::TooLarge)?;
        self.room.next = Some(Batch { layout, file, memory: Selection::all(&extent), filler });
        Ok(true)
    }

    /// The layout of the batch that is ready.
    pub(crate) fn layout(&self) -> Option<&Layout> {
        self.room.next.as_ref().map(|batch| &batch.layout)
    }

    /// The engine's part of the batch that is ready: elements as they are stored, into the buffer.
    pub(crate) fn part<'b>(&'b mut self, source: &'b Source) -> Option<Part<'b>> {
        let bytes = self.room.elements * self.conversion.stored_size();
        let batch = self.room.next.take()?;
        Some(Part {
            source,
            layout: batch.layout,
            element: self.dataset.element(),
            conversion: None,
            file: batch.file.selection,
            file_in_order: batch.file.in_order,
            memory_selection: batch.memory,
            memory: Memory::from_slice(&mut self.room.buffer[..bytes]),
            fill: batch.filler,
        })
    }

    /// What to do about chunks that were never written: what is read in their place, and what their elements are in
    /// memory if that is not what the conversion makes of it.
    fn missing(
        &self,
        questions: Questions,
        file: &Selection,
        layout: &Layout,
    ) -> Result<(Fill, Option<Holes>), Reason> {
        let missing = Missing::of(layout);
        if missing == Missing::Nothing {
            return Ok((Fill::Untouched, None));
        }
        let filling = self.dataset.filling(questions, self.below)?;
        let element = fill_element(questions, &self.conversion, &filling)?.ok_or(Reason::Conversion)?;
        let stored = match filling {
            Filling::Value(value) => value,
            Filling::Zeros | Filling::Untouched => zeros(self.dataset.element())?,
        };
        let is_same_either_way = !self.conversion.needs_background()
            && self.conversion.convert_fill(questions, &stored).as_ref() == Some(&element);
        match (is_converted_with_others(questions.host()), missing) {
            (Some(false), _) => {}
            (Some(true), Missing::Some) => return Ok((Fill::Element(stored), None)),
            _ if is_same_either_way => {}
            // There may be other chunks, or none.
            _ => return Err(Reason::Conversion),
        }
        let (grid, is_missing): (_, Vec<bool>) = match layout {
            Layout::Missing | Layout::Contiguous(_) => return Err(Reason::Conversion),
            Layout::Chunked { grid, chunks } => {
                (grid, chunks.iter().map(|chunk| matches!(chunk, ChunkAddress::Missing)).collect())
            }
            Layout::Filtered(filtered) => {
                let chunks = filtered.chunks.iter();
                (&filtered.grid, chunks.map(|chunk| matches!(chunk, ChunkData::Missing)).collect())
            }
        };
        let holes = Holes { grid: grid.clone(), file: file.clone(), is_missing, element };
        Ok((Fill::Untouched, Some(holes)))
    }

    /// Converts what is in the buffer now, and gives it to the application.
    pub(crate) fn deliver(&mut self, questions: Questions) -> Result<(), NotConverted> {
        let Room { buffer, background, elements, first, holes, .. } = &mut self.room;
        let _span = trace::step(Kind::HostConvert, buffer.len() as u64);
        let size = self.conversion.memory_size();
        let places = (&self.places, *first, *elements, size);
        let background = self.conversion.needs_background().then(|| {
            each_run(places, |place, range| memory::take(self.target, place, &mut background[range]));
            background.as_mut_slice()
        });
        if !self.conversion.convert(questions, *elements, buffer, background) {
            return Err(NotConverted);
        }
        if let Some(holes) = holes {
            holes.fill(buffer);
        }
        each_run(places, |place, range| memory::copy(self.target, place, &buffer[range]));
        Ok(())
    }
}

impl Holes {
    /// Puts the fill value into elements that lie one after another, in the order of the selection.
    fn fill(&self, elements: &mut [u8]) {
        // The layout was made with the very same grid and selection.
        let Ok(touched) = self.grid.touched(&self.file) else { return };
        let size = self.element.len();
        for (chunk, _) in touched.iter().zip(&self.is_missing).filter(|(_, is_missing)| **is_missing) {
            for row in touched.local(&chunk).rows() {
                let (first, count) = (in_memory(row.rank), in_memory(row.len()));
                for element in elements[first * size..][..count * size].chunks_exact_mut(size) {
                    element.copy_from_slice(&self.element);
                }
            }
        }
    }
}

/// What an element without storage is in memory: native HDF5 converts the fill value on a background of zeros, and no
/// fill value is zeros unconverted. `None` if memory stays as it is.
pub(crate) fn fill_element(
    questions: Questions,
    conversion: &HostConversion,
    filling: &Filling,
) -> Result<Option<Vec<u8>>, Reason> {
    match filling {
        Filling::Untouched => Ok(None),
        Filling::Zeros => Ok(Some(vec![0; conversion.memory_size()])),
        Filling::Value(value) => {
            conversion.convert_fill(questions, value).map(Some).ok_or(Reason::Conversion)
        }
    }
}

/// Calls `visit` with each run of a batch's places (of all places, those of so many elements of this size from a rank
/// on): its first byte in the application's memory, and its bytes among those of the batch.
fn each_run(
    (places, first, elements, size): (&Selection, u64, usize, usize),
    mut visit: impl FnMut(usize, Range<usize>),
) {
    let mut cursor = places.cursor(first);
    let mut done = 0;
    while let Some((offset, length)) = cursor.next_run((elements - done) as u64) {
        let next = done + in_memory(length);
        visit(in_memory(offset) * size, done * size..next * size);
        done = next;
    }
}

/// A number of elements of the application's memory, all of whose bytes can be counted (see `Transfer::of`), or of
/// the buffer.
fn in_memory(elements: u64) -> usize {
    usize::try_from(elements).expect("elements that are in memory")
}

/// Makes a buffer at least so large.
fn make_room(buffer: &mut Vec<u8>, bytes: usize) -> Result<(), Reason> {
    let more = bytes.saturating_sub(buffer.len());
    buffer.try_reserve_exact(more).map_err(|_| Reason::TooLarge)?;
    buffer.resize(buffer.len() + more, 0);
    Ok(())
}
