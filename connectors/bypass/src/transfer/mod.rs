//! What every read and write does, in its order.
//!
//! [`Bypass::transfer`] is the skeleton. Everything that HDF5 must be asked is asked first, in one go and under its lock. Then
//! the lock is given up, and the engine works. What is not ours native HDF5 does afterwards. [`Call`] has the steps in which
//! reads and writes differ.

pub(crate) mod claims;
pub(crate) mod little_calls;
pub(crate) mod named;
pub(crate) mod part;
pub(crate) mod selections;
pub(crate) mod shared_read;
pub(crate) mod short_run;
pub(crate) mod source_block;
pub(crate) mod touched_sources;
pub(crate) mod traced;
pub(crate) mod wishes;

use core::ffi::c_int;

use global_lock::{Claim, Use};
use h5_host::Questions;
use h5_vol::calls::{DatasetPart, RequestSlot};
use h5_vol::{Error, Host, Id, Result};
use trace::Kind;

use crate::Bypass;
use crate::coherency::handle::DatasetHandle;
use crate::report::reason::Reason;
use crate::report::summary::{self, Direction};
use crate::run::engine::straight;
use part::PartOfCall;
use traced::{Traced, was_short};
use wishes::{Wishes, in_one_file, tell_how};

/// A read or a write of one dataset or several.
pub(crate) trait Call {
    /// The application's memory.
    type Memory;
    /// One dataset's part of the call, ready for the engine.
    type Ours<'p>
    where
        Self: 'p;

    const USE: Use;
    const DIRECTION: Direction;
    const KIND: Kind;

    /// One part per dataset; there is at least one.
    fn parts(&self) -> &[DatasetPart<Bypass, Self::Memory>];

    /// The transfer property list.
    fn list(&self) -> Id;

    /// Whether it is known that native HDF5 does the only part of the call, because the dataset is compact.
    fn is_left_as_compact(state: &DatasetHandle) -> bool;

    /// Moves parts that are all short runs, or a single one that is shorter than `straight` and is only copied from the file; how many
    /// bytes. `None` if they are not, or if anything is unusual.
    fn move_short_runs(&self, questions: Questions, straight: u64) -> Option<Result<u64>>;

    /// Why native HDF5 does the whole call, if that is known before it is known whose the datasets are.
    fn left_to_native(&self, connector: &Bypass, host: Host) -> Option<Reason>;

    /// Fails if native HDF5 must do the parts because they are parts of one call.
    fn check_together(
        &self,
        _connector: &Bypass,
        _questions: Questions,
        _parts: &[PartOfCall<'_, Self::Memory>],
    ) -> Result<(), Reason> {
        Ok(())
    }

    /// A part that native HDF5 does for a reason that concerns the whole call.
    fn decline(
        &self,
        _connector: &Bypass,
        _questions: Questions,
        _part: &PartOfCall<'_, Self::Memory>,
        reason: &Reason,
    ) -> Declined {
        Declined::Native(reason.clone())
    }

    /// Asks HDF5 everything that the engine needs to know about a part.
    fn prepare<'p>(
        &'p self,
        connector: &Bypass,
        questions: Questions,
        part: &PartOfCall<'p, Self::Memory>,
        wishes: Wishes,
    ) -> Result<Self::Ours<'p>, Declined>;

    /// Bytes that a part moves.
    fn bytes(part: &Self::Ours<'_>) -> u64;

    /// Moves the parts that are ours. `numbers` tells which of the call's parts they are.
    fn run(
        &self,
        connector: &Bypass,
        host: Host,
        ours: Vec<Self::Ours<'_>>,
        numbers: &[usize],
        claims: Vec<Claim>,
    ) -> Result<(), Stop>;

    /// Where the request goes if the call is asynchronous.
    fn request(&self) -> &RequestSlot<'_>;

    /// Begins to move the parts, which are all of the call, and leaves the rest to a request.
    fn submit<'p>(
        &'p self,
        connector: &Bypass,
        host: Host,
        ours: Vec<Self::Ours<'p>>,
        claims: Vec<Claim>,
    ) -> Submission<Self::Ours<'p>>;

