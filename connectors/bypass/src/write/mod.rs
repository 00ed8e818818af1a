//! Writing: from HDF5's call to the engine.
//!
//! Storage that exists is written in place, without HDF5's lock. Chunks that filters go over, and those that have no
//! storage yet, are put together and encoded without the lock as well, and then stored through HDF5.

pub(crate) mod allocation;
pub(crate) mod chunks;
pub(crate) mod new_dataset;

use core::ffi::c_int;
use std::collections::HashSet;
use std::sync::Arc;

use engine::{Engine, EngineError, InPlace, Places, Source, WritePart};
use global_lock::Use;
use h5_host::Questions;
use h5_vol::calls::{DatasetPart, DatasetWrite, MemorySource};
use h5_vol::{BelowObject, Host, Object, Result};
use pool::Pool;
use trace::Kind;

use crate::Bypass;
use crate::coherency::shared::Writable;
use crate::inspect::dataset::{OurDataset, Storage};
use crate::read::WORTH_RELEASING;
use crate::report::fault::cannot_write;
use crate::report::reason::Reason;
use crate::report::summary::{self, Direction};
use crate::run::lock::HostGlobalLock;
use crate::run::memory;
use crate::transfer::traced::{Traced, was_short};
use crate::transfer::transfer_list::{Transfer, Wishes, in_one_file, tell_how};

/// A part of a write that is ours.
pub(crate) struct OurPart<'a> {
    pub(crate) dataset: Arc<OurDataset>,
    pub(crate) shared: Arc<Writable>,
    pub(crate) object: &'a Arc<Object<Bypass>>,
    pub(crate) below: &'a BelowObject,
    pub(crate) part: WritePart<'a>,
    /// For the parts of new chunks that are not written; empty if there are no chunks.
    pub(crate) filler: Arc<[u8]>,
    target: Source,
}

impl Bypass {
    /// Writes what can be bypassed with the engine, and lets the connector below write the rest.
    pub(crate) fn write(&self, mut call: DatasetWrite<'_, Self>) -> Result<c_int> {
        let host = call.parts[0].host();
        let transfer = call.transfer;
        let beginning = trace::begin(Kind::Write);
        let done = host.ask_at_once(|questions| {
            let is_plain = questions.is_default_transfer(transfer);
            if is_plain { Self::write_short_runs(questions, &call.parts) } else { None }
        });
        if let Some(written) = done {
            was_short(beginning, &call.parts, written?);
            return Ok(0);
        }
        let mut traced = Traced::new(beginning);
        traced.look_at(&call.parts);
        if host.ask_at_once(|questions| Self::is_first_write_of_new(questions, &call)) {
            return self.write_new_dataset(host, call, traced);
        }
        self.committers.give_way(&self.lock, &HostGlobalLock(host));
        let mut allocated = Ok(());
        let (claims, prepared): (_, Vec<_>) = host.ask_first(|questions| {
            let claims = self.claim_parts(questions, &call.parts, Use::Write);
            let wishes = in_one_file(&call.parts)
                .and_then(|()| self.each_once(questions, &call.parts))
                .and_then(|()| Wishes::of(questions, transfer, call.parts.len()));
            let mut allocate = |part| {
                if let Some(Err(fault)) = self.allocate(questions, part) {
                    allocated = Err(fault);
                }
            };
            let each = |part| match &wishes {
                Err(reason) => {
                    if matches!(reason, Reason::DataTransform | Reason::ConversionCallback) {
                        allocate(part);
                    }
                    Err(reason.clone())
                }
                Ok(wishes) => {
                    allocate(part);
                    self.prepare_write(questions, part, *wishes)
                }
            };
            (claims, call.parts.iter().map(each).collect())
        });
        allocated?;
        for reason in prepared.iter().filter_map(|part| part.as_ref().err()) {
            summary::passed_on(Direction::Write, reason);
        }
        if prepared.iter().any(|part| part.as_ref().is_err_and(Reason::is_no_answer)) {
            host.forget_errors();
        }
        let (mut ours, mut rest) = (Vec::new(), Vec::new());
        for (number, part) in prepared.into_iter().enumerate() {
            match part {
                Ok(part) => ours.push(part),
                Err(reason) => rest.push((number, reason)),
            }
        }
        let bytes = ours.iter().map(|part| part.part.file.len().saturating_mul(part.part.element));
        let _inside = traced.planned(&call.parts, bytes.fold(0, u64::saturating_add));
        self.write_ours(host, &ours)?;
        drop(claims);
        for part in &ours {
            self.relieve(host, &part.shared, &part.dataset)?;
        }
        drop(ours);
        if rest.len() == call.parts.len() {
            let objects: Vec<_> = call.parts.iter().map(|part| Arc::clone(&part.dataset)).collect();
            let datasets: Vec<_> =
                objects.iter().zip(rest).map(|(object, (_, reason))| (object, reason)).collect();
            return self.hand_over(host, &datasets, true, |reason| {
                let _native = traced.native(reason);
                call.forward()
            });
        }
        for (number, reason) in rest {
            let object = Arc::clone(&call.parts[number].dataset);
            let forward = |reason: &Reason| {
                let _native = traced.native(reason);
                call.forward_part(number)
            };
            self.hand_over(host, &[(&object, reason)], true, forward)?;
        }
        tell_how(host, transfer, &call.parts);
        Ok(0)
    }

