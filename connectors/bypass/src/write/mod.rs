//! Writing: from HDF5's call to the engine.
//!
//! [`crate::transfer`] has the order of the steps; here are those of a write. Storage that exists is written in place, without
//! HDF5's lock. Chunks that filters go over, and those that have no storage yet, are put together and encoded without the lock
//! as well, and then stored through HDF5.

pub(crate) mod allocation;
pub(crate) mod chunks;
pub(crate) mod deferred;
pub(crate) mod in_place;
pub(crate) mod new_dataset;
pub(crate) mod prepare;
pub(crate) mod short;
pub(crate) mod values;
pub(crate) mod variable;
pub(crate) mod virtual_write;

use core::ffi::c_int;
use std::collections::HashSet;
use std::sync::Arc;

use global_lock::{Claim, Use};
use h5_host::Questions;
use h5_vol::calls::{DatasetPart, DatasetWrite, MemorySource, RequestSlot};
use h5_vol::{Host, Id, Result};
use trace::Kind;

use crate::Bypass;
use crate::coherency::handle::DatasetHandle;
use crate::report::reason::Reason;
use crate::report::summary::Direction;
use crate::transfer::part::PartOfCall;
use crate::transfer::shared_read::refused_for_mpi;
use crate::transfer::wishes::Wishes;
use crate::transfer::{Call, Declined, Stop, Submission};
use prepare::{OurPart, OurWrite};

impl<'a> Call for DatasetWrite<'a, Bypass> {
    type Memory = MemorySource<'a>;
    type Ours<'p>
        = OurWrite<'p>
    where
        Self: 'p;

    const USE: Use = Use::Write;
    const DIRECTION: Direction = Direction::Write;
    const KIND: Kind = Kind::Write;

    fn parts(&self) -> &[DatasetPart<Bypass, Self::Memory>] {
        &self.parts
    }

    fn list(&self) -> Id {
        self.transfer
    }

    fn is_left_as_compact(state: &DatasetHandle) -> bool {
        state.compact_reads.is_write_left()
    }

    fn move_short_runs(&self, questions: Questions, _straight: u64) -> Option<Result<u64>> {
        short::write(questions, &self.parts, self.transfer)
    }

    fn left_to_native(&self, _connector: &Bypass, host: Host) -> Option<Reason> {
        let first = || new_dataset::is_first_write(host, self).then_some(Reason::NoStorage);
        refused_for_mpi(&self.parts).cloned().or_else(first)
    }

    /// Fails if the call names a dataset twice: native HDF5 writes its parts in their order, or refuses them.
    fn check_together(
        &self,
        connector: &Bypass,
        questions: Questions,
        parts: &[PartOfCall<'_, Self::Memory>],
    ) -> Result<(), Reason> {
        if parts.len() < 2 {
            return Ok(());
        }
        let mut seen = HashSet::new();
        for part in parts {
            // A virtual dataset is written to its sources.
            let mut own: HashSet<_> = part.claimed_sources().iter().map(Arc::as_ptr).collect();
            let dataset = part.resolve(connector, questions).ok();
            own.extend(dataset.and_then(|dataset| dataset.shared.as_ref().map(Arc::as_ptr)));
            if !own.into_iter().all(|shared| seen.insert(shared)) {
                return Err(Reason::NamedTwice);
            }
        }
        Ok(())
    }

    fn decline(
        &self,
        connector: &Bypass,
        questions: Questions,
        part: &PartOfCall<'_, Self::Memory>,
        reason: &Reason,
    ) -> Declined {
        // Native HDF5 will take storage.
        if matches!(reason, Reason::DataTransform | Reason::ConversionCallback)
            && let Some(Err(error)) = connector.allocate(questions, part)
        {
            return Declined::Failed(error);
        }
        Declined::Native(reason.clone())
    }

    fn prepare<'p>(
        &'p self,
        connector: &Bypass,
        questions: Questions,
        part: &PartOfCall<'p, Self::Memory>,
        wishes: Wishes,
    ) -> Result<OurWrite<'p>, Declined> {
        if let Some(written) = connector.prepare_virtual_write(questions, part, wishes) {
            return written;
        }
        if let Some(Err(error)) = connector.allocate(questions, part) {
            return Err(Declined::Failed(error));
        }
        let goes_behind = !self.request.is_asynchronous();
        Ok(OurWrite(vec![connector.prepare_write(questions, part, wishes, goes_behind)?]))
    }

    fn bytes(part: &OurWrite<'_>) -> u64 {
        part.0.iter().map(OurPart::bytes).fold(0, u64::saturating_add)
    }

    fn run(
        &self,
        connector: &Bypass,
        host: Host,
        ours: Vec<OurWrite<'_>>,
        _numbers: &[usize],
        claims: Vec<Claim>,
    ) -> Result<(), Stop> {
        let mut ours: Vec<_> = ours.into_iter().flat_map(|ours| ours.0).collect();
        let mut seen = HashSet::new();
        if ours.iter().all(|part| seen.insert(Arc::as_ptr(&part.shared))) {
            connector.write_contiguous(host, &ours)?;
        } else {
            // Elements of a source that a virtual dataset has twice are written in their order.
            ours.chunks(1).try_for_each(|part| connector.write_contiguous(host, part))?;
        }
        for part in &mut ours {
            let variable = part.variable.take();
            match (part.dataset.chunks(), variable) {
                (_, Some(variable)) => connector.write_variable(host, part, *variable)?,
                (Some(chunks), None) => connector.write_chunks(host, part, chunks)?,
                (None, None) => {}
            }
        }
        drop(claims);
        for part in &ours {
            connector.relieve(host, &part.shared, &part.dataset)?;
        }
        Ok(())
    }

    fn request(&self) -> &RequestSlot<'_> {
        &self.request
    }

    fn submit<'p>(
        &'p self,
        connector: &Bypass,
        host: Host,
        ours: Vec<OurWrite<'p>>,
        claims: Vec<Claim>,
    ) -> Submission<OurWrite<'p>> {
        deferred::submit(connector, host, self, ours, claims)
    }

    fn forward(&self, _host: Host, part: Option<usize>) -> Result<c_int> {
        match part {
            Some(number) => self.forward_part(number),
            None => DatasetWrite::forward(self),
        }
    }
}