    /// Lets the connector below do the whole call, or one part of it.
    fn forward(&self, host: Host, part: Option<usize>) -> Result<c_int>;
}

/// Why a part is not the engine's.
#[derive(Debug)]
pub(crate) enum Declined {
    /// Native HDF5 does it.
    Native(Reason),
    /// The call fails.
    Failed(Error),
}

impl From<Reason> for Declined {
    fn from(reason: Reason) -> Self {
        Self::Native(reason)
    }
}

/// What became of parts that were to be moved after the call.
pub(crate) enum Submission<P> {
    /// They are being moved, or were moved at once.
    Begun(Result<()>),
    /// That is not possible.
    NotPossible(Vec<P>, Vec<Claim>),
}

/// Why the engine could not move what is ours.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The call fails.
    Failed(Error),
    /// Native HDF5 has to do the whole call after all. If it fails, too, this is why we did.
    Native { reason: Reason, error: Error },
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl Bypass {
    /// Moves what can be bypassed with the engine, and lets the connector below move the rest.
    pub(crate) fn transfer<C: Call>(&self, call: &C) -> Result<c_int> {
        let host = call.parts()[0].host();
        let beginning = trace::begin(C::KIND);
        if self.is_disabled() {
            return forward_disabled(call, host, Traced::new(beginning));
        }
        if let [part] = call.parts()
            && let Some(state) = &part.dataset.data().dataset
            && C::is_left_as_compact(state)
        {
            summary::passed_on(C::DIRECTION, &Reason::Compact);
            let mut traced = Traced::new(beginning);
            traced.look_at(call.parts());
            return self.hand_over(
                host,
                &[(&part.dataset, Reason::Compact)],
                C::USE == Use::Write,
                |reason| {
                    let _native = traced.native(reason);
                    call.forward(host, None)
                },
            );
        }
        if let Some(moved) = self.move_short_runs(call, host) {
            was_short(beginning, call.parts(), moved?);
            return Ok(0);
        }
        let mut traced = Traced::new(beginning);
        traced.look_at(call.parts());
        if let Some(reason) = call.left_to_native(self, host) {
            summary::passed_on(C::DIRECTION, &reason);
            let all = call.parts().iter().map(|_| reason.clone()).collect();
            return self.forward_all(call, host, all, &mut traced);
        }
        if C::USE == Use::Write {
            self.locks.give_way(host);
        }
        let (claims, prepared) = host.ask_first(|questions| self.prepare_parts(call, questions));
        let prepared = prepared?;
        let (mut ours, mut numbers, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for (number, part) in prepared.into_iter().enumerate() {
            match part {
                Ok(part) => {
                    ours.push(part);
                    numbers.push(number);
                }
                Err(reason) => {
                    summary::passed_on(C::DIRECTION, &reason);
                    rest.push((number, reason));
                }
            }
        }
        if rest.iter().any(|(_, reason)| reason.is_no_answer()) {
            host.forget_errors();
        }
        let bytes = ours.iter().map(C::bytes).fold(0_u64, u64::saturating_add);
        let _inside = traced.planned(call.parts(), bytes);
        if ours.is_empty() {
            drop((ours, claims));
            let reasons = rest.into_iter().map(|(_, reason)| reason).collect();
            return self.forward_all(call, host, reasons, &mut traced);
        }
        let (ours, claims) = if rest.is_empty() && self.may_submit(call.request(), bytes) {
            match call.submit(self, host, ours, claims) {
                Submission::Begun(begun) => {
                    begun?;
                    host.ask_first(|questions| tell_how(questions, call.list(), call.parts()));
                    return Ok(0);
                }
                Submission::NotPossible(ours, claims) => (ours, claims),
            }
        } else {
            (ours, claims)
        };
        match call.run(self, host, ours, &numbers, claims) {
            Ok(()) => {}
            Err(Stop::Failed(error)) => return Err(error),
            Err(Stop::Native { reason, error }) => {
                summary::not_bypassed(numbers.len() as u64, bytes);
                summary::passed_on(C::DIRECTION, &reason);
                let all = call.parts().iter().map(|_| reason.clone()).collect();
                return self.forward_all(call, host, all, &mut traced).map_err(|_| error);
            }
        }
        for (number, reason) in rest {
            let datasets = [(&call.parts()[number].dataset, reason)];
            self.hand_over(host, &datasets, C::USE == Use::Write, |reason| {
                let _native = traced.native(reason);
                call.forward(host, Some(number))
            })?;
        }
        host.ask_first(|questions| tell_how(questions, call.list(), call.parts()));
        Ok(0)
    }

    /// Moves the parts of a call if all of them are short runs; how many bytes. `None` if they are not, or if anything is
    /// unusual.
    fn move_short_runs<C: Call>(&self, call: &C, host: Host) -> Option<Result<u64>> {
        if let [part] = call.parts()
            && let (Some(handle), Some(below)) = (&part.dataset.data().dataset, part.dataset.below())
            && !handle.is_decided()
        {
            let configuration = self.configuration.as_ref().ok();
            let adopt = |questions| handle.adopt(questions, below, &self.files, configuration);
            (handle.may_adopt(&self.files) && host.ask_first(adopt)).then_some(())?;
        }
        in_one_file(call.parts()).ok()?;
        let straight = if C::USE == Use::Read { self.straight(call, host) } else { 0 };
        if host.ask_at_once(|questions| questions.is_default_transfer(call.list())) {
            return host.ask_at_once(|questions| call.move_short_runs(questions, straight));
        }
        // A list of their own is what some clients give to every call.
        host.ask_first(|questions| {
            let moved = call.move_short_runs(questions, straight)?;
            tell_how(questions, call.list(), call.parts());
            Some(moved)
        })
    }

    /// How long a run may be that is only copied from the file. A longer one takes so long that others must get the global lock
    /// meanwhile, or that the call must return before.
    fn straight<C: Call>(&self, call: &C, host: Host) -> u64 {
        let may_take_long = !host.can_release_global_lock() && !call.request().is_asynchronous();
        if may_take_long { straight(self.configuration.as_ref().ok()) } else { 0 }
    }

    /// Claims the parts of a call, and asks what the engine needs to know about each.
    #[expect(clippy::type_complexity, reason = "claims that outlive a failure, and a reason for each part")]
    fn prepare_parts<'p, C: Call>(
        &self,
        call: &'p C,
        questions: Questions,
    ) -> (Vec<Claim>, Result<Vec<Result<C::Ours<'p>, Reason>>>) {
        let parts: Vec<_> = call.parts().iter().map(PartOfCall::new).collect();
        let claims = self.claim_parts(questions, &parts, C::USE);
        let wishes = in_one_file(call.parts())
            .and_then(|()| call.check_together(self, questions, &parts))
            .and_then(|()| Wishes::of(questions, call.list(), call.parts()));
        let mut failed = None;
        let each = |part| {
            let prepared = match &wishes {
                Ok(wishes) => call.prepare(self, questions, part, *wishes),
                Err(reason) => Err(call.decline(self, questions, part, reason)),
            };
            prepared.map_err(|declined| match declined {
                Declined::Native(reason) => reason,
                Declined::Failed(error) => {
                    failed = Some(error);
                    Reason::Nothing
                }
            })
        };
        let prepared = parts.iter().map(each).collect();
        (claims, failed.map_or(Ok(prepared), Err))
    }

    /// Lets the connector below do the whole call, for one reason for each part.
    fn forward_all<C: Call>(
        &self,
        call: &C,
        host: Host,
        reasons: Vec<Reason>,
        traced: &mut Traced,
    ) -> Result<c_int> {
        let objects = call.parts().iter().map(|part| &part.dataset);
        let datasets: Vec<_> = objects.zip(reasons).collect();
        self.hand_over(host, &datasets, C::USE == Use::Write, |reason| {
            let _native = traced.native(reason);
            call.forward(host, None)
        })
    }
}

/// Lets the connector below do everything, as the environment wants it.
fn forward_disabled<C: Call>(call: &C, host: Host, mut traced: Traced) -> Result<c_int> {
    call.parts().iter().for_each(|_| summary::passed_on(C::DIRECTION, &Reason::Disabled));
    traced.note(call.parts(), 0);
    let _native = traced.native(&Reason::Disabled);
    call.forward(host, None)
}
