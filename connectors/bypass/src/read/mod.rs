//! Reading: from HDF5's call to the engine's request.
//!
//! [`crate::transfer`] has the order of the steps; here are those of a read. What HDF5 must convert is converted after the engine
//! has read it, under the lock again.

pub(crate) mod batches;
pub(crate) mod deferred;
pub(crate) mod draft;
pub(crate) mod host_conversion;
pub(crate) mod plain_first;
pub(crate) mod prepare;
pub(crate) mod short;
pub(crate) mod small;
pub(crate) mod stage;
pub(crate) mod staged;
pub(crate) mod variable;
pub(crate) mod virtual_read;

use core::ffi::c_int;
use std::sync::Arc;

use engine::{EngineError, Layout, Part, Request, Source, ValueError};
use global_lock::{Claim, Use};
use h5_host::Questions;
use h5_vol::calls::{DatasetPart, DatasetRead, MemoryTarget, RequestSlot};
use h5_vol::{BelowObject, Host, Id, Result};
use trace::Kind;

use crate::Bypass;
use crate::coherency::handle::DatasetHandle;
use crate::coherency::sources::SourceDataset;
use crate::inspect::host_filters::lend_after_failure;
use crate::report::fault::cannot_read;
use crate::report::reason::Reason;
use crate::report::summary::Direction;
use crate::run::engine::{WORTH_RELEASING, engine};
use crate::transfer::named::are_distinct;
use crate::transfer::part::PartOfCall;
use crate::transfer::shared_read::{left_by_all, read_independently, refused_for_mpi, shared_file};
use crate::transfer::wishes::Wishes;
use crate::transfer::{Call, Declined, Stop, Submission};
use draft::{Draft, Prepared};
use staged::{NotConverted, Staged};
use variable::VariablePart;

impl<'a> Call for DatasetRead<'a, Bypass> {
    type Memory = MemoryTarget<'a>;
    type Ours<'p>
        = Prepared<'p>
    where
        Self: 'p;

    const USE: Use = Use::Read;
    const DIRECTION: Direction = Direction::Read;
    const KIND: Kind = Kind::Read;

    fn parts(&self) -> &[DatasetPart<Bypass, Self::Memory>] {
        &self.parts
    }

    fn list(&self) -> Id {
        self.transfer
    }

    fn is_left_as_compact(state: &DatasetHandle) -> bool {
        state.compact_reads.is_read_left()
    }

    fn move_short_runs(&self, questions: Questions, straight: u64) -> Option<Result<u64>> {
        short::read(questions, &self.parts, self.transfer, straight).map(Ok)
    }

    fn left_to_native(&self, connector: &Bypass, host: Host) -> Option<Reason> {
        if let Some(reason) = refused_for_mpi(&self.parts) {
            return Some(reason.clone());
        }
        if shared_file(&self.parts).is_some()
            && let Some(reason) = host.ask(|questions| left_by_all(questions, &self.parts, self.transfer))
        {
            return Some(reason);
        }
        match &*self.parts {
            [part] => {
                // A dataset that is known not to be ours is not decided about again, and nothing is asked about it.
                let state = part.dataset.data().dataset.as_ref()?;
                let known = host.ask_at_once(|questions| {
                    let is_default = questions.is_default_transfer(self.transfer);
                    let known = || {
                        state.known_refusal().or_else(|| connector.leave_new_sources(questions, part, state))
                    };
                    is_default.then(known)?
                });
                known.or_else(|| host.ask_first(|questions| connector.leave_to_native(questions, part, true)))
            }
            // Each is judged by itself.
            _ => None,
        }
    }

    /// Fails if the call names a chunked dataset twice.
    fn check_together(
        &self,
        connector: &Bypass,
        questions: Questions,
        parts: &[PartOfCall<'_, Self::Memory>],
    ) -> Result<(), Reason> {
        if parts.len() < 2 {
            return Ok(());
        }
        let is_chunked = |part: &&PartOfCall<'_, Self::Memory>| {
            part.resolve(connector, questions).is_ok_and(|dataset| dataset.chunks().is_some())
        };
        let chunked = parts.iter().filter(is_chunked).map(|part| part.part);
        if are_distinct(questions, chunked) { Ok(()) } else { Err(Reason::NamedTwice) }
    }

