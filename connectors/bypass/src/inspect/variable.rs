//! Datatypes with variable-length parts: strings and sequences.

use std::sync::{Arc, Mutex, PoisonError};

use convert::{Datatype, VariableConversion, stored_form};
use h5_host::Questions;
use h5_vol::Id;

use crate::inspect::conversions::traits_of;
use crate::inspect::datatypes::describe_variable;
use crate::report::reason::Reason;

/// A dataset's type that has variable-length parts.
#[derive(Debug)]
pub(crate) struct VariableType {
    /// As it is in memory.
    in_memory: Datatype,
    /// The conversion to the type that it was read into last, if there is one.
    last: Mutex<Option<(Datatype, Option<Arc<VariableConversion>>)>>,
}

impl VariableType {
    /// The type as HDF5 describes it, and the form in which it is stored.
    pub(crate) fn describe(questions: Questions, datatype: Id) -> Result<(Self, Datatype), Reason> {
        let in_memory = describe_variable(questions, datatype).ok_or(Reason::UnknownType)?;
        let stored = stored_form(&in_memory).ok_or(Reason::UnknownType)?;
        Ok((Self { in_memory, last: Mutex::default() }, stored))
    }

    /// How elements become those of a type in memory.
    pub(crate) fn conversion(
        &self,
        questions: Questions,
        memory_type: Id,
    ) -> Result<Arc<VariableConversion>, Reason> {
        let wanted = describe_variable(questions, memory_type).ok_or(Reason::Conversion)?;
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let known = last.take().filter(|(known, _)| *known == wanted);
        let (_, found) = last.insert(known.unwrap_or_else(|| {
            let found = VariableConversion::new(&self.in_memory, &wanted, traits_of(questions.host()));
            (wanted, found.map(Arc::new))
        }));
        found.clone().ok_or(Reason::Conversion)
    }
}
