//! Reading: from HDF5's call to the engine's request.
//!
//! Everything that HDF5 must be asked is asked first, in one go and under its lock. Then the lock is given up,
//! and the engine reads.

use core::ffi::c_int;

use engine::{Engine, EngineError, Layout, Part, Request, Source};
use h5_host::Questions;
use h5_vol::calls::{DatasetPart, DatasetRead, MemoryTarget};
use h5_vol::{BelowObject, Error, Host, Id, ObjectKind, Result};
use pool::Pool;

use crate::dataset::{DatasetState, Manner};
use crate::lock::HostGlobalLock;
use crate::reason::Reason;
use crate::spaces::Selected;
use crate::summary::{self, Direction};
use crate::{Bypass, memory};

/// Bytes from which giving the global lock up is worth its cost.
const WORTH_RELEASING: u64 = 16 * 1024;

/// The first read of a dataset is small if it is below this many times the size of a small read.
const FIRST_READ: u64 = 16;

impl Bypass {
    /// Reads what can be bypassed with the engine, and lets the connector below read the rest.
    pub(crate) fn read(&self, mut call: DatasetRead<'_, Self>) -> Result<c_int> {
        let host = call.parts[0].host();
        let transfer = call.transfer;
        let is_done = host.ask_first(|questions| {
            questions.is_default_transfer(transfer) && Self::read_short_runs(questions, &call.parts).is_some()
        });
        if is_done {
            return Ok(0);
        }
        let prepared: Vec<_> = host.ask_first(|questions| {
            let wishes = Wishes::of(questions, transfer);
            let is_alone = call.parts.len() == 1;
            let each = |part| match &wishes {
                Err(reason) => Err(reason.clone()),
                Ok(wishes) => self.prepare(questions, part, *wishes, is_alone),
            };
            call.parts.iter().map(each).collect()
        });

        for reason in prepared.iter().filter_map(|part| part.as_ref().err()) {
            summary::passed_on(Direction::Read, reason);
        }
        if prepared.iter().any(|part| part.as_ref().is_err_and(Reason::is_no_answer)) {
            host.forget_errors();
        }
        if prepared.iter().all(Result::is_err) {
            drop(prepared);
            return call.forward();
        }
        let (mut ours, mut sources, mut numbers, mut rest) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (number, part) in prepared.into_iter().enumerate() {
            match part {
                Ok((source, part)) => {
                    sources.push(source);
                    ours.push(part);
                    numbers.push(number);
                }
                Err(_) => rest.push(number),
            }
        }

        let parts = ours.into_iter().zip(&sources).map(|(part, source)| part(source)).collect();
        let mut request = Request { parts };
        if let Err(error) = self.execute(host, &mut request) {
            let number = error.part().and_then(|part| numbers.get(part)).copied().unwrap_or(numbers[0]);
            let described = describe(&call.parts[number], &error);
            if !error.is_foreign() {
                return Err(described);
            }
            take_back(&request);
            drop(request);
            summary::passed_on(Direction::Read, &Reason::Filters(error.to_string()));
            // Where native HDF5 fails too, it is known why we did.
            return call.forward().map_err(|_| described);
        }
        drop(request);
        for number in rest {
            call.forward_part(number)?;
        }
        Ok(0)
    }

