//! Calls of the application in a trace.

use std::cell::Cell;
use std::mem::Discriminant;

use h5_vol::calls::DatasetPart;
use trace::{Beginning, Call, Inside, Kind, Label, Span};

use crate::Bypass;
use crate::coherency::labels::label_of;
use crate::report::reason::Reason;

/// Bytes from which a call takes so long that recording its steps does not matter.
const LONG: u64 = 64 * 1024;

/// A call of the application that reads or writes.
pub(crate) struct Traced(Call);

/// A call was a short one that moved so many bytes.
pub(crate) fn was_short<M>(call: Beginning, parts: &[DatasetPart<Bypass, M>], bytes: u64) {
    if call.is_on() {
        call.was_short(parts.first().map_or(Label::NONE, |part| label_of(&part.dataset)), bytes);
    }
}

impl Traced {
    /// It goes on.
    pub(crate) fn new(call: Beginning) -> Self {
        Self(call.goes_on())
    }

    /// If it is the first one that uses a dataset, it is not like the ones before.
    pub(crate) fn look_at<M>(&mut self, parts: &[DatasetPart<Bypass, M>]) {
        let is_known = |part: &DatasetPart<Bypass, M>| {
            part.dataset.data().dataset.as_ref().is_some_and(|state| state.known_label().is_some())
        };
        if self.0.is_on() && !parts.iter().all(is_known) {
            self.0.is_another();
        }
    }

    /// It moves so many bytes of ours.
    pub(crate) fn note<M>(&mut self, parts: &[DatasetPart<Bypass, M>], bytes: u64) -> Label {
        if !self.0.is_on() {
            return Label::NONE;
        }
        let label = parts.first().map_or(Label::NONE, |part| label_of(&part.dataset));
        self.0.note(label, parts.len(), bytes);
        label
    }

    /// The same, when it is known what is to be done. As long as the value lives, this thread is busy with it.
    pub(crate) fn planned<M>(&mut self, parts: &[DatasetPart<Bypass, M>], bytes: u64) -> Inside {
        let label = self.note(parts, bytes);
        if bytes >= LONG {
            self.0.deserves_a_span();
        }
        self.0.so_far(Kind::Plan);
        // Of several datasets it is not known which one a thread is busy with.
        self.0.enter(if parts.len() == 1 { label } else { Label::NONE })
    }

    /// HDF5 does it, or a part of it, as long as the span lives.
    pub(crate) fn native(&mut self, reason: &Reason) -> Span {
        self.0.native(|| label_of_reason(reason))
    }
}

thread_local! {
    /// The last reason that was looked up.
    static LAST: Cell<Option<(Discriminant<Reason>, Label)>> = const { Cell::new(None) };
}

/// The label of a reason. It is often the one from before.
fn label_of_reason(reason: &Reason) -> Label {
    let kind = std::mem::discriminant(reason);
    let is_always_the_same = !matches!(
        reason,
        Reason::FilterUnknown(_)
            | Reason::FilterForeign(_)
            | Reason::ChunkForeign(_)
            | Reason::External(_)
            | Reason::Untold(_)
    );
    match LAST.get() {
        Some((last, label)) if last == kind && is_always_the_same => label,
        _ => {
            let label = trace::reason(&reason.to_string());
            LAST.set(Some((kind, label)));
            label
        }
    }
}
