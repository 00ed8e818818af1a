//! Elements on their way through a buffer of our own: read as they are stored, converted there by HDF5, and then put
//! where the application wants them.

use core::ops::Range;
use std::sync::Arc;

use engine::{ChunkAddress, ChunkData, Fill, Layout};
use h5_host::Questions;
use h5_vol::BelowObject;
use h5_vol::calls::MemoryTarget;
use selection::{ChunkGrid, Selection};
use trace::Kind;

use crate::coherency::resolved::Resolved;
use crate::inspect::chunks::Manner;
use crate::inspect::fill::{Filling, is_converted_with_others, zeros};
use crate::inspect::missing::Missing;
use crate::read::host_conversion::HostConversion;
use crate::read::stage::{Stage, make_room};
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
    pub(crate) stage: Stage,
    pub(crate) room: Room,
}

/// What a batch needs besides its elements.
#[derive(Debug, Default)]
pub(crate) struct Room {
    background: Vec<u8>,
    holes: Option<Holes>,
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
        let Some(file) = self.stage.take_next() else { return Ok(false) };
        let layout = self.dataset.layout(questions, self.below, &file.selection, self.manner)?;
        let (filler, holes) = self.missing(questions, &file.selection, &layout)?;
        self.room.holes = holes;
        let in_memory = self.conversion.memory_size();
        self.stage.make_ready(file, layout, filler, in_memory)?;
        if self.conversion.needs_background() {
            let bytes = self.stage.elements().checked_mul(in_memory).ok_or(Reason::TooLarge)?;
            make_room(&mut self.room.background, bytes)?;
        }
        Ok(true)
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
        let filling = self.dataset.fillings().filling(questions, self.below)?;
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
            Layout::Missing | Layout::Contiguous(_) | Layout::Runs(_) => return Err(Reason::Conversion),
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
        let Room { background, holes } = &mut self.room;
        let (first, elements, buffer) = (self.stage.first(), self.stage.elements(), self.stage.buffer());
        let _span = trace::step(Kind::HostConvert, buffer.len() as u64);
        let size = self.conversion.memory_size();
        let places = (&self.places, first, elements, size);
        let background = self.conversion.needs_background().then(|| {
            each_run(places, |place, range| memory::take(self.target, place, &mut background[range]));
            background.as_mut_slice()
        });
        if !self.conversion.convert(questions, elements, buffer, background) {
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
