//! One dataset's part of a call.

use std::cell::{Cell, RefCell};

use h5_host::Questions;
use h5_vol::BelowObject;
use h5_vol::calls::DatasetPart;

use crate::Bypass;
use crate::coherency::handle::DatasetHandle;
use crate::coherency::resolved::Decision;
use crate::report::reason::Reason;

/// A part of a call, and the dataset that it is resolved to. Claims, allocation and preparation share what was found.
pub(crate) struct PartOfCall<'p, M> {
    pub(crate) part: &'p DatasetPart<Bypass, M>,
    decision: RefCell<Option<Decision>>,
    /// All of the dataset is claimed, so that windows on it may be used.
    has_all: Cell<bool>,
}

impl<'p, M> PartOfCall<'p, M> {
    pub(crate) fn new(part: &'p DatasetPart<Bypass, M>) -> Self {
        Self { part, decision: RefCell::new(None), has_all: Cell::new(false) }
    }

    /// Notes that all of the dataset is claimed, and not an area of it.
    pub(super) fn note_all_claimed(&self) {
        self.has_all.set(true);
    }

    /// Whether all of the dataset is claimed, and not an area of it.
    pub(crate) fn is_all_claimed(&self) -> bool {
        self.has_all.get()
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
