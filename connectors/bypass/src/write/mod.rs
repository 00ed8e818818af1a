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

use core::ffi::c_int;
use std::collections::HashSet;
use std::sync::Arc;

use global_lock::{Claim, Use};
use h5_host::Questions;
use h5_vol::calls::{DatasetPart, DatasetWrite, MemorySource, RequestSlot};
use h5_vol::{Host, Id, Result};
use trace::Kind;

use crate::Bypass;
use crate::report::reason::Reason;
use crate::report::summary::Direction;
use crate::transfer::part::PartOfCall;
use crate::transfer::wishes::Wishes;
use crate::transfer::{Call, Declined, Stop, Submission};
use prepare::OurPart;

impl<'a> Call for DatasetWrite<'a, Bypass> {
    type Memory = MemorySource<'a>;
    type Ours<'p>
        = OurPart<'p>
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

    fn move_short_runs(&self, questions: Questions) -> Option<Result<u64>> {
        short::write(questions, &self.parts, self.transfer)
    }

    fn left_to_native(&self, _connector: &Bypass, host: Host) -> Option<Reason> {
        host.ask_at_once(|questions| new_dataset::is_first_write(questions, self))
            .then_some(Reason::NoStorage)
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
        let ours = parts.iter().filter_map(|part| part.resolve(connector, questions).ok());
        let mut seen = HashSet::new();
        let once =
            ours.filter_map(|ours| ours.shared.as_ref().map(Arc::as_ptr)).all(|shared| seen.insert(shared));
        if once { Ok(()) } else { Err(Reason::NamedTwice) }
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
    ) -> Result<OurPart<'p>, Declined> {
        if let Some(Err(error)) = connector.allocate(questions, part) {
            return Err(Declined::Failed(error));
        }
        Ok(connector.prepare_write(questions, part, wishes)?)
    }

    fn bytes(part: &OurPart<'_>) -> u64 {
        part.part.file.len().saturating_mul(part.part.element)
    }

    fn run(
        &self,
        connector: &Bypass,
        host: Host,
        mut ours: Vec<OurPart<'_>>,
        _numbers: &[usize],
        claims: Vec<Claim>,
    ) -> Result<(), Stop> {
        connector.write_contiguous(host, &ours)?;
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
        ours: Vec<OurPart<'p>>,
        claims: Vec<Claim>,
    ) -> Submission<OurPart<'p>> {
        deferred::submit(connector, host, self, ours, claims)
    }

    fn forward(&self, _host: Host, part: Option<usize>) -> Result<c_int> {
        match part {
            Some(number) => self.forward_part(number),
            None => DatasetWrite::forward(self),
        }
    }
}
