//! Finding out whose a dataset is.

use std::sync::Arc;

use h5_host::Questions;
use h5_vol::BelowObject;
use h5_vol::native::Identity;
use trace::Kind;

use crate::coherency::files::Files;
use crate::coherency::opening::Opening;
use crate::coherency::resolved::{Decision, Resolved};
use crate::coherency::shared::Shared;
use crate::configuration::Configuration;
use crate::inspect::dataset::OurDataset;
use crate::inspect::header_data::Compact;

/// Whose a dataset is that was reached through this opening; `None` if we have opened it ourselves, and its file is known.
pub(super) fn examine(
    questions: Questions,
    below: &BelowObject,
    files: &Files,
    configuration: Option<&Configuration>,
    identity: Identity,
    opening: Option<&Opening>,
    compact: Compact,
) -> Decision {
    let _span = trace::span(Kind::Examine);
    let file = files.entry(questions, below, identity.file, || Some(opening?.is_writable()))?;
    let examine = |version| {
        let raw = Arc::clone(file.raw());
        OurDataset::examine(questions, below, raw, configuration, version, compact).map(Arc::new)
    };
    if !file.raw().is_writable() {
        let resolved = |dataset| Arc::new(Resolved { dataset, shared: None, file: Arc::clone(&file) });
        let decision = examine(None).map(resolved);
        if let Some(opening) = opening {
            opening.keep(identity, &decision);
        }
        return decision;
    }
    file.raw().source()?;
    let known = file.dataset(identity);
    if let Some(shared) = &known
        && let Some(dataset) = shared.current()
    {
        return Ok(Arc::new(Resolved { dataset, shared: known, file }));
    }
    if let Some(reason) = file.refused(identity).filter(|_| compact == Compact::IsLeft) {
        return Err(reason);
    }
    let shared =
        known.unwrap_or_else(|| Arc::new(Shared::new(identity.file, file.raw(), files.was_native_here())));
    let dataset =
        examine(Some(shared.version())).inspect_err(|reason| file.note_refused(identity, reason))?;
    if dataset.in_header().is_some() {
        files.note_header_data();
    }
    shared.set_current(&dataset);
    file.keep(identity, &shared);
    let resolved = Arc::new(Resolved { dataset, shared: Some(shared), file });
    if let Some(opening) = opening {
        opening.keep_recent(&resolved);
    }
    Ok(resolved)
}
