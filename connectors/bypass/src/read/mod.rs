//! Reading: from HDF5's call to the engine's request.
//!
//! Everything that HDF5 must be asked is asked first, in one go and under its lock. Then the lock is given up,
//! and the engine reads. What HDF5 must convert is converted afterwards, under the lock again.

pub(crate) mod batches;
pub(crate) mod host_conversion;
pub(crate) mod staged;

use core::ffi::c_int;
use std::sync::Arc;

use engine::{Converted, EngineError, Fill, Layout, Memory, Part, Request, Source};
use global_lock::{Claim, Use};
use h5_host::Questions;
use h5_vol::calls::{DatasetPart, DatasetRead, MemoryTarget};
use h5_vol::{BelowObject, Host, Id, Object, Result};
use pool::Pool;
use selection::Selection;
use trace::Kind;

use crate::Bypass;
use crate::coherency::handle::DatasetState;
use crate::inspect::dataset::{Manner, Storage};
use crate::inspect::selection::Selected;
use crate::read::host_conversion::HostConversion;
use crate::read::staged::{NotConverted, Room, Staged, fill_element};
use crate::report::fault::cannot_read;
use crate::report::reason::Reason;
use crate::report::summary::{self, Direction};
use crate::run::lock::HostGlobalLock;
use crate::run::memory;
use crate::transfer::traced::{Traced, was_short};
use crate::transfer::transfer_list::{Transfer, Wishes, in_one_file, tell_how};

/// Bytes from which giving the global lock up is worth its cost.
pub(crate) const WORTH_RELEASING: u64 = 16 * 1024;

/// The first read of a dataset is small if it is below this many times the size of a small read.
pub(crate) const FIRST_READ: u64 = 16;

impl Bypass {
    /// Reads what can be bypassed with the engine, and lets the connector below read the rest.
    pub(crate) fn read(&self, mut call: DatasetRead<'_, Self>) -> Result<c_int> {
        let host = call.parts[0].host();
        let transfer = call.transfer;
        let beginning = trace::begin(Kind::Read);
        let done = host.ask_at_once(|questions| {
            let is_plain = questions.is_default_transfer(transfer);
            if is_plain { Self::read_short_runs(questions, &call.parts) } else { None }
        });
        if let Some(bytes) = done {
            was_short(beginning, &call.parts, bytes);
            return Ok(0);
        }
        let mut traced = Traced::new(beginning);
        traced.look_at(&call.parts);
        let (claims, prepared): (_, Vec<_>) = host.ask_first(|questions| {
            let claims = self.claim_parts(questions, &call.parts, Use::Read);
            let wishes =
                in_one_file(&call.parts).and_then(|()| Wishes::of(questions, transfer, call.parts.len()));
            let is_alone = call.parts.len() == 1;
            let each = |part| match &wishes {
                Err(reason) => Err(reason.clone()),
                Ok(wishes) => self.prepare(questions, part, *wishes, is_alone),
            };
            (claims, call.parts.iter().map(each).collect())
        });

        for reason in prepared.iter().filter_map(|part| part.as_ref().err()) {
            summary::passed_on(Direction::Read, reason);
        }
        if prepared.iter().any(|part| part.as_ref().is_err_and(Reason::is_no_answer)) {
            host.forget_errors();
        }
        let (mut ours, mut sources, mut numbers, mut rest) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut bytes = 0_u64;
        for (number, part) in prepared.into_iter().enumerate() {
            match part {
                Ok(Prepared { source, draft, counted }) => {
                    sources.push(source);
                    ours.push(draft);
                    numbers.push(number);
                    bytes = bytes.saturating_add(counted);
                }
                Err(reason) => rest.push((number, reason)),
            }
        }

        let _inside = traced.planned(&call.parts, bytes);
        if ours.is_empty() {
            drop((ours, claims));
            return self.forward_read(host, &mut call, rest, &mut traced);
        }
        if let Err(stop) = self.move_parts(host, ours, &sources, claims) {
            let name = |index: Option<usize>| {
                &call.parts[index.and_then(|index| numbers.get(index)).copied().unwrap_or(numbers[0])]
            };
            let (reason, described) = match stop {
                Stop::Engine(error) => {
                    let described = cannot_read(name(error.part()).dataset.below(), &error);
                    if !error.is_foreign() {
                        return Err(described);
                    }
                    (Reason::ChunkForeign(error.to_string()), described)
                }
                Stop::NotConverted(index) => {
                    return Err(cannot_read(
                        name(Some(index)).dataset.below(),
                        &"HDF5 cannot convert its elements",
                    ));
                }
                Stop::Reason(index, reason) => {
                    let described = cannot_read(name(Some(index)).dataset.below(), &reason);
                    (reason, described)
                }
            };
            summary::not_bypassed(numbers.len() as u64, bytes);
            summary::passed_on(Direction::Read, &reason);
            // Where native HDF5 fails too, it is known why we did.
            let all = (0..call.parts.len()).map(|number| (number, reason.clone())).collect();
            return self.forward_read(host, &mut call, all, &mut traced).map_err(|_| described);
        }
        for (number, reason) in rest {
            let object = Arc::clone(&call.parts[number].dataset);
            let forward = |reason: &Reason| {
                let _native = traced.native(reason);
                with_filters(host, [&object], || call.forward_part(number))
            };
            self.hand_over(host, &[(&object, reason)], false, forward)?;
        }
        tell_how(host, transfer, &call.parts);
        Ok(0)
    }

