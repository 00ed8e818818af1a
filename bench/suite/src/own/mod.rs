//! `h5bypass bench FILE`: reads of a user's own dataset. Nothing is written.

mod limit;
mod region;
mod source;
mod subject;

use anyhow::Result;
use bench_report::Unit;

use crate::Scenario;
use crate::bench::{Bench, Placement};
use crate::hdf5::Slab;
use crate::plain::{Reads, ThreadReads, ThreadRecipe};
use crate::registry::{CannotBeMeasured, Entry, Prepared};
use limit::limit_of;
use region::Region;
use source::Source;
use subject::Seldom;

/// The heading, if the dataset has none.
const GROUP: &str = "Your file";
const WHOLE: &str = "own/whole";
const SLABS: &str = "own/slabs";
const SECOND_ROWS: &str = "own/second-rows";
const BAND: &str = "own/columns";
const FIRST: &str = "own/first";
const THREADS: &str = "own/threads";
/// Below this size, neither a rate nor a limit is shown, because starting threads takes longer than reading.
const SMALL: u64 = 64 << 10;

/// What is known about a dataset before it is measured.
#[derive(Debug, Clone, Copy)]
pub struct Outline<'dataset> {
    /// Its extent.
    pub extent: &'dataset [u64],
    /// The extent of a chunk, if it is chunked.
    pub chunk: Option<&'dataset [u64]>,
    /// Bytes of an element.
    pub element: u64,
    /// The maximum to read of it, in MiB.
    pub mebibytes: u32,
}

/// The scenarios for such a dataset. `threads` is the number of application threads in those that have several. A dataset
/// without elements has one scenario, which says so.
pub fn scenarios(outline: &Outline<'_>, threads: u32) -> Vec<Scenario> {
    let limit = u64::from(outline.mebibytes) << 20;
    let region = Region::new(outline.extent, outline.chunk, outline.element, limit);
    let has = |scenario: &Scenario| match (&region, scenario.name.as_str()) {
        (None, name) => name == WHOLE,
        (Some(region), SLABS) => region.slabs().is_some(),
        (Some(region), SECOND_ROWS) => region.second_rows().is_some(),
        (Some(region), BAND) => region.band().is_some(),
        (Some(region), THREADS) => threads > 1 && region.shares(threads.into()).is_some(),
        (Some(_), _) => true,
    };
    let mut all: Vec<_> = entries(threads).into_iter().map(|entry| entry.scenario).filter(has).collect();
    if let (Some(region), Some(whole)) = (region.filter(Region::is_partial), all.first_mut()) {
        whole.what = format!("the first {} MiB of it at once", region.bytes() >> 20);
    }
    all
}

/// All scenarios, with the code that runs them.
pub(crate) fn entries(threads: u32) -> Vec<Entry> {
    let new = |name: &str, what: &str| Scenario::new(name, GROUP, what);
    let whole = Scenario { measures_peak: true, ..new(WHOLE, "all of it at once") };
    let what = format!("1 MiB at a time, {threads} threads");
    let in_threads = Scenario { application_threads: threads.max(1), ..new(THREADS, &what) };
    vec![
        Entry::new(whole, prepare_whole),
        Entry::new(new(SLABS, "1 MiB of rows at a time"), |bench| reads(bench, Unit::Rate, Region::slabs)),
        Entry::new(new(SECOND_ROWS, "every 2nd row of the beginning"), |bench| {
            reads(bench, Unit::Rate, |region| Some(vec![region.second_rows()?]))
        }),
        Entry::new(new(BAND, "some columns, all rows"), |bench| {
            reads(bench, Unit::Rate, |region| Some(vec![region.band()?]))
        }),
        Entry::new(new(FIRST, "the first read after opening it"), |bench| {
            reads(bench, Unit::PerCall, |region| {
                let first = region.slabs().and_then(|slabs| slabs.into_iter().next());
                Some(first.map_or_else(|| region.at_once(), |first| vec![first]))
            })
        }),
        Entry::new(in_threads, move |bench| prepare_threads(bench, threads)),
    ]
}

fn prepare_whole(bench: &Bench) -> Result<Prepared> {
    let source = Source::look(bench)?;
    let recipe = source.recipe(source.region.at_once());
    let make = |way| Reads::new(bench, way, &recipe).map(Seldom);
    if source.region.bytes() < SMALL {
        return Prepared::both(Unit::PerCall, make);
    }
    Prepared::with_limit(Unit::Rate, make, |native| limit_of(bench, &source, native.0.buffer()))
}

fn reads(bench: &Bench, unit: Unit, parts: impl FnOnce(&Region) -> Option<Vec<Slab>>) -> Result<Prepared> {
    let source = Source::look(bench)?;
    let recipe = source.recipe(parts(&source.region).ok_or_else(too_few)?);
    Prepared::both(unit, |way| Reads::new(bench, way, &recipe).map(Seldom))
}

fn prepare_threads(bench: &Bench, threads: u32) -> Result<Prepared> {
    let source = Source::look(bench)?;
    let shares = source.region.shares(threads.into()).ok_or_else(too_few)?;
    let recipe = ThreadRecipe {
        path: source.path,
        dataset: source.dataset,
        datatype: source.memory,
        extent: source.extent,
        shares,
    };
    let memory = recipe.memory(Placement::MALLOC)?;
    Prepared::both(Unit::Rate, |way| ThreadReads::new(bench, way, &recipe, &memory).map(Seldom))
}

fn too_few() -> CannotBeMeasured {
    CannotBeMeasured("it has too few rows or columns".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(extent: &[u64], threads: u32, mebibytes: u32) -> Vec<String> {
        let outline = Outline { extent, chunk: None, element: 4, mebibytes };
        scenarios(&outline, threads).into_iter().map(|scenario| scenario.name).collect()
    }

    #[test]
    fn a_dataset_has_the_scenarios_that_it_is_large_enough_for() {
        assert_eq!(names(&[100, 100], 4, 1), [WHOLE, SLABS, SECOND_ROWS, BAND, FIRST, THREADS]);
        assert_eq!(names(&[100, 100], 1, 1), [WHOLE, SLABS, SECOND_ROWS, BAND, FIRST]);
        assert_eq!(names(&[3], 4, 1), [WHOLE, SLABS, FIRST]);
        assert_eq!(names(&[], 4, 1), [WHOLE, FIRST]);
        assert_eq!(names(&[0, 7], 4, 1), [WHOLE]);
    }

    #[test]
    fn what_is_left_out_is_said() {
        let what = |mebibytes| {
            let outline = Outline { extent: &[1024, 1024], chunk: Some(&[100, 100]), element: 4, mebibytes };
            scenarios(&outline, 1).remove(0).what
        };
        assert_eq!(what(4), "all of it at once");
        assert_eq!(what(2), "the first 1 MiB of it at once");
    }
}
