//! Datatypes that are stored in another form than in memory: variable-length strings and sequences, references of HDF5 1.12.

use std::sync::{Arc, Mutex, PoisonError};

use convert::{Class, Datatype, VariableConversion, VariableEncoding, has_later_references, stored_form};
use h5_host::Questions;
use h5_vol::Id;

use crate::inspect::conversions::traits_of;
use crate::inspect::datatypes::describe_indirect;
use crate::report::reason::Reason;

/// A dataset's type that has variable-length parts, or references of HDF5 1.12.
#[derive(Debug)]
pub(crate) struct VariableType {
    /// As it is in memory.
    in_memory: Datatype,
    /// It has such references. Only native HDF5 makes those, and stores them.
    has_references: bool,
    /// The conversion to the type that it was read into last, if there is one.
    last: Last<VariableConversion>,
    /// The same for the type that it was written from last.
    last_written: Last<VariableEncoding>,
}

/// What was found for a type in memory.
type Last<C> = Mutex<Option<(Datatype, Option<Arc<C>>)>>;

impl VariableType {
    /// The type as HDF5 describes it, and the form in which it is stored.
    pub(crate) fn describe(questions: Questions, datatype: Id) -> Result<(Self, Datatype), Reason> {
        let in_memory = describe_indirect(questions, datatype).ok_or(Reason::UnknownType)?;
        let stored = stored_form(&in_memory).ok_or(Reason::UnknownType)?;
        let has_references = has_later_references(&in_memory);
        // Nothing else could be read of such elements.
        if has_references && !matches!(in_memory.class, Class::Compound(_)) {
            return Err(Reason::Reference);
        }
        let new = Self { in_memory, has_references, last: Mutex::default(), last_written: Mutex::default() };
        Ok((new, stored))
    }

    /// How elements become those of a type in memory.
    pub(crate) fn conversion(
        &self,
        questions: Questions,
        memory_type: Id,
    ) -> Result<Arc<VariableConversion>, Reason> {
        let host = traits_of(questions.host());
        let found = find(questions, memory_type, &self.last, |wanted| {
            VariableConversion::new(&self.in_memory, wanted, host)
        });
        found.map_err(|reason| if self.has_references { Reason::Reference } else { reason })
    }

    /// How elements of a type in memory become those to store.
    pub(crate) fn encoding(
        &self,
        questions: Questions,
        memory_type: Id,
    ) -> Result<Arc<VariableEncoding>, Reason> {
        if self.has_references {
            return Err(Reason::Reference);
        }
        let host = traits_of(questions.host());
        find(questions, memory_type, &self.last_written, |given| {
            VariableEncoding::new(given, &self.in_memory, host)
        })
    }
}

/// What was found last, if that is for the same type in memory, or is found now.
fn find<C>(
    questions: Questions,
    memory_type: Id,
    last: &Last<C>,
    make: impl FnOnce(&Datatype) -> Option<C>,
) -> Result<Arc<C>, Reason> {
    let described = describe_indirect(questions, memory_type).ok_or(Reason::Conversion)?;
    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
    let known = last.take().filter(|(known, _)| *known == described);
    let (_, found) = last.insert(known.unwrap_or_else(|| {
        let found = make(&described);
        (described, found.map(Arc::new))
    }));
    found.clone().ok_or(Reason::Conversion)
}
