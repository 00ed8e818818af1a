//! Elements with variable-length parts: read as they are stored, then given their values, then to the application.

use std::sync::Arc;

use convert::VariableConversion;
use engine::{Engine, Fill, Memory, NewerObjects, Owned, Source, ValueError, Values};
use h5_host::Questions;
use h5_vol::BelowObject;
use selection::Selection;
use store::Store;

use crate::coherency::heap_objects::{CachedObjects, HeapFile};
use crate::coherency::heaps::Heaps;
use crate::coherency::resolved::Resolved;
use crate::inspect::chunks::Manner;
use crate::read::stage::Stage;
use crate::report::reason::Reason;

/// Fewer elements are left to native HDF5, which may have their values in its cache.
pub(crate) const FEW: u64 = 64;

/// One dataset's part of a read of variable-length elements, a batch at a time.
pub(crate) struct VariablePart<'a> {
    pub(crate) below: &'a BelowObject,
    pub(crate) dataset: Arc<Resolved>,
    pub(crate) manner: Manner,
    pub(crate) conversion: Arc<VariableConversion>,
    /// The application's memory, and where in it the elements of all batches go.
    pub(crate) memory: Memory<'a>,
    pub(crate) places: Selection,
    pub(crate) stage: Stage,
    /// The file with the values, and where its addresses are counted from.
    pub(crate) heap: (Arc<Store>, u64),
    /// If the file is open for writing: where objects are that may not be in it yet. The lock is kept then, and claims are.
    pub(crate) newer: Option<HeapFile>,
    /// The values, until the application owns them.
    pub(crate) values: Owned,
}

/// The file with the values of a dataset's elements, and where its addresses are counted from.
pub(crate) fn heap_of(dataset: &Resolved) -> Result<(Arc<Store>, u64), Reason> {
    let Source::File(store) = dataset.file().source()? else { return Err(Reason::VariableLength) };
    Ok((Arc::clone(store), dataset.file().facts()?.user_block))
}

impl VariablePart<'_> {
    /// Makes ready for the batch that comes next; `false` if there is none.
    pub(crate) fn prepare(&mut self, questions: Questions) -> Result<bool, Reason> {
        let Some(file) = self.stage.take_next() else { return Ok(false) };
        let layout = self.dataset.layout(questions, self.below, &file.selection, self.manner)?;
        let filler =
            self.dataset.fillings().fill_variable(questions, self.below, &layout, &self.conversion)?;
        self.stage.make_ready(file, layout, filler.map_or(Fill::Untouched, Fill::Element), 0)?;
        Ok(true)
    }

    /// Gives the batch that was read its values, and the application the elements.
    pub(crate) fn deliver(
        &mut self,
        engine: Engine<'_>,
        newer: Option<&mut dyn NewerObjects>,
    ) -> Result<(), ValueError> {
        let first = self.stage.first();
        let mut values = Values {
            conversion: &self.conversion,
            store: &self.heap.0,
            base: self.heap.1,
            elements: self.stage.stored(),
            places: &self.places,
            first,
            memory: &self.memory,
        };
        engine.read_values(&mut values, &mut self.values, newer)
    }

    /// The same for a file that is open for writing.
    pub(crate) fn deliver_newer(
        &mut self,
        engine: Engine<'_>,
        questions: Questions,
        heaps: &Heaps,
    ) -> Result<(), ValueError> {
        let file = self.newer.take();
        let changed = heaps.changed(self.dataset.file.number());
        let delivered = match (&file, &changed) {
            (Some(file), Some(changed)) => {
                self.deliver(engine, Some(&mut CachedObjects { questions, file, changed }))
            }
            _ => self.deliver(engine, None),
        };
        self.newer = file;
        delivered
    }
}
