//! What the missing elements of one dataset read as.

use std::sync::{Arc, OnceLock};

use convert::VariableConversion;
use engine::{ChunkAddress, ChunkData, Converted, Fill, Layout};
use h5_host::Questions;
use h5_vol::BelowObject;

use crate::inspect::fill::{
    Filling, filler_of, filling_of, filling_of_gaps, is_converted_with_others, is_filled_with_zeros, zeros,
};
use crate::report::reason::Reason;

/// How much of what a request is about was never written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    Nothing,
    /// Some chunks.
    Some,
    Everything,
}

impl Missing {
    pub(crate) fn of(layout: &Layout) -> Self {
        let (some, all) = match layout {
            Layout::Missing => (true, true),
            Layout::Contiguous(_) | Layout::Runs(_) => (false, false),
            Layout::Chunked { chunks, .. } => {
                let is_missing = |chunk: &ChunkAddress| *chunk == ChunkAddress::Missing;
                (chunks.iter().any(is_missing), chunks.iter().all(is_missing))
            }
            Layout::Filtered(filtered) => {
                let is_missing = |chunk: &ChunkData| matches!(chunk, ChunkData::Missing);
                (filtered.chunks.iter().any(is_missing), filtered.chunks.iter().all(is_missing))
            }
        };
        match (some, all) {
            (false, _) => Self::Nothing,
            (true, false) => Self::Some,
            (true, true) => Self::Everything,
        }
    }
}

/// What missing elements of a dataset read as. Asked for when storage is found missing: most datasets have all of theirs.
#[derive(Debug, Clone)]
pub(crate) struct Fillings {
    /// Bytes of a stored element.
    element: u64,
    fill: OnceLock<Result<Filling, Reason>>,
    /// The same for chunks that are written in part only.
    filler: OnceLock<Result<Arc<[u8]>, Reason>>,
}

impl Fillings {
    /// Of elements with so many bytes each.
    pub(super) fn of(element: u64) -> Self {
        Self { element, fill: OnceLock::new(), filler: OnceLock::new() }
    }

    /// What missing data reads as, if the layout of a request has any.
    pub(crate) fn fill(
        &self,
        questions: Questions,
        below: &BelowObject,
        layout: &Layout,
        conversion: Option<&Converted>,
    ) -> Result<Fill, Reason> {
        let missing = Missing::of(layout);
        if missing == Missing::Nothing {
            return Ok(Fill::Untouched);
        }
        let is_chunked = !matches!(layout, Layout::Missing);
        match (self.filling(questions, below)?, conversion) {
            (Filling::Untouched, _) => Ok(Fill::Untouched),
            // How native HDF5 fills what the conversion leaves alone is its own business.
            (_, Some(with)) if !with.conversion.writes_all() => Err(Reason::Conversion),
            (Filling::Zeros, Some(with)) if is_chunked => {
                let converted = converted(&zeros(self.element)?, with)?;
                let plain = zeros(with.element)?;
                match (is_converted_with_others(questions.host()), missing) {
                    _ if converted == plain => Ok(Fill::Element(plain)),
                    (Some(false), _) => Ok(Fill::Element(plain)),
                    (Some(true), Missing::Some) => Ok(Fill::Element(converted)),
                    // There may be other chunks, or none.
                    _ => Err(Reason::Conversion),
                }
            }
            (filling, _) => self.converted(filling, conversion),
        }
    }

    /// What is read in place of missing elements that have variable-length parts: no values. `None` if nothing is missing.
    pub(crate) fn fill_variable(
        &self,
        questions: Questions,
        below: &BelowObject,
        layout: &Layout,
        conversion: &VariableConversion,
    ) -> Result<Option<Vec<u8>>, Reason> {
        if Missing::of(layout) == Missing::Nothing {
            return Ok(None);
        }
        let stored = zeros(self.element)?;
        let mut in_memory = vec![0xff; conversion.memory()];
        // What an application sets as fill value may have values itself, which native HDF5 copies for each element.
        if !conversion.writes_all() || !is_filled_with_zeros(questions, below)? {
            return Err(Reason::Conversion);
        }
        conversion.finish(&stored, &mut in_memory);
        if in_memory.iter().all(|byte| *byte == 0) { Ok(Some(stored)) } else { Err(Reason::Conversion) }
    }

    /// What the elements of a virtual dataset read as that no source has. `None` if memory stays as it is.
    pub(crate) fn fill_of_gaps(
        &self,
        questions: Questions,
        below: &BelowObject,
        conversion: Option<&Converted>,
    ) -> Result<Fill, Reason> {
        let filling = || filling_of_gaps(questions, below, self.element);
        self.converted(self.fill.get_or_init(filling).clone()?, conversion)
    }

    /// What the application's elements read as.
    fn converted(&self, filling: Filling, conversion: Option<&Converted>) -> Result<Fill, Reason> {
        match (filling, conversion) {
            (Filling::Untouched, _) => Ok(Fill::Untouched),
            // Zeros are not converted, whatever they would become.
            (Filling::Zeros, with) => {
                zeros(with.map_or(self.element, |with| with.element)).map(Fill::Element)
            }
            (Filling::Value(value), None) => Ok(Fill::Element(value)),
            // How native HDF5 fills what the conversion leaves alone is its own business.
            (Filling::Value(_), Some(with)) if !with.conversion.writes_all() => Err(Reason::Conversion),
            (Filling::Value(value), Some(with)) => converted(&value, with).map(Fill::Element),
        }
    }

    /// What missing data reads as, before any conversion.
    pub(crate) fn filling(&self, questions: Questions, below: &BelowObject) -> Result<Filling, Reason> {
        self.fill.get_or_init(|| filling_of(questions, below, self.element)).clone()
    }

    /// The element that the rest of a new chunk is filled with when a part of it is written.
    pub(crate) fn filler(&self, questions: Questions, below: &BelowObject) -> Result<Arc<[u8]>, Reason> {
        let filler = || filler_of(questions, below, self.element).map(Arc::from);
        self.filler.get_or_init(filler).clone()
    }

    /// The same, if it was asked for before.
    pub(crate) fn known_filler(&self) -> Option<&[u8]> {
        self.filler.get()?.as_deref().ok()
    }
}

/// An element as it is in memory.
fn converted(element: &[u8], with: &Converted) -> Result<Vec<u8>, Reason> {
    let mut converted = zeros(with.element)?;
    with.conversion.convert(element, &mut converted);
    Ok(converted)
}
