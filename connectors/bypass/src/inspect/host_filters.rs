//! Filters that are not part of HDF5 itself: who owns them, and lending ours to a host that lacks them.
//!
//! An application can register a filter with HDF5 under any number. The filter that is registered under the number of one of our
//! codecs may be the same one, from a plugin or from the program itself; then our codec replaces it. Or it may be the
//! application's own filter, which must be called.

use std::sync::{Mutex, PoisonError};

use codecs::{Applied, WellKnown};
use h5_host::Questions;
use h5_host::lent_filter::{AppliedTo, Direction, Lender};
use h5_host::questions::{FilterDescription, StorageLayout};
use h5_vol::{BelowObject, Host, Id};

use crate::inspect::filter_image::{NAME, image};
use crate::report::reason::Reason;
use crate::report::summary::{self, FilterUse, ServedBy};

/// Bytes of the chunk that a filter is tried on.
const TRIED: u32 = 4096;

/// What was found out about filters that are registered with hosts.
static JUDGED: Mutex<Vec<Judged>> = Mutex::new(Vec::new());

/// A registered filter. One of another name is another filter.
struct Judged {
    host: Host,
    id: i32,
    name: String,
    is_well_known: bool,
}

const LENDER: Lender = Lender { prepare, run };

/// Fails if a filter of a dataset is the application's, and not the one that we have a codec for.
pub(crate) fn judge(questions: Questions, filter: &FilterDescription) -> Result<(), Reason> {
    let Some(known) = WellKnown::numbered(filter.id) else { return Ok(()) };
    let describe = |what: &str| format!("filter {} ({}): {what}", filter.name, filter.id);
    let used = |served_by| {
        summary::filter_used(|| FilterUse { name: filter.name.clone(), id: filter.id, served_by });
    };
    match questions.registered_filter(filter.id) {
        Some(name) if is_well_known(questions, known, &name) => {
            used(ServedBy::OurCodecForTheirs);
            Ok(())
        }
        Some(name) => {
            let what = format!("the application has registered another one, {name:?}, under this number");
            used(ServedBy::Application);
            Err(Reason::FilterForeign(describe(&what)))
        }
        None if filter.name.is_empty() || known.may_be_called(&filter.name) => {
            used(ServedBy::OurCodec);
            Ok(())
        }
        // Who wrote it had another filter under this number.
        None => Err(Reason::FilterForeign(describe("not the filter that this number stands for"))),
    }
}

/// Whether native HDF5 stores chunks of a dataset without one of its filters, because it may be left out and is not there. Those
/// that we can lend it are there.
pub(crate) fn leaves_one_out(questions: Questions, creation: Id) -> bool {
    questions.filters(creation).is_some_and(|filters| {
        filters.iter().any(|filter| filter.optional && !questions.is_filter_registered(filter.id))
    })
}

/// Whether the registered filter of this name is the well-known one.
fn is_well_known(questions: Questions, known: WellKnown, name: &str) -> bool {
    if !known.may_be_called(name) {
        return false;
    }
    let host = questions.host();
    let judged = || JUDGED.lock().unwrap_or_else(PoisonError::into_inner);
    let is_it = |one: &&Judged| one.host == host && one.id == known.id && one.name == name;
    if let Some(found) = judged().iter().find(is_it).map(|found| found.is_well_known) {
        return found;
    }
    // Without the lock: the filter may do what it likes.
    let is_well_known = undoes_ours(questions, known);
    judged().push(Judged { host, id: known.id, name: name.to_owned(), is_well_known });
    is_well_known
}

/// Whether the host's filter gives back what our codec was given.
fn undoes_ours(questions: Questions, known: WellKnown) -> bool {
    let filter = known.example(TRIED);
    let elements: Vec<u8> = (0..TRIED / 4).flat_map(|number| (number * number / 9).to_le_bytes()).collect();
    let image = filter.apply(&elements).ok().and_then(|stored| image(&filter, TRIED, &stored));
    image.is_some_and(|image| questions.read_image(&image, NAME, elements.len()) == Some(elements))
}

/// Lends our filter to a host that has none under this number. Says whether it did.
fn lend(questions: Questions, id: i32) -> bool {
    let Some(known) = WellKnown::numbered(id) else { return false };
    if questions.is_filter_registered(id) || questions.has_filter(id) {
        return false;
    }
    let is_lent = questions.lend_filter(id, known.name, LENDER);
    if is_lent {
        let name = || known.name.to_string_lossy().into_owned();
        summary::filter_used(|| FilterUse { name: name(), id, served_by: ServedBy::LentCodec });
    }
    is_lent
}

/// Lends what a list of creation properties needs and the host lacks. Says whether anything was lent.
pub(crate) fn lend_for(questions: Questions, creation: Id) -> bool {
    let filters = questions.filters(creation).unwrap_or_default();
    // All of them, not up to the first.
    filters.iter().filter(|filter| lend(questions, filter.id)).count() > 0
}

/// Lends what native HDF5 may have lacked when it failed to read a dataset. Says whether it is worth trying again.
pub(crate) fn lend_after_failure(host: Host, dataset: Option<&BelowObject>) -> bool {
    host.ask(|questions| {
        let Some(creation) = dataset.and_then(|below| below.dataset_creation_list(questions)) else {
            return false;
        };
        if questions.layout(creation.id()) == StorageLayout::Virtual {
            // Which datasets it consists of, and how they are stored, only native HDF5 knows.
            return WellKnown::all().filter(|known| lend(questions, known.id)).count() > 0;
        }
        lend_for(questions, creation.id())
    })
}

fn prepare(id: i32, given: &[u32], dataset: &AppliedTo) -> Result<Option<Vec<u32>>, ()> {
    let known = WellKnown::numbered(id).ok_or(())?;
    let applied = Applied { element: dataset.element, base: dataset.base, chunk: &dataset.chunk };
    known.parameters_for(given, &applied).map_err(|_| ())
}

fn run(id: i32, parameters: &[u32], direction: Direction, bytes: &[u8]) -> Option<Vec<u8>> {
    let filter = WellKnown::numbered(id)?.with(parameters.to_vec());
    match direction {
        Direction::Apply => filter.apply(bytes).ok(),
        Direction::Undo => filter.undo(bytes).ok(),
    }
}