    /// Reads the parts that are ours.
    fn move_parts(
        &self,
        host: Host,
        mut ours: Vec<Draft<'_>>,
        sources: &[Source],
        claims: Vec<Claim>,
    ) -> Result<(), Stop> {
        let parts = ours.iter_mut().zip(sources).filter_map(|(draft, source)| draft.part(source));
        let mut request = Request { parts: parts.collect() };
        self.execute(host, &mut request, claims).map_err(Stop::Engine)?;
        drop(request);
        for (index, (draft, source)) in ours.iter_mut().zip(sources).enumerate() {
            if let Draft::Staged(staged) = draft {
                self.convert_batches(host, index, staged, source)?;
            }
        }
        Ok(())
    }

    /// Lets HDF5 convert the batch that was read, then reads and converts those that follow.
    fn convert_batches(
        &self,
        host: Host,
        index: usize,
        staged: &mut Staged<'_>,
        source: &Source,
    ) -> Result<(), Stop> {
        loop {
            let delivered = host.ask_first(|questions| staged.deliver(questions));
            delivered.map_err(|NotConverted| Stop::NotConverted(index))?;
            let is_ready = host.ask_first(|questions| staged.prepare(questions));
            if !is_ready.map_err(|reason| Stop::Reason(index, reason))? {
                return Ok(());
            }
            let mut request = Request { parts: staged.part(source).into_iter().collect() };
            self.execute(host, &mut request, Vec::new()).map_err(Stop::Engine)?;
        }
    }

    /// Lets the connector below do the whole of a read.
    fn forward_read(
        &self,
        host: Host,
        call: &mut DatasetRead<'_, Self>,
        reasons: Vec<(usize, Reason)>,
        traced: &mut Traced,
    ) -> Result<c_int> {
        let objects: Vec<_> = call.parts.iter().map(|part| Arc::clone(&part.dataset)).collect();
        let datasets: Vec<_> =
            objects.iter().zip(reasons).map(|(object, (_, reason))| (object, reason)).collect();
        self.hand_over(host, &datasets, false, |reason| {
            let _native = traced.native(reason);
            with_filters(host, &objects, || call.forward())
        })
    }

