//! Reading and writing elements that the format has.
//!
//! The engine moves and converts them, chunk by chunk, on all cores. What our own conversions cannot do, HDF5 converts on the
//! calling thread, in a buffer between the two.

#![expect(unsafe_code, reason = "the application's buffer is a bare pointer")]

use core::sync::atomic::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use convert::Conversion;
use engine::{Converted, Memory};
use global_lock::{Area, Claim, Use, Wanted};
use h5_host::{Id, Questions};
use h5_translate::{Selected, describe, traits_of};
use h5_vol::calls::{DatasetPart, MemorySource, MemoryTarget};
use h5_vol::{Connector, Error, PassThrough, Result};
use selection::{ChunkGrid, Extent, Selection};

use crate::backend::Store;
use crate::counters::{COUNTERS, count};
use crate::dataset::Ours;
use crate::hdf5::aside;
use crate::locks::Locks;
use crate::moving::{BATCH, InMemory};

/// What moves between a dataset and the application's memory.
struct Transfer {
    file: Selected,
    memory: Selected,
    /// Bytes of the application's buffer, and of an element in it.
    memory_bytes: usize,
    memory_element: usize,
    way: Way,
}

/// What a call has claimed.
struct Claimed {
    claims: Vec<Claim>,
    /// Whether that is the whole dataset.
    all: bool,
}

/// How elements become those on the other side.
enum Way {
    /// They are the same.
    Same,
    /// By a conversion of our own.
    Ours(Arc<Converted>),
    /// By HDF5.
    Host,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Read,
    Write,
}

impl<S: Store> Ours<S> {
    /// Reads a part of a call.
    pub(crate) fn read<C: PassThrough>(
        &self,
        part: &DatasetPart<C, MemoryTarget<'_>>,
        transfer: Id,
    ) -> Result<()> {
        count(&COUNTERS.reads);
        let Some(plan) = self.plan(part, transfer, Direction::Read)? else { return Ok(()) };
        if plan.is_staged(Direction::Read) {
            let _callback = self.locks().user_callback(self.container.host());
            return self.claimed(
                part,
                transfer,
                Direction::Read,
                plan,
                |ours, plan, Claimed { claims, .. }| {
                    let done =
                        ours.read_staged(&ours.grid(plan.file.selection.extent())?, plan, part, transfer);
                    drop(claims);
                    done
                },
            );
        }
        self.claimed(part, transfer, Direction::Read, plan, |ours, plan, Claimed { claims, .. }| {
            let grid = ours.grid(plan.file.selection.extent())?;
            // SAFETY: the application's promise about its buffer, whose size follows from the dataspace and datatype of the call.
            let memory = unsafe { Memory::new(part.memory.as_ptr(), plan.memory_bytes) };
            let read = ours.locks().without(ours.container.host(), || {
                let _claims = claims;
                ours.read_chunks(&grid, &plan.file, memory, plan.in_memory())
            });
            read.map_err(|trouble| ours.failed(&trouble))
        })
    }

    /// Writes a part of a call. What is not stored at once is kept in memory until it is.
    pub(crate) fn write<C: PassThrough>(
        &self,
        part: &DatasetPart<C, MemorySource<'_>>,
        transfer: Id,
    ) -> Result<()> {
        count(&COUNTERS.writes);
        let Some(plan) = self.plan(part, transfer, Direction::Write)? else { return Ok(()) };
        let is_staged = plan.is_staged(Direction::Write);
        let _callback = is_staged.then(|| self.locks().user_callback(self.container.host()));
        self.claimed(part, transfer, Direction::Write, plan, |ours, plan, Claimed { claims, all }| {
            let grid = ours.grid(plan.file.selection.extent())?;
            // SAFETY: the application's promise about its buffer, whose size follows from the dataspace and datatype of the call.
            let memory = unsafe { core::slice::from_raw_parts(part.memory.as_ptr(), plan.memory_bytes) };
            // One that has not claimed all of it leaves that to the next: others may have written meanwhile.
            let stores = all && ours.will_store(&grid, &plan.file);
            if stores {
                ours.container.describe_dataset(&ours.node)?;
            }
            if is_staged {
                let done = ours.write_staged(&grid, plan, memory, part.memory_type, transfer, stores);
                drop(claims);
                return done;
            }
            let written = ours.locks().without(ours.container.host(), || {
                let _claims = claims;
                ours.write_chunks(&grid, &plan.file, memory, plan.in_memory(), stores)
            });
            written.map_err(|trouble| ours.failed(&trouble))
        })
    }