    fn prepare<'p>(
        &'p self,
        connector: &Bypass,
        questions: Questions,
        part: &PartOfCall<'p, Self::Memory>,
        wishes: Wishes,
    ) -> Result<Prepared<'p>, Declined> {
        connector.prepare_read(questions, part, (wishes, self.transfer), self.parts.len() == 1)
    }

    fn bytes(part: &Prepared<'_>) -> u64 {
        part.bytes
    }

    fn run(
        &self,
        connector: &Bypass,
        host: Host,
        mut ours: Vec<Prepared<'_>>,
        numbers: &[usize],
        claims: Vec<Claim>,
    ) -> Result<(), Stop> {
        let failure = match connector.read_parts(host, &mut ours, claims) {
            Ok(()) => return Ok(()),
            Err(failure) => failure,
        };
        let below = |index: Option<usize>| {
            let number = index.and_then(|index| numbers.get(index)).copied().unwrap_or(numbers[0]);
            self.parts[number].dataset.below()
        };
        Err(failure.describe(below))
    }

    fn request(&self) -> &RequestSlot<'_> {
        &self.request
    }

    fn submit<'p>(
        &'p self,
        connector: &Bypass,
        host: Host,
        ours: Vec<Prepared<'p>>,
        claims: Vec<Claim>,
    ) -> Submission<Prepared<'p>> {
        deferred::submit(connector, host, self, ours, claims)
    }

    fn forward(&self, host: Host, part: Option<usize>) -> Result<c_int> {
        let range = part.map_or(0..self.parts.len(), |number| number..number + 1);
        let forward = || {
            let alone = read_independently(host, self, range.clone());
            alone.unwrap_or_else(|| self.forward_parts(range.clone(), self.transfer))
        };
        if part.is_some() {
            return with_filters(host, &self.parts[range.clone()], forward);
        }
        let state = self.parts[0].dataset.data().dataset.as_ref();
        let _timed = state.and_then(|state| state.little_reads.begin());
        with_filters(host, &self.parts, forward)
    }
}

impl Bypass {
    /// Reads the parts that are ours.
    fn read_parts(&self, host: Host, ours: &mut [Prepared<'_>], claims: Vec<Claim>) -> Result<(), Failure> {
        let keeps_lock = ours.iter().any(|ours| ours.draft.keeps_lock());
        // How many parts there are up to each of ours: virtual datasets have many.
        let (mut parts, mut ends) = (Vec::with_capacity(ours.len()), Vec::with_capacity(ours.len()));
        for Prepared { source, draft, .. } in ours.iter_mut() {
            draft.add_parts(source, &mut parts);
            ends.push(parts.len());
        }
        let mut request = Request { parts };
        // Whoever changes elements deletes their values, which are still to be read.
        let (until_read, until_the_end) =
            if keeps_lock { (Vec::new(), claims) } else { (claims, Vec::new()) };
        let outcome = self.execute(host, &mut request, until_read, keeps_lock);
        drop(request);
        outcome.map_err(|failure| {
            let index = failure.part().map(|part| ends.partition_point(|end| *end <= part));
            let source = index.and_then(|index| {
                let start = index.checked_sub(1).map_or(0, |before| ends[before]);
                ours.get(index)?.draft.source_of_part(failure.part()?.checked_sub(start)?).cloned()
            });
            Failure::Engine { failure: Box::new(failure), index, source }
        })?;
        for (index, Prepared { source, draft, .. }) in ours.iter_mut().enumerate() {
            match draft {
                Draft::Direct(_) | Draft::Virtual(_) => {}
                Draft::Staged(staged) => self.convert_batches(host, index, staged, source)?,
                Draft::Variable(variable) => self.find_values(host, index, variable, source)?,
            }
        }
        for Prepared { draft, .. } in ours {
            if let Draft::Variable(variable) = draft {
                variable.values.keep();
            }
        }
        drop(until_the_end);
        Ok(())
    }

    /// Gives the batch that was read its values, then reads those that follow and gives them theirs.
    fn find_values(
        &self,
        host: Host,
        index: usize,
        variable: &mut VariablePart<'_>,
        source: &Source,
    ) -> Result<(), Failure> {
        let engine = engine(self.configuration.as_ref().ok());
        loop {
            let delivered = if variable.newer.is_some() {
                let heaps = &self.files.heaps;
                let delivered = host.ask_first(|questions| variable.deliver_newer(engine, questions, heaps));
                // Native HDF5 may have said that it has no such object.
                delivered.inspect_err(|_| host.forget_errors())
            } else if variable.values.is_for_every_thread() {
                self.locks.without(host, || variable.deliver(engine, None))
            } else {
                let _callback = self.locks.user_callback(host);
                variable.deliver(engine, None)
            };
            delivered.map_err(|error| Failure::Value(index, error))?;
            let is_ready = host.ask_first(|questions| variable.prepare(questions));
            if !is_ready.map_err(|reason| Failure::Reason(index, reason))? {
                return Ok(());
            }
            let keeps_lock = variable.newer.is_some();
            self.read_batch(host, index, variable.stage.part(source), keeps_lock)?;
        }
    }

    /// Reads a batch of one of ours.
    fn read_batch(
        &self,
        host: Host,
        index: usize,
        part: Option<Part<'_>>,
        keeps_lock: bool,
    ) -> Result<(), Failure> {
        let mut request = Request { parts: part.into_iter().collect() };
        let outcome = self.execute(host, &mut request, Vec::new(), keeps_lock);
        outcome.map_err(|failure| {
            let failure = Box::new(failure);
            Failure::Engine { failure, index: Some(index), source: None }
        })
    }

    /// Lets HDF5 convert the batch that was read, then reads and converts those that follow.
    fn convert_batches(
        &self,
        host: Host,
        index: usize,
        staged: &mut Staged<'_>,
        source: &Source,
    ) -> Result<(), Failure> {
        loop {
            let delivered = host.ask_first(|questions| staged.deliver(questions));
            delivered.map_err(|NotConverted| Failure::NotConverted(index))?;
            let is_ready = host.ask_first(|questions| staged.prepare(questions));
            if !is_ready.map_err(|reason| Failure::Reason(index, reason))? {
                return Ok(());
            }
            self.read_batch(host, index, staged.stage.part(source), false)?;
        }
    }

    /// Lets the engine work, without the host's global lock if there is enough to do.
    fn execute(
        &self,
        host: Host,
        request: &mut Request<'_>,
        claims: Vec<Claim>,
        keeps_lock: bool,
    ) -> Result<(), EngineError> {
        let engine = engine(self.configuration.as_ref().ok());
        let bytes = request.parts.iter().map(bytes_to_touch).fold(0_u64, u64::saturating_add);
        if keeps_lock || bytes < WORTH_RELEASING {
            return engine.read(request);
        }
        self.locks.without(host, || {
            let outcome = engine.read(request);
            // Before the lock is taken back: who keeps it in a user's callback may wait for these.
            drop(claims);
            outcome
        })
    }
}

/// Why parts that are ours could not be read, and which of them.
enum Failure {
    Engine {
        failure: Box<EngineError>,
        /// Which of ours.
        index: Option<usize>,
        /// The source that was being read, if it is a virtual dataset.
        source: Option<Arc<SourceDataset>>,
    },
    /// HDF5 has said why on the error stack.
    NotConverted(usize),
    /// A value of variable length could not be had.
    Value(usize, ValueError),
    /// Native HDF5 has to do it after all.
    Reason(usize, Reason),
}

impl Failure {
    /// With the names of file and dataset. Chunks that only a plugin may understand are native's to read.
    fn describe<'d>(self, dataset: impl Fn(Option<usize>) -> Option<&'d BelowObject>) -> Stop {
        match self {
            Self::Engine { failure, index, source } => {
                let source = source.as_ref().map(|source| &*source.below);
                let error = cannot_read(source.or_else(|| dataset(index)), &failure);
                if failure.is_foreign() {
                    Stop::Native { reason: Reason::ChunkForeign(failure.to_string()), error }
                } else {
                    Stop::Failed(error)
                }
            }
            Self::NotConverted(index) => {
                let cause = "HDF5 cannot convert its elements";
                Stop::Failed(cannot_read(dataset(Some(index)), &cause))
            }
            // If native HDF5 makes anything of it, that is what it is.
            Self::Value(index, failure) => {
                let error = cannot_read(dataset(Some(index)), &failure);
                Stop::Native { reason: Reason::ValueForeign(failure.to_string()), error }
            }
            Self::Reason(index, reason) => {
                let error = cannot_read(dataset(Some(index)), &reason);
                Stop::Native { reason, error }
            }
        }
    }
}