    /// What the engine needs to know about one dataset's part of a read.
    fn prepare<'a>(
        &self,
        questions: Questions,
        part: &'a DatasetPart<Self, MemoryTarget<'_>>,
        wishes: Wishes,
        is_alone: bool,
    ) -> Result<Prepared<'a>, Reason> {
        let below = part.dataset.below().ok_or(Reason::NotNative)?;
        let state = part.dataset.data().dataset.as_ref().ok_or(Reason::NotNative)?;
        if let Some(reason) = state.refused() {
            return Err(reason.clone());
        }
        if let Some(reason) = self.leave_to_native(questions, part, below, state, is_alone) {
            return Err(reason);
        }
        let dataset = self.ours(questions, &part.dataset)?;
        let way = match dataset.conversion(questions, part.memory_type) {
            Ok(conversion) => Way::Ours(conversion),
            Err(Reason::Conversion) => {
                Way::Hosts(HostConversion::find(questions, below, &dataset, part.memory_type)?)
            }
            Err(reason) => return Err(reason),
        };
        let memory_element = match &way {
            Way::Ours(conversion) => conversion.as_ref().map_or(dataset.element(), |with| with.element),
            Way::Hosts(conversion) => conversion.memory_size() as u64,
        };
        wishes.have_room(!matches!(way, Way::Ours(None)), dataset.element(), memory_element)?;

        let Transfer { file, memory: memory_selection, memory_bytes } =
            Transfer::of(questions, part, &dataset, memory_element)?;
        if part.memory.as_ptr().is_null() {
            return Err(Reason::Selection);
        }
        if memory_selection.repeats() {
            return Err(Reason::RepeatedMemory);
        }

        let manner = Manner { verify: wishes.verify, threads: Pool::global().threads() };
        self.bring_up_to_date(&dataset, below)?;
        let counted = file.selection.len().saturating_mul(memory_element);
        let source = dataset.source()?;
        let memory = memory::buffer(&part.memory, memory_bytes);
        let (places, element) = (memory_selection.selection, dataset.element());
        let draft = match way {
            Way::Ours(conversion) => {
                let layout = dataset.layout(below, &file.selection, manner)?;
                let fill = dataset.fill(questions, below, &layout, conversion.as_deref())?;
                Draft::direct(Direct { layout, element, conversion, file, places, memory, fill })
            }
            // There is nothing to convert but the fill value.
            Way::Hosts(conversion) if matches!(dataset.storage(), Storage::Missing) => {
                let filling = dataset.filling(questions, below)?;
                let fill = fill_element(questions, &conversion, &filling)?;
                let fill = fill.map_or(Fill::Untouched, Fill::Element);
                let (layout, element, conversion) = (Layout::Missing, memory_element, None);
                Draft::direct(Direct { layout, element, conversion, file, places, memory, fill })
            }
            Way::Hosts(conversion) => {
                let batches = conversion.batches(questions, part.file_space, &dataset, file)?;
                let (target, waiting, room) = (&part.memory, batches.into_iter(), Room::default());
                let mut staged = Staged { below, dataset, manner, conversion, target, places, waiting, room };
                staged.prepare(questions)?;
                Draft::Staged(Box::new(staged))
            }
        };
        if wishes.hears_of_failures && matches!(draft.layout(), Some(Layout::Filtered(_))) {
            return Err(Reason::FilterCallback);
        }
        summary::bypassed(1, counted);
        Ok(Prepared { source, draft, counted })
    }

    /// Judges by size alone, before anything is found out about the dataset: the first read of a dataset, unless it
    /// is large, costs less in native HDF5 than the questions we would have to ask, and so do small ones that are
    /// not short runs. That is for files that cannot change, where it does not matter for the result who reads.
    fn leave_to_native(
        &self,
        questions: Questions,
        part: &DatasetPart<Self, MemoryTarget<'_>>,
        below: &BelowObject,
        state: &DatasetState,
        is_alone: bool,
    ) -> Option<Reason> {
        let small = self.configuration.as_ref().map_or(0, |configuration| configuration.small_read);
        if small == 0 || !state.is_read_only(questions, below, &self.files) {
            return None;
        }
        let is_space = |space: &Id| space.is_valid() && *space != Id::BLOCK && *space != Id::IN_TRANSFER_LIST;
        let bytes_of = |elements: Option<u64>| {
            let size = questions.element_size(part.memory_type).and_then(|size| u64::try_from(size).ok());
            Some(elements?.saturating_mul(size?))
        };
        let bytes = match [part.file_space, part.memory_space].into_iter().find(is_space) {
            Some(space) => bytes_of(questions.selected_elements(space)),
            None => match state.elements() {
                Some(elements) => bytes_of(Some(elements)),
                None => below.contiguous_bytes().or_else(|| bytes_of(below.dataset_elements())),
            },
        }?;
        if bytes >= small.saturating_mul(FIRST_READ) {
            return None;
        }
        if state.is_first_read(questions, below, is_alone) {
            return Some(Reason::First);
        }
        // The second one finds out about the dataset even if it is small: there may be many. A chunk that must be decoded
        // is kept, and serves those that follow as short runs.
        let is_decoded = || state.known().is_some_and(|dataset| dataset.is_filtered());
        (bytes < small && state.is_decided() && !is_decoded()).then_some(Reason::Small)
    }

    /// Lets the engine work, without the host's global lock if there is enough to do.
    fn execute(&self, host: Host, request: &mut Request<'_>, claims: Vec<Claim>) -> Result<(), EngineError> {
        let engine = self.engine();
        let bytes = request.parts.iter().map(bytes_to_touch).fold(0_u64, u64::saturating_add);
        if bytes < WORTH_RELEASING || !host.can_release_global_lock() {
            return engine.read(request);
        }
        self.lock.without(&HostGlobalLock(host), |_| {
            let outcome = engine.read(request);
            // Before the lock is taken back: who keeps it in a user's callback may wait for these.
            drop(claims);
            outcome
        })
    }
}

