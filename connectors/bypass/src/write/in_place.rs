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
        let mut in_place = Vec::new();
        for part in parts.iter().filter(|part| part.variable.is_none()) {
            let offset = match part.dataset.storage() {
                Storage::Contiguous(offset, _) => Some(*offset),
                Storage::External(_) => Some(0),
                Storage::Missing | Storage::Chunked(_) | Storage::Virtual(_) => None,
            };
            in_place.extend(offset.map(|offset| (part, Places::Contiguous(offset))));
        }
        self.write_in_place(host, in_place)
    }

    /// Writes to storage that exists.
    pub(super) fn write_in_place(&self, host: Host, places: Vec<(&OurPart<'_>, Places)>) -> Result<()> {
        if places.is_empty() {
            return Ok(());
        }
        let bytes_of = |part: &OurPart<'_>| part.part.file.len().saturating_mul(part.part.element);
        let window = |(part, layout): &(&OurPart<'_>, Places)| {
            let found = part.dataset.sink(layout, &part.part.file, part.is_all_claimed);
            found.map_err(|error| cannot_write(part.below(), &error))
        };
        let windows = places.iter().map(window).collect::<Result<Vec<_>>>()?;
        let bytes = places.iter().map(|(part, _)| bytes_of(part)).fold(0_u64, u64::saturating_add);
        let owners: Vec<_> = places.iter().map(|(part, _)| *part).collect();
        let targets = places.into_iter().zip(&windows);
        let in_place: Vec<_> = targets
            .map(|((part, layout), window)| InPlace {
                part: &part.part,
                target: window.as_ref().unwrap_or(&part.target),
                layout,
                is_all_claimed: part.is_all_claimed,
            })
            .collect();
        let engine = engine(self.configuration.as_ref().ok());
        let outcome = if bytes < WORTH_RELEASING {
            engine.write(&in_place)
        } else {
            self.locks.without_but_claims(host, || engine.write(&in_place))
        };
        outcome.map_err(|error| {
            let owner = error.part().and_then(|part| owners.get(part)).unwrap_or(&owners[0]);
            cannot_write(owner.below(), &error)
        })
    }
}
