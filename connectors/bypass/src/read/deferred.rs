//! Reads that go on after the call has returned.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::{Engine, EngineError, Request};
use global_lock::Claim;
use h5_vol::calls::DatasetRead;
use h5_vol::{Callback, Host, Object, Result};
use trace::Label;

use crate::Bypass;
use crate::coherency::labels::label_of;
use crate::read::Failure;
use crate::read::draft::{Piece, Prepared};
use crate::report::summary::{self, Direction};
use crate::requests::request::Operation;
use crate::run::engine::engine;
use crate::transfer::{Stop, Submission};

/// A read that is under way.
struct DeferredRead {
    engine: Engine<'static>,
    /// What is read of each dataset. Sources of virtual datasets are among it, so it is dropped in a callback of HDF5.
    pieces: Mutex<Vec<Vec<Piece<'static>>>>,
    datasets: Vec<Arc<Object<Bypass>>>,
    label: Label,
    failure: Mutex<Option<Failure>>,
}

/// Begins a read of these parts, if all of them can be read after the call has returned.
pub(super) fn submit<'p>(
    connector: &Bypass,
    host: Host,
    call: &DatasetRead<'_, Bypass>,
    ours: Vec<Prepared<'p>>,
    claims: Vec<Claim>,
) -> Submission<Prepared<'p>> {
    if !ours.iter().all(Prepared::can_outlive_call) {
        return Submission::NotPossible(ours, claims);
    }
    let datasets: Vec<_> = call.parts.iter().map(|part| Arc::clone(&part.dataset)).collect();
    let operation = DeferredRead {
        engine: engine(connector.configuration.as_ref().ok()),
        pieces: Mutex::new(ours.into_iter().map(Prepared::outliving_call).collect()),
        label: if trace::is_on() { label_of(&datasets[0]) } else { Label::NONE },
        datasets: datasets.clone(),
        failure: Mutex::default(),
    };
    summary::asynchronous(Direction::Read);
    Submission::Begun(connector.submit(host, &call.request, datasets, claims, Arc::new(operation)))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A failure, with the dataset and the source that it concerns.
fn failure_of(pieces: &[Vec<Piece<'static>>], failure: EngineError) -> Failure {
    let mut all =
        pieces.iter().enumerate().flat_map(|(index, pieces)| pieces.iter().map(move |it| (index, it)));
    let found = failure.part().and_then(|part| all.nth(part));
    let (index, source) = (found.map(|(index, _)| index), found.and_then(|(_, piece)| piece.dataset.clone()));
    Failure::Engine { failure: Box::new(failure), index, source }
}

impl Operation for DeferredRead {
    fn callback(&self) -> Callback {
        Callback::DatasetRead
    }

    fn work(&self) {
        let mut pieces = locked(&self.pieces);
        let parts = pieces.iter_mut().flatten().filter_map(Piece::part).collect();
        let outcome = self.engine.read(&mut Request { parts });
        *locked(&self.failure) = outcome.err().map(|failure| failure_of(&pieces, failure));
    }

    fn finish(&self, _connector: &Bypass, _host: Host) -> Result<()> {
        let Some(failure) = locked(&self.failure).take() else { return Ok(()) };
        let below =
            |index: Option<usize>| self.datasets.get(index.unwrap_or(0)).and_then(|dataset| dataset.below());
        match failure.describe(below) {
            Stop::Failed(error) | Stop::Native { error, .. } => Err(error),
        }
    }

    fn stores(&self) -> bool {
        false
    }

    fn label(&self) -> Label {
        self.label
    }
}
