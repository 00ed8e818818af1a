//! What HDF5 is asked about a part of a read.

use std::sync::Arc;

use convert::VariableConversion;
use engine::{Converted, Fill, Layout, Owned};
use h5_host::{ExtentDescription, Questions};
use h5_vol::Id;
use h5_vol::calls::MemoryTarget;

use crate::Bypass;
use crate::coherency::heap_objects::HeapFile;
use crate::inspect::chunks::Manner;
use crate::inspect::storage::Storage;
use crate::read::batches::in_batches;
use crate::read::draft::{Direct, Draft, Prepared};
use crate::read::host_conversion::HostConversion;
use crate::read::stage::Stage;
use crate::read::staged::{Room, Staged, fill_element};
use crate::read::variable::{FEW, VariablePart, heap_of};
use crate::report::fault::cannot_read;
use crate::report::reason::Reason;
use crate::report::summary;
use crate::run::memory;
use crate::transfer::Declined;
use crate::transfer::part::PartOfCall;
use crate::transfer::selections::Selections;
use crate::transfer::wishes::Wishes;

/// Who converts elements.
enum Way {
    /// We do, if they are not as in the file.
    Ours(Option<Arc<Converted>>),
    /// HDF5 does.
    Hosts(HostConversion),
    /// We do, and find the values of variable-length parts.
    Variable(Arc<VariableConversion>),
}

impl Bypass {
    /// What the engine needs to know about one dataset's part of a read.
    pub(super) fn prepare_read<'p>(
        &self,
        questions: Questions,
        of_call: &PartOfCall<'p, MemoryTarget<'p>>,
        (wishes, list): (Wishes, Id),
        is_alone: bool,
    ) -> Result<Prepared<'p>, Declined> {
        let ((below, state), part) = (of_call.handle()?, of_call.part);
        if let Some(reason) = state.refused() {
            return Err(reason.clone().into());
        }
        if !is_alone && let Some(reason) = self.leave_to_native(questions, part, false) {
            return Err(reason.into());
        }
        let dataset = match of_call.resolve(self, questions) {
            Err(Reason::VirtualUnlimited) => {
                let told = questions.extent(part.file_space).filter(|_| part.file_space.is_valid());
                let told = match &told {
                    Some(ExtentDescription::Simple(dims)) => Some(dims.as_slice()),
                    _ => None,
                };
                self.ours_by_its_sources(questions, &part.dataset, told)?
            }
            decision => decision?,
        };
        if let Some(mappings) = dataset.mappings() {
            return self.prepare_virtual(questions, of_call, wishes, &dataset, mappings);
        }
        let way = match dataset.elements().conversion(questions, part.memory_type) {
            Ok(conversion) => Way::Ours(conversion),
            Err(Reason::Conversion) => match dataset.elements().variable() {
                Some(variable) => Way::Variable(variable.conversion(questions, part.memory_type)?),
                None => Way::Hosts(HostConversion::find(questions, below, &dataset, part.memory_type)?),
            },
            Err(reason) => return Err(reason.into()),
        };
        let memory_element = match &way {
            Way::Ours(conversion) => conversion.as_ref().map_or(dataset.element(), |with| with.element),
            Way::Hosts(conversion) => conversion.memory_size() as u64,
            Way::Variable(conversion) => conversion.memory() as u64,
        };
        wishes.have_room(!matches!(way, Way::Ours(None)), dataset.element(), memory_element)?;

        let Selections { file, memory: memory_selection, memory_bytes } =
            Selections::of(questions, part, &dataset, memory_element)?;
        if part.memory.as_ptr().is_null() {
            return Err(Reason::Selection.into());
        }
        if memory_selection.repeats() {
            return Err(Reason::RepeatedMemory.into());
        }

        let manner = Manner { verify: wishes.verify };
        self.bring_up_to_date(questions, &dataset, below)?;
        let bytes = file.selection.len().saturating_mul(memory_element);
        let file_source = dataset.source()?;
        let origin = |layout: &Layout| {
            let found = dataset.origin(layout, &file.selection, of_call.is_all_claimed());
            found.map_err(|error| Declined::Failed(cannot_read(Some(below), &error)))
        };
        let mut window = None;
        let memory = memory::buffer(&part.memory, memory_bytes);
        let (places, element) = (memory_selection.selection, dataset.element());
        let draft = match way {
            Way::Ours(conversion) => {
                let layout = dataset.layout(questions, below, &file.selection, manner)?;
                let fill = dataset.fillings().fill(questions, below, &layout, conversion.as_deref())?;
                window = origin(&layout)?;
                Draft::direct(Direct { layout, element, conversion, file, places, memory, fill })
            }
            // There is nothing to convert but the fill value.
            Way::Hosts(conversion) if matches!(dataset.storage(), Storage::Missing) => {
                let filling = dataset.fillings().filling(questions, below)?;
                let fill = fill_element(questions, &conversion, &filling)?;
                let fill = fill.map_or(Fill::Untouched, Fill::Element);
                let (layout, element, conversion) = (Layout::Missing, memory_element, None);
                Draft::direct(Direct { layout, element, conversion, file, places, memory, fill })
            }
            Way::Hosts(conversion) => {
                origin(&Layout::Missing)?;
                let (stored, in_memory) = (conversion.stored_size(), conversion.memory_size());
                let batches = in_batches(questions, part.file_space, &dataset, file, stored.max(in_memory))?;
                let mut staged = Staged {
                    below,
                    dataset,
                    manner,
                    conversion,
                    target: &part.memory,
                    places,
                    stage: Stage::new(batches, stored),
                    room: Room::default(),
                };
                staged.prepare(questions)?;
                Draft::Staged(Box::new(staged))
            }
            Way::Variable(conversion) => {
                let small = self.configuration.as_ref().map_or(0, |configuration| configuration.small_read);
                // What is in memory only would have to be written for native HDF5.
                let is_unwritten = dataset.shared.as_ref().is_some_and(|shared| shared.has_unwritten());
                if small > 0 && file.selection.len() < FEW && !is_unwritten {
                    return Err(Reason::Small.into());
                }
                let newer = match &dataset.shared {
                    Some(_) => Some(HeapFile::find(questions, &self.files, &dataset, below)?),
                    None => None,
                };
                let allocator =
                    questions.value_memory(list).map_err(|()| Reason::Untold("memory manager"))?;
                // Before a function of the application is called, others must be waited for, whom claims may keep waiting.
                if allocator.is_some() && newer.is_some() {
                    return Err(Reason::ValueMemory.into());
                }
                let values = Owned::new(memory::of_values(allocator));
                let stored = conversion.stored();
                let batches = in_batches(questions, part.file_space, &dataset, file, stored)?;
                let mut part = VariablePart {
                    below,
                    heap: heap_of(&dataset)?,
                    dataset,
                    manner,
                    conversion,
                    memory,
                    places,
                    stage: Stage::new(batches, stored),
                    newer,
                    values,
                };
                part.prepare(questions)?;
                Draft::Variable(Box::new(part))
            }
        };
        if wishes.hears_of_failures && draft.is_filtered() {
            return Err(Reason::FilterCallback.into());
        }
        summary::bypassed(1, bytes);
        Ok(Prepared { source: window.unwrap_or(file_source), draft, bytes })
    }
}