/// Lets native HDF5 read datasets. If it fails for want of a filter that we have, it is lent that and reads again: what
/// can be read in large pieces can be read in small ones.
fn with_filters<'o, R>(
    host: Host,
    datasets: impl IntoIterator<Item = &'o Arc<Object<Bypass>>>,
    mut forward: impl FnMut() -> Result<R>,
) -> Result<R> {
    let outcome = forward();
    if outcome.is_ok() {
        return outcome;
    }
    let lent = datasets.into_iter().filter(|dataset| Bypass::lend_after_failure(host, dataset)).count();
    if lent == 0 {
        return outcome;
    }
    host.forget_errors();
    forward()
}

/// Who converts elements.
enum Way {
    /// We do, if they are not as in the file.
    Ours(Option<Arc<Converted>>),
    /// HDF5 does.
    Hosts(HostConversion),
}

/// One dataset's part of a read that we do.
struct Prepared<'a> {
    source: Source,
    draft: Draft<'a>,
    /// Bytes that were counted as bypassed.
    counted: u64,
}

/// A part of the engine's request before it is known where its source is kept.
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all are direct, and boxing would be an allocation for each"
)]
enum Draft<'a> {
    /// Straight to the application's memory.
    Direct(Option<Direct<'a>>),
    /// By way of a buffer in which HDF5 converts.
    Staged(Box<Staged<'a>>),
}

struct Direct<'a> {
    layout: Layout,
    element: u64,
    conversion: Option<Arc<Converted>>,
    file: Selected,
    places: Selection,
    memory: Memory<'a>,
    fill: Fill,
}

impl<'a> Draft<'a> {
    fn direct(direct: Direct<'a>) -> Self {
        Self::Direct(Some(direct))
    }

    fn layout(&self) -> Option<&Layout> {
        match self {
            Self::Direct(direct) => direct.as_ref().map(|direct| &direct.layout),
            Self::Staged(staged) => staged.layout(),
        }
    }

    /// The part; there is one until it is taken.
    fn part<'b>(&'b mut self, source: &'b Source) -> Option<Part<'b>> {
        match self {
            Self::Direct(direct) => {
                let Direct { layout, element, conversion, file, places, memory, fill } = direct.take()?;
                Some(Part {
                    source,
                    layout,
                    element,
                    conversion,
                    file: file.selection,
                    file_in_order: file.in_order,
                    memory_selection: places,
                    memory,
                    fill,
                })
            }
            Self::Staged(staged) => staged.part(source),
        }
    }
}

/// Why parts that are ours could not be read, and which of them.
enum Stop {
    Engine(EngineError),
    /// HDF5 has said why on the error stack.
    NotConverted(usize),
    /// Native HDF5 has to do it after all.
    Reason(usize, Reason),
}

/// Bytes that must be read or decoded for a part, at most.
fn bytes_to_touch(part: &Part<'_>) -> u64 {
    let elements = match &part.layout {
        Layout::Filtered(chunks) => (chunks.chunks.len() as u64).saturating_mul(chunks.grid.chunk_len()),
        _ => part.file.len(),
    };
    elements.saturating_mul(part.element)
}