    /// Fails if a call names a dataset twice: native HDF5 writes its parts in their order, or refuses them.
    fn each_once<M>(&self, questions: Questions, parts: &[DatasetPart<Self, M>]) -> Result<(), Reason> {
        if parts.len() < 2 {
            return Ok(());
        }
        let ours = parts.iter().filter_map(|part| self.ours(questions, &part.dataset).ok());
        let mut seen = HashSet::new();
        let once = ours.filter_map(|ours| ours.writable().map(Arc::as_ptr)).all(|shared| seen.insert(shared));
        if once { Ok(()) } else { Err(Reason::NamedTwice) }
    }

    /// What the engine needs to know about one dataset's part of a write.
    fn prepare_write<'a>(
        &self,
        questions: Questions,
        part: &'a DatasetPart<Self, MemorySource<'_>>,
        wishes: Wishes,
    ) -> Result<OurPart<'a>, Reason> {
        let below = part.dataset.below().ok_or(Reason::NotNative)?;
        let dataset = self.ours(questions, &part.dataset)?;
        let shared = Arc::clone(dataset.writable().ok_or(Reason::ReadOnly)?);
        match dataset.storage() {
            Storage::Missing => return Err(Reason::NoStorage),
            Storage::Chunked(chunks) if wishes.hears_of_failures && chunks.filtering.is_some() => {
                return Err(Reason::FilterCallback);
            }
            Storage::Chunked(chunks) if !wishes.verify && chunks.filtering.is_some() => {
                return Err(Reason::Unverified);
            }
            Storage::Chunked(chunks) if chunks.lacks_filter => {
                let what = "a filter that may be left out, and that HDF5 does not have";
                return Err(Reason::FilterUnknown(what.to_owned()));
            }
            // See `ChunkWriter`: with another chunk to look for HDF5 can be made to.
            Storage::Chunked(chunks) if chunks.grid.has_one_chunk() && chunks.pipeline.may_leave_out() => {
                return Err(Reason::OnlyChunk);
            }
            Storage::Contiguous(..) | Storage::External(_) | Storage::Chunked(_) => {}
        }
        let conversion = dataset.conversion_from(questions, part.memory_type)?;
        let memory_element = conversion.as_ref().map_or(dataset.element(), |with| with.element);
        wishes.have_room(conversion.is_some(), dataset.element(), memory_element)?;
        let Transfer { file, memory, memory_bytes } =
            Transfer::of(questions, part, &dataset, memory_element)?;
        if part.memory.as_ptr().is_null() {
            return Err(Reason::Selection);
        }
        if file.repeats() {
            return Err(Reason::RepeatedPlace);
        }
        let filler = match dataset.chunks() {
            Some(_) => dataset.filler(questions, below)?,
            None => Arc::default(),
        };
        self.bring_up_to_date(&dataset, below)?;
        let target = dataset.target(&file.selection)?;
        summary::write_bypassed(file.selection.len().saturating_mul(memory_element));
        Ok(OurPart {
            shared,
            object: &part.dataset,
            below,
            part: WritePart {
                element: dataset.element(),
                conversion,
                file: file.selection,
                file_in_order: file.in_order,
                memory_selection: memory.selection,
                memory: memory::bytes(&part.memory, memory_bytes),
            },
            filler,
            target,
            dataset,
        })
    }

    fn write_ours(&self, host: Host, parts: &[OurPart<'_>]) -> Result<()> {
        self.write_contiguous(host, parts)?;
        for part in parts {
            if let Some(chunks) = part.dataset.chunks() {
                self.write_chunks(host, part, chunks)?;
            }
        }
        Ok(())
    }

    /// Writes the parts that have no chunks.
    fn write_contiguous(&self, host: Host, parts: &[OurPart<'_>]) -> Result<()> {
        let (mut in_place, mut owners) = (Vec::new(), Vec::new());
        for part in parts {
            let offset = match part.dataset.storage() {
                Storage::Contiguous(offset, _) => Some(*offset),
                Storage::External(_) => Some(0),
                Storage::Missing | Storage::Chunked(_) => None,
            };
            if let Some(layout) = offset.map(Places::Contiguous) {
                in_place.push(InPlace { part: &part.part, target: &part.target, layout });
                owners.push(part);
            }
        }
        self.write_in_place(host, &in_place, &owners)
    }

    /// Writes to storage that exists.
    pub(crate) fn write_in_place(
        &self,
        host: Host,
        in_place: &[InPlace<'_>],
        owners: &[&OurPart<'_>],
    ) -> Result<()> {
        if in_place.is_empty() {
            return Ok(());
        }
        let bytes = in_place.iter().map(|one| one.part.file.len().saturating_mul(one.part.element));
        let engine = self.engine();
        let outcome = if bytes.fold(0_u64, u64::saturating_add) < WORTH_RELEASING {
            engine.write(in_place)
        } else {
            self.without_lock(host, || engine.write(in_place))
        };
        outcome.map_err(|error| {
            let owner = error.part().and_then(|part| owners.get(part)).unwrap_or(&owners[0]);
            cannot_write(owner.below, &error)
        })
    }

    /// Before anything is read or written: what native HDF5 has of the dataset must be in the file, and how far the
    /// file reaches then must be known.
    pub(crate) fn bring_up_to_date(&self, dataset: &OurDataset, below: &BelowObject) -> Result<(), Reason> {
        if let (Some(shared), Some(_)) = (dataset.writable(), dataset.chunks()) {
            shared.catch_up(below)?;
        }
        self.files.look_for_end(dataset.file(), below);
        Ok(())
    }

    /// The engine, as the environment wants it.
    pub(crate) fn engine(&self) -> Engine<'static> {
        let engine = Engine::new(Pool::global());
        match self.configuration.as_ref().ok().and_then(|configuration| configuration.io_size) {
            Some(bytes) => engine.with_task_bytes(bytes),
            None => engine,
        }
    }

    /// Does work without the host's global lock, by a call that has claims and keeps them.
    pub(crate) fn without_lock<R>(&self, host: Host, work: impl FnOnce() -> R) -> R {
        if !host.can_release_global_lock() {
            return work();
        }
        let _committing = self.committers.enter();
        self.lock.without(&HostGlobalLock(host), |_| work())
    }
}

impl OurPart<'_> {
    /// Where its bytes are.
    pub(crate) fn target(&self) -> &Source {
        &self.target
    }

    /// An error of the engine with the names of file and dataset.
    pub(crate) fn describe(&self, error: &EngineError) -> h5_vol::Error {
        cannot_write(self.below, error)
    }
}