    fn locks(&self) -> &'static Locks {
        self.container.locks
    }

    /// Does something with what is planned claimed. If another call was in the way, it is planned again.
    fn claimed<C: PassThrough, M>(
        &self,
        part: &DatasetPart<C, M>,
        transfer: Id,
        direction: Direction,
        plan: Transfer,
        run: impl FnOnce(&Self, &Transfer, Claimed) -> Result<()>,
    ) -> Result<()> {
        let host = self.container.host();
        let last_of_each =
            |plan: Transfer| if direction == Direction::Write { plan.last_of_each() } else { Ok(plan) };
        if !host.can_release_global_lock() {
            return run(self, &last_of_each(plan)?, Claimed { claims: Vec::new(), all: true });
        }
        let area = self.area(&plan, direction)?;
        let all = matches!(area, Area::Everything);
        if let Some(claims) = self.wanted(area, direction).try_claim() {
            return run(self, &last_of_each(plan)?, Claimed { claims, all });
        }
        let claims = self.locks().claim(host, &self.wanted(Area::Everything, direction));
        let closed = || Error::failed("the dataset was closed by another thread");
        let again = Self::ask(&self.container, &self.node, part.dataset.below().ok_or_else(closed)?)?;
        let Some(plan) = again.plan(part, transfer, direction)? else { return Ok(()) };
        run(&again, &last_of_each(plan)?, Claimed { claims, all: true })
    }

    /// The chunks that a call touches. One that stores chunks may store any.
    fn area(&self, plan: &Transfer, direction: Direction) -> Result<Area> {
        let grid = self.grid(plan.file.selection.extent())?;
        if direction == Direction::Write && self.will_store(&grid, &plan.file) {
            return Ok(Area::Everything);
        }
        let Some((low, high)) = plan.file.selection.bounds() else { return Ok(Area::Everything) };
        let chunks = |corner: &[u64]| -> Vec<u64> {
            corner.iter().zip(grid.chunk_dims().iter()).map(|(at, length)| at / (*length).max(1)).collect()
        };
        Ok(Area::between(&chunks(&low), &chunks(&high)))
    }

    fn wanted(&self, area: Area, direction: Direction) -> Wanted {
        let what = if direction == Direction::Write { Use::Write } else { Use::Read };
        let container = (Arc::clone(&self.container.claims), Area::Everything, Use::Read);
        [container, (Arc::clone(&self.node.claims), area, what)].into_iter().collect()
    }

    /// What is to be moved; `None` if that is nothing.
    fn plan<C: Connector, M>(
        &self,
        part: &DatasetPart<C, M>,
        transfer: Id,
        direction: Direction,
    ) -> Result<Option<Transfer>> {
        let Some(extent) = &self.extent else { return Ok(None) };
        self.container.host().ask(|questions| {
            let outside = || Error::bad_argument("selection + offset not within extent");
            let file = match part.file_space {
                Id::DEFAULT => Selected::all(extent),
                Id::IN_TRANSFER_LIST | Id::BLOCK => {
                    return Err(Error::unsupported("a selection in the transfer property list"));
                }
                space => {
                    let space = questions.space(space).ok_or_else(outside)?;
                    Selected::in_extent(extent, &space).ok_or_else(outside)?
                }
            };
            let count = file.selection.len();
            let memory = match part.memory_space {
                // Without a memory dataspace the file's counts, with its own extent.
                Id::DEFAULT if part.file_space == Id::DEFAULT => file.clone(),
                Id::DEFAULT => {
                    Selected::of(&questions.space(part.file_space).ok_or_else(outside)?).ok_or_else(outside)?
                }
                Id::BLOCK => Selected::all(&line(count)?),
                Id::IN_TRANSFER_LIST => {
                    return Err(Error::unsupported("a selection in the transfer property list"));
                }
                space => Selected::of(&questions.space(space).ok_or_else(outside)?).ok_or_else(outside)?,
            };
            if memory.selection.len() != count {
                return Err(Error::bad_argument(format_args!(
                    "src and dest dataspaces have different number of elements selected ({count} in the dataset, {} in \
                     memory)",
                    memory.selection.len()
                )));
            }
            if count == 0 {
                return Ok(None);
            }
            let memory_element = questions
                .element_size(part.memory_type)
                .ok_or_else(|| Error::bad_argument("the datatype in memory is not one"))?;
            let memory_bytes = usize::try_from(memory.selection.extent().count())
                .ok()
                .and_then(|count| count.checked_mul(memory_element))
                .filter(|bytes| isize::try_from(*bytes).is_ok())
                .ok_or_else(|| Error::bad_argument("a buffer larger than the address space"))?;
            if questions.has_data_transform(transfer) {
                return Err(Error::unsupported("a data transform (H5Pset_data_transform)"));
            }
            let way = self.way(questions, part.memory_type, transfer, direction);
            Ok(Some(Transfer { file, memory, memory_bytes, memory_element, way }))
        })
    }

    fn way(&self, questions: Questions, memory_type: Id, transfer: Id, direction: Direction) -> Way {
        if questions.same_type(self.datatype.id(), memory_type) {
            return Way::Same;
        }
        let (Some(own), Some(other)) = (&self.facts.structure, describe(questions, memory_type)) else {
            return Way::Host;
        };
        if questions.has_conversion_callback(transfer) {
            return Way::Host;
        }
        if *own == other {
            return Way::Same;
        }
        let (from, to) = match direction {
            Direction::Read => (own, &other),
            Direction::Write => (&other, own),
        };
        match Conversion::new(from, to, traits_of(questions.host())) {
            Some(conversion) => Way::Ours(Arc::new(Converted { conversion, element: other.size as u64 })),
            None => Way::Host,
        }
    }

    /// Reads elements one after the other.
    fn read_line(&self, grid: &ChunkGrid, file: &Selected, room: usize) -> Result<Vec<u8>> {
        let count = file.selection.len();
        let bytes = usize::try_from(count).ok().and_then(|count| count.checked_mul(room));
        let mut buffer = vec![0; bytes.ok_or_else(|| self.failed("too many elements"))?];
        let length = buffer.len() / room * self.facts.element;
        let memory = Memory::from_slice(&mut buffer[..length]);
        let place = InMemory { selection: &Selection::all(&line(count)?), conversion: None };
        self.read_chunks(grid, file, memory, place).map_err(|trouble| self.failed(&trouble))?;
        Ok(buffer)
    }

    /// Reads into a buffer, lets HDF5 convert it, and copies it to where it belongs.
    fn read_staged<C: Connector>(
        &self,
        grid: &ChunkGrid,
        plan: &Transfer,
        part: &DatasetPart<C, MemoryTarget<'_>>,
        transfer: Id,
    ) -> Result<()> {
        let element = plan.memory_element;
        let mut buffer = self.read_line(grid, &plan.file, self.facts.element.max(element))?;
        let count = buffer.len() / self.facts.element.max(element);
        let mut background = vec![0; count * element];
        let address = part.memory.as_ptr();
        plan.each_run(|from, to, length| {
            // SAFETY: the place is one that the call selects in the application's buffer, and the buffer is ours.
            unsafe {
                core::ptr::copy_nonoverlapping(address.add(to), background[from..].as_mut_ptr(), length);
            };
        });
        self.convert(self.datatype.id(), part.memory_type, count, &mut buffer, &mut background, transfer)?;
        plan.each_run(|from, to, length| {
            // SAFETY: as above.
            unsafe { core::ptr::copy_nonoverlapping(buffer[from..].as_ptr(), address.add(to), length) };
        });
        Ok(())
    }

    /// Copies elements into a buffer, lets HDF5 convert it, and writes it.
    fn write_staged(
        &self,
        grid: &ChunkGrid,
        plan: &Transfer,
        memory: &[u8],
        memory_type: Id,
        transfer: Id,
        stores: bool,
    ) -> Result<()> {
        let element = self.facts.element;
        let mut background = self.read_line(grid, &plan.file, element)?;
        let count = background.len() / element;
        let mut buffer = vec![0; count * element.max(plan.memory_element)];
        plan.each_run(|to, from, length| {
            buffer[to..to + length].copy_from_slice(&memory[from..from + length]);
        });
        self.convert(memory_type, self.datatype.id(), count, &mut buffer, &mut background, transfer)?;
        let elements = &buffer[..count * element];
        let place = InMemory { selection: &Selection::all(&line(count as u64)?), conversion: None };
        self.write_chunks(grid, &plan.file, elements, place, stores).map_err(|trouble| self.failed(&trouble))
    }

    fn convert(
        &self,
        from: Id,
        to: Id,
        count: usize,
        buffer: &mut [u8],
        background: &mut [u8],
        transfer: Id,
    ) -> Result<()> {
        let host = self.container.host();
        COUNTERS.host_conversions.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the buffer has room for that many elements of the larger type, the background for those of the target.
        let status = unsafe {
            (host.functions().H5Tconvert)(
                from.0,
                to.0,
                count,
                buffer.as_mut_ptr().cast(),
                background.as_mut_ptr().cast(),
                transfer.0,
            )
        };
        // HDF5 says why on the error stack.
        if status < 0 { Err(Error::Below(-1)) } else { Ok(()) }
    }

    /// Stores the dataset's chunks if there are many in memory.
    pub(crate) fn store_if_many(&self) -> Result<()> {
        if self.container.pending_bytes.load(Ordering::Relaxed) > BATCH {
            self.container.describe_dataset(&self.node)?;
            self.container.store_chunks(&self.node).map_err(|trouble| self.failed(&trouble))?;
        }
        Ok(())
    }

    /// Says which dataset it is about.
    #[track_caller]
    pub(crate) fn failed(&self, error: &str) -> Error {
        let name = aside(self.container.host(), || self.container.path_of(&self.node));
        Error::failed(format_args!("{}: dataset '{name}': {error}", self.container.name()))
    }
}

