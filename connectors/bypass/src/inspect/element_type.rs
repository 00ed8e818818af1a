//! The datatype of a dataset's elements, and how they become those of the application's datatypes.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use convert::Datatype;
use engine::Converted;
use global_lock::Use;
use h5_host::questions::{CreationFacts, IndirectPart};
use h5_host::{Host, Questions};
use h5_vol::{BelowObject, Id};

use crate::inspect::conversions::Conversions;
use crate::inspect::datatypes::describe;
use crate::inspect::file::RawFile;
use crate::inspect::variable::VariableType;
use crate::report::reason::Reason;

/// The datatype of a dataset's elements, and what was found out about the application's.
#[derive(Debug)]
pub(crate) struct ElementType {
    /// As they are stored. Not an identifier: the application can count those.
    datatype: Datatype,
    /// Bytes of a stored element.
    size: u64,
    /// Elements contain references: native HDF5 does not copy such elements as a whole even to the same type, but
    /// member by member, and leaves the gaps alone.
    has_references: bool,
    /// As they are in memory, if they have variable-length parts or references of HDF5 1.12.
    variable: Option<VariableType>,
    /// A datatype of the library's own that is the dataset's: others are compared with it in one question. Or one of the
    /// numbers below.
    same_type: AtomicI64,
    /// How often a datatype of the library's own was searched for.
    searches: AtomicU32,
    conversions: Conversions,
    /// From the application's types to its own.
    written_from: Conversions,
}

/// Nobody has used the dataset's own type in memory yet.
const NO_TYPE_YET: i64 = 0;
/// Somebody has, once, by an identifier of their own.
const TYPE_USED_ONCE: i64 = -1;
/// The library has no such type.
const NO_SUCH_TYPE: i64 = -2;

/// How often a datatype of the library's own is searched for: it takes as long as several reads.
const SEARCHES: u32 = 8;

impl ElementType {
    /// The datatype of a dataset's elements, if the file has all there is to them.
    pub(super) fn ask(
        questions: Questions,
        below: &BelowObject,
        file: &RawFile,
        facts: CreationFacts,
    ) -> Result<Self, Reason> {
        let id = below.dataset_type(questions).ok_or(Reason::Untold("datatype"))?;
        let (datatype, variable) = match questions.indirect_part(id.id(), facts) {
            Some(_) if file.has_plain_metadata() && facts.is_wide() => {
                let (variable, stored) = VariableType::describe(questions, id.id())?;
                (stored, Some(variable))
            }
            Some(IndirectPart::VariableLength) => return Err(Reason::VariableLength),
            Some(IndirectPart::Reference) => return Err(Reason::Reference),
            None => (describe(questions, id.id()).ok_or(Reason::UnknownType)?, None),
        };
        Ok(Self {
            size: u64::try_from(datatype.size).map_err(|_| Reason::TooLarge)?,
            datatype,
            has_references: questions.has_references(id.id()),
            variable,
            same_type: AtomicI64::new(NO_TYPE_YET),
            searches: AtomicU32::new(0),
            conversions: Conversions::default(),
            written_from: Conversions::default(),
        })
    }

    /// As they are stored.
    pub(crate) fn datatype(&self) -> &Datatype {
        &self.datatype
    }

    /// Bytes of a stored element.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Whether they contain references.
    pub(crate) fn has_references(&self) -> bool {
        self.has_references
    }

    /// Whether they become the other ones as they are stored.
    pub(crate) fn are_copied_to(&self, other: &Self) -> bool {
        !self.has_references && self.datatype == other.datatype
    }

    /// As they are in memory, if that is another form than the stored one.
    pub(crate) fn variable(&self) -> Option<&VariableType> {
        self.variable.as_ref()
    }

    /// How elements become those of this type in memory; `None` if they are the stored bytes.
    pub(crate) fn conversion(
        &self,
        questions: Questions,
        memory_type: Id,
    ) -> Result<Option<Arc<Converted>>, Reason> {
        self.conversion_if_needed(questions, memory_type, &self.conversions, Conversions::to)
    }

