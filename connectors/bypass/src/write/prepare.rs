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
    pub(super) owner: Owner<'a>,
    pub(crate) part: WritePart<'a>,
    /// If its elements have variable-length parts: these are not in its memory yet.
    pub(crate) variable: Option<Box<VariableWrite<'a>>>,
    /// For the parts of new chunks that are not written; empty if there are no chunks.
    pub(crate) filler: Arc<[u8]>,
    pub(super) target: Source,
    /// All of the dataset is claimed.
    pub(super) is_all_claimed: bool,
    /// Complete chunks may be encoded after the call. Not by requests, whose work ends with them.
    pub(super) goes_behind: bool,
}

/// One dataset's part of a write that is ours: one part, or one for each source that a virtual dataset is written to.
pub(crate) struct OurWrite<'a>(pub(super) Vec<OurPart<'a>>);

/// The parts of writes.
pub(super) fn parts_of<'w, 'p>(ours: &'w [OurWrite<'p>]) -> impl Iterator<Item = &'w OurPart<'p>> {
    ours.iter().flat_map(|ours| &ours.0)
}

/// Who has the dataset open that is written.
#[derive(Debug, Clone)]
pub(super) enum Owner<'a> {
    /// The application.
    Handle(&'a Arc<Object<Bypass>>, &'a BelowObject),
    /// A virtual dataset.
    Source(Arc<BelowObject>),
}

impl OurPart<'_> {
    /// The dataset of the connector below.
    pub(crate) fn below(&self) -> &BelowObject {
        match &self.owner {
            Owner::Handle(_, below) => below,
            Owner::Source(below) => below,
        }
    }

    /// The application's handle, if that is what is written through.
    pub(super) fn object(&self) -> Option<Arc<Object<Bypass>>> {
        match &self.owner {
            Owner::Handle(object, _) => Some(Arc::clone(object)),
            Owner::Source(_) => None,
        }
    }

    /// Notes through what the dataset is written.
    pub(super) fn note_owner(&self) {
        match &self.owner {
            Owner::Handle(object, _) => self.shared.note_handle(object),
            Owner::Source(below) => self.shared.note_source(below),
        }
    }

    /// Bytes that it writes.
    pub(super) fn bytes(&self) -> u64 {
        self.part.file.len().saturating_mul(self.part.element)
    }

    /// Where its bytes are.
    pub(crate) fn target(&self) -> &Source {
        &self.target
    }

    /// An error of the engine with the names of file and dataset.
    pub(crate) fn describe(&self, error: &EngineError) -> Error {
        cannot_write(self.below(), error)
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

/// Fails if native HDF5 must write to a dataset that is stored in this way.
pub(super) fn check_storage(dataset: &Resolved, wishes: Wishes) -> Result<(), Reason> {
    if dataset.in_header().is_some() {
        return Err(Reason::Compact);
    }
    match dataset.storage() {
        Storage::Missing => Err(Reason::NoStorage),
        Storage::Chunked(chunks) if wishes.hears_of_failures && chunks.filtering.is_some() => {
            Err(Reason::FilterCallback)
        }
        Storage::Chunked(chunks) if !wishes.verify && chunks.filtering.is_some() => Err(Reason::Unverified),
        Storage::Chunked(chunks) => check_chunks(chunks),
        Storage::Contiguous(..) | Storage::External(_) => Ok(()),
        Storage::Virtual(_) => Err(Reason::Virtual),
    }
}

impl Bypass {
    /// What the engine needs to know about one dataset's part of a write.
    pub(super) fn prepare_write<'p>(
        &self,
        questions: Questions,
        of_call: &PartOfCall<'p, MemorySource<'p>>,
        wishes: Wishes,
        goes_behind: bool,
    ) -> Result<OurPart<'p>, Reason> {
        let ((below, _), part) = (of_call.handle()?, of_call.part);
        let dataset = of_call.resolve(self, questions)?;
        let shared = Arc::clone(dataset.shared.as_ref().ok_or(Reason::ReadOnly)?);
        check_storage(&dataset, wishes)?;
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
            owner: Owner::Handle(&part.dataset, below),
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
            goes_behind,
            dataset,
        })
    }
}
