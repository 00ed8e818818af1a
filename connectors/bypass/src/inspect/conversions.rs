//! The conversions of one dataset's elements, in one direction.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use convert::{Conversion, Datatype};
use engine::Converted;
use h5_host::{Host, Id};
pub(crate) use h5_translate::traits_of;

use crate::report::reason::Reason;

/// How many conversions are remembered: an application reads a dataset into few types.
const REMEMBERED: usize = 4;

/// Conversions to the datatypes that a dataset was read into lately, or from those it was written from.
#[derive(Debug, Default)]
pub(crate) struct Conversions {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    remembered: Vec<(Datatype, Option<Arc<Converted>>)>,
    /// That of the last datatype which was one of the library's own. Nobody can change those, so it need not be described again.
    predefined: Option<(Id, Arc<Converted>)>,
}

impl Conversions {
    /// The conversion from the dataset's own type to one in memory.
    pub(crate) fn to(&self, host: Host, own: &Datatype, wanted: Datatype) -> Result<Arc<Converted>, Reason> {
        self.find(wanted, |wanted| Conversion::new(own, wanted, traits_of(host)))
    }

    /// The conversion from a type in memory to the dataset's own.
    pub(crate) fn from(&self, host: Host, own: &Datatype, given: Datatype) -> Result<Arc<Converted>, Reason> {
        self.find(given, |given| Conversion::new(given, own, traits_of(host)))
    }

    /// The conversion to or from a datatype of the library's own, if it was the last one of these.
    pub(crate) fn of_predefined(&self, in_memory: Id) -> Option<Arc<Converted>> {
        let last = self.last_predefined().filter(|(known, _)| *known == in_memory);
        last.map(|(_, converted)| converted)
    }

    /// The last conversion to or from a datatype of the library's own, and that datatype.
    pub(crate) fn last_predefined(&self) -> Option<(Id, Arc<Converted>)> {
        self.state().predefined.clone()
    }

    /// Notes the conversion to or from a datatype of the library's own.
    pub(crate) fn note_predefined(&self, in_memory: Id, converted: &Arc<Converted>) {
        self.state().predefined = Some((in_memory, Arc::clone(converted)));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(
        &self,
        in_memory: Datatype,
        make: impl FnOnce(&Datatype) -> Option<Conversion>,
    ) -> Result<Arc<Converted>, Reason> {
        let mut state = self.state();
        let found = state.remembered.iter().find(|(datatype, _)| *datatype == in_memory);
        if let Some((_, converted)) = found {
            return converted.clone().ok_or(Reason::Conversion);
        }
        let converted = make(&in_memory).and_then(|conversion| {
            Some(Arc::new(Converted { conversion, element: u64::try_from(in_memory.size).ok()? }))
        });
        if state.remembered.len() == REMEMBERED {
            state.remembered.remove(0);
        }
        state.remembered.push((in_memory, converted.clone()));
        converted.ok_or(Reason::Conversion)
    }
}