impl Transfer {
    /// Whether elements go through a buffer: HDF5 converts them, or places in memory get several.
    fn is_staged(&self, direction: Direction) -> bool {
        matches!(self.way, Way::Host) || (direction == Direction::Read && self.memory.repeats())
    }

    /// Where elements are in memory, and what they become on the way.
    fn in_memory(&self) -> InMemory<'_> {
        let conversion = match &self.way {
            Way::Ours(with) => Some(Arc::clone(with)),
            Way::Same | Way::Host => None,
        };
        InMemory { selection: &self.memory.selection, conversion }
    }

    /// Calls `copy` with each run of elements: its place in a line of them and in memory, and its length, in bytes in memory.
    fn each_run(&self, mut copy: impl FnMut(usize, usize, usize)) {
        let (mut cursor, mut done) = (self.memory.selection.cursor(0), 0);
        while let Some((first, count)) = cursor.next_run(u64::MAX) {
            // The whole buffer fits in the address space.
            let [first, count] = [first, count].map(|number| usize::try_from(number).unwrap_or(0));
            let length = count * self.memory_element;
            copy(done, first * self.memory_element, length);
            done += length;
        }
    }

    /// The same without elements of the dataset that are named again later: as natively, the last one is written.
    fn last_of_each(mut self) -> Result<Self> {
        if !self.file.repeats() {
            return Ok(self);
        }
        let (in_file, in_memory) = (places(&self.file.selection), places(&self.memory.selection));
        let last: HashMap<_, _> = in_file.iter().enumerate().map(|(rank, place)| (*place, rank)).collect();
        let kept =
            || in_file.iter().zip(&in_memory).enumerate().filter(|(rank, (file, _))| last[file] == *rank);
        self.file = at(self.file.selection.extent(), kept().map(|(_, (file, _))| *file))?;
        self.memory = at(self.memory.selection.extent(), kept().map(|(_, (_, memory))| *memory))?;
        Ok(self)
    }
}

/// The extent of elements one after the other.
fn line(count: u64) -> Result<Extent> {
    Extent::new(&[count]).map_err(|error| Error::failed(format_args!("too many elements: {error}")))
}

/// The place of each element of a selection among all elements of the extent, in the order of the selection.
fn places(selection: &Selection) -> Vec<u64> {
    let (mut cursor, mut places) = (selection.cursor(0), Vec::new());
    while let Some((first, count)) = cursor.next_run(u64::MAX) {
        places.extend(first..first + count);
    }
    places
}

/// The elements at these places of an extent.
fn at(extent: &Extent, places: impl Iterator<Item = u64>) -> Result<Selected> {
    let (strides, mut coordinates) = (extent.strides(), Vec::new());
    for mut place in places {
        for stride in strides.iter() {
            coordinates.push(place / stride);
            place %= stride;
        }
    }
    let selection = Selection::points(extent, &coordinates)
        .map_err(|error| Error::failed(format_args!("a list of points: {error}")))?;
    Ok(Selected { selection, in_order: false })
}
