//! One dataset's part of a call.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use h5_host::Questions;
use h5_vol::BelowObject;
use h5_vol::calls::DatasetPart;

use crate::Bypass;
use crate::coherency::handle::DatasetHandle;
use crate::coherency::resolved::{Decision, Resolved};
use crate::coherency::shared::Shared;
use crate::report::reason::Reason;
use crate::transfer::touched_sources::Touched;

/// A part of a call, and the dataset that it is resolved to. Claims, allocation and preparation share what was found.
pub(crate) struct PartOfCall<'p, M> {
    pub(crate) part: &'p DatasetPart<Bypass, M>,
    decision: RefCell<Option<Decision>>,
    /// All of the dataset is claimed, so that windows on it may be used.
    has_all: Cell<bool>,
    /// What is claimed of the sources of a virtual dataset: all of these.
    sources: RefCell<Vec<Arc<Shared>>>,
    /// What it touches of them, found when they were claimed.
    touched: RefCell<Option<Touched>>,
    /// Its sources are left to native HDF5.
    is_left: Cell<bool>,
}

impl<'p, M> PartOfCall<'p, M> {
    pub(crate) fn new(part: &'p DatasetPart<Bypass, M>) -> Self {
        Self {
            part,
            decision: RefCell::new(None),
            has_all: Cell::new(false),
            sources: RefCell::default(),
            touched: RefCell::new(None),
            is_left: Cell::new(false),
        }
    }

    /// Notes that all of the dataset is claimed, and not an area of it.
    pub(super) fn note_all_claimed(&self) {
        self.has_all.set(true);
    }

    /// Whether all of the dataset is claimed, and not an area of it.
    pub(crate) fn is_all_claimed(&self) -> bool {
        self.has_all.get()
    }

    /// Notes the sources of a virtual dataset that are claimed, and what is touched of them.
    pub(super) fn note_claimed_sources(&self, sources: Vec<Arc<Shared>>, touched: Touched) {
        *self.sources.borrow_mut() = sources;
        *self.touched.borrow_mut() = Some(touched);
    }

    /// Notes that the sources of a virtual dataset are left to native HDF5.
    pub(super) fn note_left(&self) {
        self.is_left.set(true);
    }

    /// Whether they are.
    pub(crate) fn is_left(&self) -> bool {
        self.is_left.get()
    }

    /// What was found to be touched when the sources were claimed, if that still holds. It is given once.
    pub(crate) fn take_touched(&self) -> Option<Touched> {
        self.touched.borrow_mut().take().filter(Touched::is_current)
    }

    /// The sources of a virtual dataset that are claimed.
    pub(crate) fn claimed_sources(&self) -> Vec<Arc<Shared>> {
        self.sources.borrow().clone()
    }

    /// Fails if a source of a virtual dataset may change meanwhile: it has appeared after the others were claimed.
    pub(crate) fn check_claimed(&self, source: &Resolved) -> Result<(), Reason> {
        let is_claimed =
            |shared: &Arc<Shared>| self.sources.borrow().iter().any(|claimed| Arc::ptr_eq(claimed, shared));
        if source.shared.as_ref().is_none_or(is_claimed) { Ok(()) } else { Err(Reason::Virtual) }
    }

    /// The dataset of the connector below, and what we keep with its handle.
    pub(crate) fn handle(&self) -> Result<(&'p BelowObject, &'p DatasetHandle), Reason> {
        let below = self.part.dataset.below().ok_or(Reason::NotNative)?;
        let state = self.part.dataset.data().dataset.as_ref().ok_or(Reason::NotNative)?;
        Ok((below, state))
    }

    /// The dataset, if it is ours. It is looked up once, and again only if it has changed meanwhile: while the call waited
    /// for its claims, or because storage was allocated.
    pub(crate) fn resolve(&self, connector: &Bypass, questions: Questions) -> Decision {
        let mut decision = self.decision.borrow_mut();
        match &*decision {
            Some(Ok(dataset)) if dataset.is_outdated() => {}
            Some(known) => return known.clone(),
            None => {}
        }
        decision.insert(connector.ours(questions, &self.part.dataset)).clone()
    }
}
