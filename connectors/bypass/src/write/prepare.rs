//! What HDF5 is asked about a part of a write.

use std::sync::Arc;

use engine::{EngineError, Source, WritePart};
use h5_host::Questions;
use h5_vol::calls::MemorySource;
use h5_vol::{BelowObject, Error, Object};

use crate::Bypass;
use crate::coherency::resolved::Resolved;
use crate::coherency::shared::Shared;
use crate::inspect::chunks::Chunks;
use crate::inspect::storage::Storage;
use crate::report::fault::cannot_write;
use crate::report::reason::Reason;
use crate::report::summary;
use crate::run::memory;
use crate::transfer::part::PartOfCall;
use crate::transfer::selections::Selections;
use crate::transfer::wishes::Wishes;
use crate::write::variable::{VariableWrite, encoding};

/// A part of a write that is ours.
pub(crate) struct OurPart<'a> {
    pub(crate) dataset: Arc<Resolved>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) object: &'a Arc<Object<Bypass>>,
    pub(crate) below: &'a BelowObject,
    pub(crate) part: WritePart<'a>,
    /// If its elements have variable-length parts: these are not in its memory yet.
    pub(crate) variable: Option<Box<VariableWrite<'a>>>,
    /// For the parts of new chunks that are not written; empty if there are no chunks.
    pub(crate) filler: Arc<[u8]>,
    pub(super) target: Source,
    /// All of the dataset is claimed.
    pub(super) is_all_claimed: bool,
}

impl OurPart<'_> {
    /// Where its bytes are.
    pub(crate) fn target(&self) -> &Source {
        &self.target
    }

    /// An error of the engine with the names of file and dataset.
    pub(crate) fn describe(&self, error: &EngineError) -> Error {
        cannot_write(self.below, error)
    }
}

/// Fails if native HDF5 must write to chunks like these.
pub(super) fn check_chunks(chunks: &Chunks) -> Result<(), Reason> {
    if chunks.lacks_filter {
        let what = "a filter that may be left out, and that HDF5 does not have";
        return Err(Reason::FilterUnknown(what.to_owned()));
    }
    // See `ChunkWriter`: with another chunk to look for HDF5 can be made to.
    if chunks.grid.has_one_chunk() && chunks.pipeline.may_leave_out() {
        return Err(Reason::OnlyChunk);
    }
    Ok(())
}

impl Bypass {
    /// What the engine needs to know about one dataset's part of a write.
    pub(super) fn prepare_write<'p>(
        &self,
        questions: Questions,
        of_call: &PartOfCall<'p, MemorySource<'p>>,
        wishes: Wishes,
    ) -> Result<OurPart<'p>, Reason> {
        let ((below, _), part) = (of_call.handle()?, of_call.part);
        let dataset = of_call.resolve(self, questions)?;
        let shared = Arc::clone(dataset.shared.as_ref().ok_or(Reason::ReadOnly)?);
        match dataset.storage() {
            Storage::Missing => return Err(Reason::NoStorage),
            Storage::Chunked(chunks) if wishes.hears_of_failures && chunks.filtering.is_some() => {
                return Err(Reason::FilterCallback);
            }
            Storage::Chunked(chunks) if !wishes.verify && chunks.filtering.is_some() => {
                return Err(Reason::Unverified);
            }
            Storage::Chunked(chunks) => check_chunks(chunks)?,
            Storage::Contiguous(..) | Storage::External(_) => {}
            Storage::Virtual(_) => return Err(Reason::Virtual),
        }
        let encoding = match dataset.elements().variable() {
            Some(variable) => Some(encoding(questions, below, variable, part.memory_type)?),
            None => None,
        };
        let conversion = match encoding {
            Some(_) => None,
            None => dataset.elements().conversion_from(questions, part.memory_type)?,
        };
        let memory_element = match (&encoding, &conversion) {
            (Some(encoding), _) => encoding.memory() as u64,
            (None, Some(with)) => with.element,
            (None, None) => dataset.element(),
        };
        let is_converted = encoding.is_some() || conversion.is_some();
        wishes.have_room(is_converted, dataset.element(), memory_element)?;
        let selections = Selections::of(questions, part, &dataset, memory_element)?.last_of_each()?;
        if part.memory.as_ptr().is_null() {
            return Err(Reason::Selection);
        }
        let filler = match dataset.chunks() {
            Some(_) => dataset.fillings().filler(questions, below)?,
            None => Arc::default(),
        };
        self.bring_up_to_date(questions, &dataset, below)?;
        let variable = match encoding {
            Some(encoding) => {
                let of_dataset = (&*dataset, below);
                let variable =
                    self.prepare_variable(questions, of_dataset, encoding, &part.memory, &selections)?;
                Some(Box::new(variable))
            }
            None => None,
        };
        let Selections { file, memory, memory_bytes } = selections;
        let target = dataset.target(&file.selection)?;
        summary::write_bypassed(file.selection.len().saturating_mul(memory_element));
        Ok(OurPart {
            shared,
            object: &part.dataset,
            below,
            part: WritePart {
                element: dataset.element(),
                conversion,
                file: file.selection,
                file_in_order: file.in_order,
                memory_selection: memory.selection,
                memory: memory::bytes(&part.memory, memory_bytes),
            },
            variable,
            filler,
            target,
            is_all_claimed: of_call.is_all_claimed(),
            dataset,
        })
    }
}
