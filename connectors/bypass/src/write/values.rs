//! Writing elements with variable-length parts.
//!
//! The elements that are there are read first, because values that are overwritten are deleted, and because members that the
//! application does not give stay. Then native HDF5 stores the new values, one after another, and the elements become references.
//! These are written like any others.

use std::sync::Arc;

use engine::{Fill, Memory, Part, PutValues, Request, WritePart, put_values};
use h5_vol::{Host, Result};
use selection::{Extent, Selection};

use crate::Bypass;
use crate::coherency::heap_objects::StoredObjects;
use crate::report::fault::cannot_write;
use crate::report::reason::Reason;
use crate::run::engine::engine;
use crate::write::prepare::OurPart;
use crate::write::variable::VariableWrite;

impl Bypass {
    /// Writes a part whose elements have variable-length parts. The lock is kept until the values are stored: nobody else may use
    /// the heap meanwhile.
    pub(super) fn write_variable(
        &self,
        host: Host,
        part: &OurPart<'_>,
        variable: VariableWrite<'_>,
    ) -> Result<()> {
        let VariableWrite { encoding, memory, places, pieces, before, heap } = variable;
        let engine = engine(self.configuration.as_ref().ok());
        let fault = |reason: &Reason| cannot_write(part.below(), reason);
        let file = &part.part.file;
        let bytes = usize::try_from(file.len()).ok().and_then(|count| count.checked_mul(encoding.stored()));
        let mut elements = Vec::new();
        let bytes = bytes.filter(|bytes| elements.try_reserve_exact(*bytes).is_ok());
        elements.resize(bytes.ok_or_else(|| fault(&Reason::TooLarge))?, 0);
        let extent = Extent::new(&[file.len()]).map_err(|_| fault(&Reason::TooLarge))?;
        let in_order = Selection::all(&extent);
        let mut request = Request {
            parts: vec![Part {
                source: part.target(),
                layout: before,
                element: part.part.element,
                conversion: None,
                file: file.clone(),
                file_in_order: part.part.file_in_order,
                memory_selection: in_order.clone(),
                memory: Memory::from_slice(&mut elements),
                fill: Fill::Element(vec![0; encoding.stored()]),
            }],
        };
        engine.read(&mut request).map_err(|error| part.describe(&error))?;
        drop(request);
        let entry = &*part.dataset.file;
        let changed = self.files.heap(entry.number());
        let mut values = PutValues {
            encoding: &encoding,
            memory,
            places: &places,
            pieces: &pieces,
            elements: &mut elements,
        };
        // What native HDF5 says about a failure stays on the error stack.
        let stored = host.ask_at_once(|questions| {
            let mut objects = StoredObjects { questions, file: &heap, entry, changed: &changed };
            put_values(&mut values, &mut objects)
        });
        stored.map_err(|error| cannot_write(part.below(), &error))?;
        let written = OurPart {
            dataset: Arc::clone(&part.dataset),
            shared: Arc::clone(&part.shared),
            owner: part.owner.clone(),
            part: WritePart {
                element: part.part.element,
                conversion: None,
                file: file.clone(),
                file_in_order: part.part.file_in_order,
                memory_selection: in_order,
                memory: &elements,
            },
            variable: None,
            filler: Arc::clone(&part.filler),
            target: part.target.clone(),
            // Windows would have to be looked at by whoever reads such elements.
            is_all_claimed: false,
            goes_behind: part.goes_behind,
        };
        match part.dataset.chunks() {
            Some(chunks) => self.write_chunks(host, &written, chunks),
            None => self.write_contiguous(host, std::slice::from_ref(&written)),
        }
    }
}
