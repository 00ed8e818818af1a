//! Writes through virtual datasets: each mapping that is touched is a write to its source.
//!
//! Native HDF5 takes the application's memory for elements of the virtual dataset's own type, whatever type the application names,
//! and refuses to write anything if some of it has no source. Both are left to it.

use std::sync::Arc;

use engine::WritePart;
use h5_host::Questions;
use h5_vol::calls::MemorySource;
use selection::Selection;

use crate::Bypass;
use crate::coherency::resolved::Resolved;
use crate::coherency::source_search::Asking;
use crate::inspect::storage::Storage;
use crate::inspect::virtual_layout::VirtualLayout;
use crate::report::reason::Reason;
use crate::report::summary;
use crate::run::memory;
use crate::transfer::Declined;
use crate::transfer::part::PartOfCall;
use crate::transfer::selections::Selections;
use crate::transfer::touched_sources::{Touched, TouchedSource, Virtual};
use crate::transfer::wishes::Wishes;
use crate::write::prepare::{OurPart, OurWrite, Owner, check_storage};

/// Where elements of the application's memory are.
struct Given<'g> {
    places: &'g Selection,
    bytes: usize,
}

impl Bypass {
    /// What the engine needs to know about a write through a virtual dataset; `None` if the dataset is none.
    pub(super) fn prepare_virtual_write<'p>(
        &self,
        questions: Questions,
        of_call: &PartOfCall<'p, MemorySource<'p>>,
        wishes: Wishes,
    ) -> Option<Result<OurWrite<'p>, Declined>> {
        let dataset = of_call.resolve(self, questions).ok()?;
        let mappings = dataset.mappings()?;
        let prepared = self.prepare_sources(questions, of_call, wishes, &dataset, mappings);
        Some(prepared.inspect(|written| {
            self.files.note_virtual_write();
            summary::write_bypassed(
                written.0.iter().map(|part| part.part.file.len()).sum::<u64>() * dataset.element(),
            );
        }))
    }

    fn prepare_sources<'p>(
        &self,
        questions: Questions,
        of_call: &PartOfCall<'p, MemorySource<'p>>,
        wishes: Wishes,
        dataset: &Resolved,
        mappings: &VirtualLayout,
    ) -> Result<OurWrite<'p>, Declined> {
        let ((below, state), part) = (of_call.handle()?, of_call.part);
        dataset.shared.as_ref().ok_or(Reason::ReadOnly)?;
        let sources = state.sources(questions, below, &self.files)?;
        if let Some(reason) = sources.refused() {
            return Err(reason.clone().into());
        }
        let Selections { file, memory, memory_bytes } =
            Selections::of(questions, part, dataset, dataset.element())?;
        if part.memory.as_ptr().is_null() || !file.in_order || file.is_shifted || memory.is_shifted {
            return Err(Reason::Selection.into());
        }
        let asking =
            Asking { questions, files: &self.files, configuration: self.configuration.as_ref().ok() };
        let of = Virtual { dataset, mappings, below, sources: &sources };
        let find = || {
            Touched::find(asking, &of, &file.selection).inspect_err(|reason| {
                if reason.concerns_others() {
                    sources.refuse(reason);
                }
            })
        };
        let touched = of_call.take_touched().map_or_else(find, Ok)?;
        if touched.is_irregular {
            return Err(Reason::VirtualMapping.into());
        }
        if touched.sources.iter().any(|touched| touched.dataset.in_header().is_some()) {
            let what = "with compact layout, which native HDF5 writes";
            return Err(Reason::VirtualSource(what.to_owned()).into());
        }
        // Also if native HDF5 writes: it would not clear it.
        touched.sources.iter().try_for_each(|touched| self.give_storage(asking, of_call, touched))?;
        if !memory.in_order {
            return Err(Reason::Selection.into());
        }
        if touched.mixes_types || dataset.elements().conversion_from(questions, part.memory_type)?.is_some() {
            return Err(Reason::Conversion.into());
        }
        let given = Given { places: &memory.selection, bytes: memory_bytes };
        let each = |touched| self.prepare_source(asking, of_call, wishes, touched, &given);
        Ok(OurWrite(touched.sources.into_iter().map(each).collect::<Result<_, _>>()?))
    }

    /// Lets native HDF5 take storage for a contiguous source that has none.
    fn give_storage(
        &self,
        asking: Asking<'_>,
        of_call: &PartOfCall<'_, MemorySource<'_>>,
        touched: &TouchedSource,
    ) -> Result<(), Declined> {
        // Another mapping may have some of the same source.
        let dataset = asking.resolve(&touched.source)?;
        of_call.check_claimed(&dataset)?;
        if let Storage::Missing = dataset.storage() {
            let (of, elements) = ((&*dataset, &*touched.source.below), touched.elements.len());
            let taken = self.allocate_for(asking.questions, of, of_call.part.memory_type, elements, true);
            taken.unwrap_or(Ok(())).map_err(Declined::Failed)?;
        }
        Ok(())
    }

    /// What is written to one source.
    fn prepare_source<'p>(
        &self,
        asking: Asking<'_>,
        of_call: &PartOfCall<'p, MemorySource<'p>>,
        wishes: Wishes,
        TouchedSource { source, elements, ranks, .. }: TouchedSource,
        given: &Given<'_>,
    ) -> Result<OurPart<'p>, Declined> {
        let (questions, part, below) = (asking.questions, of_call.part, &source.below);
        // Storage may have been taken.
        let dataset = asking.resolve(&source)?;
        let shared = Arc::clone(dataset.shared.as_ref().ok_or(Reason::ReadOnly)?);
        check_storage(&dataset, wishes)?;
        let conversion = dataset.elements().conversion_from(questions, part.memory_type)?;
        let memory_element = conversion.as_ref().map_or(dataset.element(), |with| with.element);
        wishes.have_room(conversion.is_some(), dataset.element(), memory_element)?;
        let filler = match dataset.chunks() {
            Some(_) => dataset.fillings().filler(questions, below)?,
            None => Arc::default(),
        };
        self.bring_up_to_date(questions, &dataset, below)?;
        let places = given.places.of_ranks(&ranks).map_err(|_| Reason::VirtualMapping)?;
        Ok(OurPart {
            shared,
            owner: Owner::Source(Arc::clone(below)),
            part: WritePart {
                element: dataset.element(),
                conversion,
                file: elements,
                file_in_order: true,
                memory_selection: places,
                memory: memory::bytes(&part.memory, given.bytes),
            },
            variable: None,
            filler,
            target: dataset.source()?,
            is_all_claimed: true,
            goes_behind: false,
            dataset,
        })
    }
}
