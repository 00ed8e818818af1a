//! What is needed to write elements with variable-length parts.

use core::ops::Range;
use std::sync::Arc;

use convert::VariableEncoding;
use engine::{Layout, WithPointers};
use h5_host::Questions;
use h5_vol::calls::MemorySource;
use h5_vol::{BelowObject, Id};
use selection::Selection;

use crate::Bypass;
use crate::coherency::heap_objects::HeapFile;
use crate::coherency::resolved::Resolved;
use crate::inspect::chunks::Manner;
use crate::inspect::fill::is_filled_with_zeros;
use crate::inspect::variable::VariableType;
use crate::report::reason::Reason;
use crate::run::memory;
use crate::transfer::selections::Selections;

/// Fewer elements are left to native HDF5, which has them in its chunk cache.
const FEW: u64 = 64;

/// What becomes of elements with variable-length parts.
pub(crate) struct VariableWrite<'a> {
    pub(super) encoding: Arc<VariableEncoding>,
    pub(super) memory: WithPointers<'a>,
    pub(super) places: Selection,
    /// The ranks of the elements of each chunk.
    pub(super) pieces: Vec<Vec<Range<u64>>>,
    /// Where the elements are that will be overwritten.
    pub(super) before: Layout,
    pub(super) heap: HeapFile,
}

/// How elements with variable-length parts become those to store, if that is worth the while.
pub(super) fn encoding(
    questions: Questions,
    below: &BelowObject,
    variable: &VariableType,
    memory_type: Id,
) -> Result<Arc<VariableEncoding>, Reason> {
    // A fill value may have values itself, which native HDF5 stores for each element.
    if !is_filled_with_zeros(questions, below)? {
        return Err(Reason::VariableLength);
    }
    variable.encoding(questions, memory_type)
}

impl Bypass {
    /// What else is needed to write such elements.
    pub(super) fn prepare_variable<'p>(
        &self,
        questions: Questions,
        (dataset, below): (&Resolved, &BelowObject),
        encoding: Arc<VariableEncoding>,
        source: &MemorySource<'p>,
        selections: &Selections,
    ) -> Result<VariableWrite<'p>, Reason> {
        let small = self.configuration.as_ref().map_or(0, |configuration| configuration.small_read);
        let is_unwritten = dataset.shared.as_ref().is_some_and(|shared| shared.has_unwritten());
        if small > 0 && selections.file.selection.len() < FEW && !is_unwritten {
            return Err(Reason::SmallWrite);
        }
        Ok(VariableWrite {
            encoding,
            memory: memory::with_pointers(source, selections.memory_bytes),
            places: selections.memory.selection.clone(),
            pieces: pieces(dataset, &selections.file.selection)?,
            before: dataset.layout(questions, below, &selections.file.selection, Manner { verify: true })?,
            heap: HeapFile::find(questions, &self.files, dataset, below)?,
        })
    }
}

/// The ranks of the elements of each chunk, in the order in which native HDF5 writes chunks.
fn pieces(dataset: &Resolved, file: &Selection) -> Result<Vec<Vec<Range<u64>>>, Reason> {
    let Some(chunks) = dataset.chunks() else { return Ok(vec![vec![0..file.len()]]) };
    let touched = chunks.grid.touched(file).map_err(|_| Reason::Selection)?;
    let mut pieces = Vec::new();
    for chunk in &touched {
        let mut ranks: Vec<Range<u64>> = Vec::new();
        for row in touched.local(&chunk).rows() {
            match ranks.last_mut().filter(|last| last.end == row.rank) {
                Some(last) => last.end += row.len(),
                None => ranks.push(row.rank..row.rank + row.len()),
            }
        }
        pieces.push(ranks);
    }
    Ok(pieces)
}
