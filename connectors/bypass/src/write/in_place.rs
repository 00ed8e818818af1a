//! Writing to storage that exists.

use engine::{InPlace, Places};
use h5_vol::{Host, Result};

use crate::Bypass;
use crate::inspect::storage::Storage;
use crate::report::fault::cannot_write;
use crate::run::engine::{WORTH_RELEASING, engine};
use crate::write::prepare::OurPart;

impl Bypass {
    /// Writes the parts that have no chunks.
    pub(super) fn write_contiguous(&self, host: Host, parts: &[OurPart<'_>]) -> Result<()> {
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
    pub(super) fn write_in_place(
        &self,
        host: Host,
        in_place: &[InPlace<'_>],
        owners: &[&OurPart<'_>],
    ) -> Result<()> {
        if in_place.is_empty() {
            return Ok(());
        }
        let bytes = in_place.iter().map(|one| one.part.file.len().saturating_mul(one.part.element));
        let engine = engine(self.configuration.as_ref().ok());
        let outcome = if bytes.fold(0_u64, u64::saturating_add) < WORTH_RELEASING {
            engine.write(in_place)
        } else {
            self.locks.without_but_claims(host, || engine.write(in_place))
        };
        outcome.map_err(|error| {
            let owner = error.part().and_then(|part| owners.get(part)).unwrap_or(&owners[0]);
            cannot_write(owner.below, &error)
        })
    }
}