    /// How elements of this type in memory become those to store; `None` if they are the same.
    pub(crate) fn conversion_from(
        &self,
        questions: Questions,
        memory_type: Id,
    ) -> Result<Option<Arc<Converted>>, Reason> {
        self.conversion_if_needed(questions, memory_type, &self.written_from, Conversions::from)
    }

    /// How elements become those of this type in memory, or the reverse, for short runs; `Some(None)` if they are the stored
    /// bytes. Clients make a datatype for each call: it is compared with the library's own, and the one that is the same is
    /// searched for a few times only. If there is none, it is compared with a copy of the dataset's. `None` if nothing was found.
    #[expect(clippy::option_option, reason = "not known, or not needed")]
    pub(crate) fn conversion_of_short_run(
        &self,
        questions: Questions,
        below: &BelowObject,
        memory_type: Id,
        what: Use,
    ) -> Option<Option<Arc<Converted>>> {
        if self.variable.is_some() {
            return None;
        }
        let conversions = match what {
            Use::Read => &self.conversions,
            Use::Write => &self.written_from,
        };
        let own = Id(self.same_type.load(Ordering::Relaxed));
        if own.is_valid() && own == memory_type {
            return Some(None);
        }
        let known = conversions.last_predefined();
        if let Some((_, with)) = known.as_ref().filter(|(id, _)| *id == memory_type) {
            return Some(Some(Arc::clone(with)));
        }
        if own.is_valid() && questions.same_type(own, memory_type) {
            return Some(None);
        }
        if let Some((_, with)) = known.filter(|(id, _)| questions.same_type(*id, memory_type)) {
            return Some(Some(with));
        }
        if self.searches.fetch_add(1, Ordering::Relaxed) >= SEARCHES {
            self.searches.store(SEARCHES, Ordering::Relaxed);
            return None;
        }
        if own.0 == NO_SUCH_TYPE && questions.same_type_as(below.dataset_type(questions)?, memory_type) {
            self.searches.fetch_sub(1, Ordering::Relaxed);
            return Some(None);
        }
        let same = questions.same_predefined_type(memory_type)?;
        match what {
            Use::Read => self.conversion(questions, same).ok(),
            Use::Write => self.conversion_from(questions, same).ok(),
        }
    }

    /// What is found for a type in memory, unless its elements are the stored bytes.
    fn conversion_if_needed(
        &self,
        questions: Questions,
        memory_type: Id,
        conversions: &Conversions,
        find: impl FnOnce(&Conversions, Host, &Datatype, Datatype) -> Result<Arc<Converted>, Reason>,
    ) -> Result<Option<Arc<Converted>>, Reason> {
        if let Some(known) = conversions.of_predefined(memory_type) {
            return Ok(Some(known));
        }
        if self.is_stored_as(questions, memory_type) {
            return Ok(None);
        }
        let in_memory = describe(questions, memory_type).ok_or(Reason::Conversion)?;
        if self.has_references || in_memory != self.datatype {
            let found = find(conversions, questions.host(), &self.datatype, in_memory)?;
            if questions.is_predefined_type(memory_type) {
                conversions.note_predefined(memory_type, &found);
            }
            return Ok(Some(found));
        }
        self.note_same_type(questions, memory_type);
        Ok(None)
    }

    /// Whether elements of this type in memory are the stored bytes, as far as that is known after one question.
    fn is_stored_as(&self, questions: Questions, memory_type: Id) -> bool {
        let known = Id(self.same_type.load(Ordering::Relaxed));
        known.is_valid() && (known == memory_type || questions.same_type(known, memory_type))
    }

    /// Notes that elements of this type in memory are the stored bytes.
    fn note_same_type(&self, questions: Questions, memory_type: Id) {
        let known = self.same_type.load(Ordering::Relaxed);
        let noted = if questions.is_predefined_type(memory_type) {
            memory_type.0
        } else if known == NO_TYPE_YET {
            // Many datasets are used once.
            TYPE_USED_ONCE
        } else if known == TYPE_USED_ONCE {
            // Other types may be changed under the same identifier, but not the library's own.
            questions.same_predefined_type(memory_type).map_or(NO_SUCH_TYPE, |same| same.0)
        } else {
            return;
        };
        self.same_type.store(noted, Ordering::Relaxed);
    }
}