/// Lets native HDF5 read datasets. If it fails for want of a filter that we have, it is lent that and reads again: what
/// can be read in large pieces can be read in small ones.
fn with_filters<M>(
    host: Host,
    parts: &[DatasetPart<Bypass, M>],
    forward: impl Fn() -> Result<c_int>,
) -> Result<c_int> {
    let outcome = forward();
    if outcome.is_ok() {
        return outcome;
    }
    // All processes would have to ask for the creation list of a virtual dataset that they share.
    let is_asked = |part: &&DatasetPart<Bypass, M>| {
        let state = part.dataset.data().dataset.as_ref();
        let is_virtual =
            |state: &DatasetHandle, below| host.ask(|questions| state.is_virtual(questions, below));
        let (Some(state), Some(below)) = (state.filter(|state| state.is_on_mpi()), part.dataset.below())
        else {
            return true;
        };
        !is_virtual(state, below)
    };
    let asked = parts.iter().filter(is_asked);
    let lent = asked.filter(|part| lend_after_failure(host, part.dataset.below())).count();
    if lent == 0 {
        return outcome;
    }
    host.forget_errors();
    forward()
}

/// Bytes that must be read or decoded for a part, at most.
fn bytes_to_touch(part: &Part<'_>) -> u64 {
    let elements = match &part.layout {
        Layout::Filtered(chunks) => (chunks.chunks.len() as u64).saturating_mul(chunks.grid.chunk_len()),
        _ => part.file.len(),
    };
    elements.saturating_mul(part.element)
}