    /// What the engine needs to know about one dataset's part of a read: where the bytes are, and the part as
    /// soon as it is told that.
    fn prepare<'a>(
        &self,
        questions: Questions,
        part: &'a DatasetPart<Self, MemoryTarget<'_>>,
        wishes: Wishes,
        is_alone: bool,
    ) -> Result<(Source, impl FnOnce(&'a Source) -> Part<'a> + use<'a>), Reason> {
        let below = part.dataset.below().ok_or(Reason::NotNative)?;
        let state = part.dataset.data().dataset.as_ref().ok_or(Reason::NotNative)?;
        if let Some(reason) = self.leave_to_native(questions, part, below, state, is_alone) {
            return Err(reason);
        }
        let dataset = state.ours(questions, below, &self.files, self.configuration.as_ref().ok())?;
        let conversion = dataset.conversion(questions, part.memory_type)?;
        let memory_element = conversion.as_ref().map_or(dataset.element(), |with| with.element);

        let file = match part.file_space {
            Id::DEFAULT => Selected::all(dataset.extent()),
            Id::IN_TRANSFER_LIST | Id::BLOCK => return Err(Reason::Selection),
            space => Selected::of(&questions.space(space).ok_or(Reason::Selection)?)?,
        };
        if file.selection.extent() != dataset.extent() {
            return Err(Reason::Selection);
        }
        let elements = file.selection.len();
        if elements == 0 {
            return Err(Reason::Nothing);
        }
        let memory_selection = match part.memory_space {
            Id::DEFAULT => file.clone(),
            Id::BLOCK => {
                let extent = selection::Extent::new(&[elements]).map_err(|_| Reason::Selection)?;
                Selected::all(&extent)
            }
            Id::IN_TRANSFER_LIST => return Err(Reason::Selection),
            space => Selected::of(&questions.space(space).ok_or(Reason::Selection)?)?,
        };
        if memory_selection.selection.len() != elements || part.memory.as_ptr().is_null() {
            return Err(Reason::Selection);
        }
        if memory_selection.repeats() {
            return Err(Reason::RepeatedMemory);
        }
        let memory_bytes = memory_selection.selection.extent().count().checked_mul(memory_element);
        let memory_bytes =
            memory_bytes.and_then(|bytes| usize::try_from(bytes).ok()).ok_or(Reason::TooLarge)?;

        let manner = Manner { verify: wishes.verify, threads: Pool::global().threads() };
        let layout = dataset.layout(below, &file.selection, manner)?;
        if wishes.hears_of_failures && matches!(layout, Layout::Filtered(_)) {
            return Err(Reason::FilterCallback);
        }
        let missing = dataset.fill(questions, below, &layout, conversion.as_deref())?;
        let source = dataset.source()?;
        summary::bypassed(1, elements.saturating_mul(memory_element));
        let (element, memory) = (dataset.element(), memory::buffer(&part.memory, memory_bytes));
        let part = move |source| Part {
            source,
            layout,
            element,
            conversion,
            file: file.selection,
            file_in_order: file.in_order,
            memory_selection: memory_selection.selection,
            memory,
            fill: missing,
        };
        Ok((source, part))
    }

    /// Judges by size alone, before anything is found out about the dataset: the first read of a dataset, unless it
    /// is large, costs less in native HDF5 than the questions we would have to ask, and so do small ones that are
    /// not short runs. As long as only files that cannot change are bypassed, it does not matter for the result who
    /// reads.
    fn leave_to_native(
        &self,
        questions: Questions,
        part: &DatasetPart<Self, MemoryTarget<'_>>,
        below: &BelowObject,
        state: &DatasetState,
        is_alone: bool,
    ) -> Option<Reason> {
        let small = self.configuration.as_ref().map_or(0, |configuration| configuration.small_read);
        if small == 0 {
            return None;
        }
        let is_space = |space: &Id| space.is_valid() && *space != Id::BLOCK && *space != Id::IN_TRANSFER_LIST;
        let elements = match [part.file_space, part.memory_space].into_iter().find(is_space) {
            Some(space) => questions.selected_elements(space),
            None => state.elements().or_else(|| below.dataset_elements()),
        };
        let size = questions.element_size(part.memory_type).and_then(|size| u64::try_from(size).ok());
        let bytes = elements?.saturating_mul(size?);
        if bytes >= small.saturating_mul(FIRST_READ) {
            return None;
        }
        if state.is_first_read(questions, below, is_alone) {
            return Some(Reason::First);
        }
        // The second one finds out about the dataset even if it is small: there may be many.
        (bytes < small && state.is_decided()).then_some(Reason::Small)
    }

    /// Lets the engine work, without the host's global lock if there is enough to do.
    fn execute(&self, host: Host, request: &mut Request<'_>) -> Result<(), EngineError> {
        let mut engine = Engine::new(Pool::global());
        if let Some(bytes) = self.configuration.as_ref().ok().and_then(|configuration| configuration.io_size)
        {
            engine = engine.with_task_bytes(bytes);
        }
        let bytes = request.parts.iter().map(bytes_to_touch).fold(0_u64, u64::saturating_add);
        if bytes < WORTH_RELEASING || !host.can_release_global_lock() {
            return engine.read(request);
        }
        self.lock.without(&HostGlobalLock(host), |_| engine.read(request))
    }
}

/// Counts the parts of a request, which was counted as bypassed, as not bypassed.
fn take_back(request: &Request<'_>) {
    let element = |part: &Part<'_>| part.conversion.as_ref().map_or(part.element, |with| with.element);
    let bytes = request.parts.iter().map(|part| part.file.len().saturating_mul(element(part)));
    summary::not_bypassed(request.parts.len() as u64, bytes.fold(0_u64, u64::saturating_add));
}

/// Bytes that must be read or decoded for a part, at most.
fn bytes_to_touch(part: &Part<'_>) -> u64 {
    let elements = match &part.layout {
        Layout::Filtered(chunks) => (chunks.chunks.len() as u64).saturating_mul(chunks.grid.chunk_len()),
        _ => part.file.len(),
    };
    elements.saturating_mul(part.element)
}

/// What a transfer property list asks for.
#[derive(Debug, Clone, Copy)]
struct Wishes {
    /// Checksums are verified.
    verify: bool,
    /// A function of the application's is called when a filter fails.
    hears_of_failures: bool,
}

impl Wishes {
    /// What a list asks for, or why no dataset of a call with it is bypassed.
    fn of(questions: Questions, transfer: Id) -> Result<Self, Reason> {
        if questions.is_default_transfer(transfer) {
            return Ok(Self { verify: true, hears_of_failures: false });
        }
        if questions.has_data_transform(transfer) {
            return Err(Reason::DataTransform);
        }
        // Not even a question may come first then: native HDF5 converts fill values when it is asked about them, and
        // remembers in the context of the call that there was no function.
        if questions.has_conversion_callback(transfer) {
            return Err(Reason::ConversionCallback);
        }
        Ok(Self {
            verify: questions.verifies_checksums(transfer),
            hears_of_failures: questions.has_filter_callback(transfer),
        })
    }
}

/// The error with the names of file and dataset.
fn describe(part: &DatasetPart<Bypass, MemoryTarget<'_>>, error: &EngineError) -> Error {
    let name = |name: Option<String>| name.unwrap_or_else(|| "(unknown)".to_owned());
    let below = part.dataset.below();
    let dataset = name(below.and_then(|below| below.name(ObjectKind::Dataset)));
    let file = name(below.and_then(|below| below.file_name(ObjectKind::Dataset)));
    Error::failed(format_args!("cannot read dataset '{dataset}' of file '{file}': {error}"))
}
