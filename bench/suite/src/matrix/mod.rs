//! The matrix: every combination of threads, number of datasets, number of files and layout, read and written. And the scaling
//! with the number of threads.

mod files;
mod layout;
mod raw;
mod read_limit;
mod reading;
mod scaling;
mod write_limit;
mod writing;

use anyhow::Result;
use bench_report::{Arrangement, Asked, Cell, Layout, Mode, Operation, Unit};

use self::layout::plan;
use self::read_limit::ReadLimit;
use self::reading::{Reading, ThreadReads};
use self::write_limit::WriteLimit;
use self::writing::{ThreadWrites, Writing};
use crate::Scenario;
use crate::bench::Bench;
use crate::hdf5::PAGE;
use crate::registry::{Entry, Prepared};

const MODES: [Mode; 3] = [Mode::Application, Mode::ApplicationAndPool, Mode::Pool];
const ARRANGEMENTS: [Arrangement; 4] =
    [Arrangement::OneDataset, Arrangement::Datasets, Arrangement::Files, Arrangement::DatasetsInFiles];
const LAYOUTS: [Layout; 2] = [Layout::Contiguous, Layout::Chunked];
/// The target for reads by several threads with the pool.
const RATIO: f64 = 1.4;

/// All scenarios of the matrix, for this many application threads.
pub(crate) fn entries(threads: u32) -> Vec<Entry> {
    let threads = threads.max(1);
    let mut entries = Vec::new();
    for operation in [Operation::Read, Operation::Write] {
        for mode in MODES {
            for arrangement in ARRANGEMENTS {
                for layout in LAYOUTS {
                    entries.push(entry(Cell { operation, mode, arrangement, layout }, threads));
                }
            }
        }
    }
    entries.extend(scaling::entries());
    entries
}

fn entry(cell: Cell, threads: u32) -> Entry {
    let Cell { operation, mode, arrangement, layout } = cell;
    let (by, callers) = match mode {
        Mode::Application => ("threads", threads),
        Mode::ApplicationAndPool => ("threads+pool", threads),
        Mode::Pool => ("pool", 1),
    };
    let (of, datasets) = match arrangement {
        Arrangement::OneDataset => ("one-dataset", "parts of one dataset"),
        Arrangement::Datasets => ("many-datasets", "datasets of one file"),
        Arrangement::Files => ("many-files", "one dataset of each file"),
        Arrangement::DatasetsInFiles => ("many-datasets-in-many-files", "datasets of several files"),
    };
    let stored = match layout {
        Layout::Contiguous => "contiguous",
        Layout::Chunked => "chunked",
    };
    let (group, verb) = match operation {
        Operation::Read => ("Matrix of reads", "read"),
        Operation::Write => ("Matrix of writes", "write"),
    };
    let who = match mode {
        Mode::Application => format!("{threads} threads"),
        Mode::ApplicationAndPool => format!("{threads} threads + pool"),
        Mode::Pool => "pool".to_owned(),
    };
    let is_required = operation == Operation::Read && mode == Mode::ApplicationAndPool;
    let scenario = Scenario {
        application_threads: callers,
        has_pool: mode != Mode::Application,
        cell: Some(cell),
        // The first write of a contiguous dataset is left to native HDF5, because only it can allocate the storage.
        may_pass_on: operation == Operation::Write && layout == Layout::Contiguous,
        asked: Asked { ratio: is_required.then_some(RATIO), ..Asked::default() },
        ..Scenario::new(format!("{verb}/{by}/{of}/{stored}"), group, format!("{who}: {datasets}, {stored}"))
    };
    Entry::new(scenario, move |bench| match operation {
        Operation::Read => read(bench, cell, threads, callers),
        Operation::Write => write(bench, cell, threads, callers),
    })
}

fn read(bench: &Bench, cell: Cell, threads: u32, callers: u32) -> Result<Prepared> {
    let plan = plan(bench, cell, threads, callers)?;
    let paths = files::make(bench, threads, plan.files)?;
    let mut phases = Vec::new();
    for placed in &plan.datasets {
        phases.push(match cell.layout {
            Layout::Contiguous => {
                usize::try_from(bench.offset_of(&paths[placed.file], &placed.name)? % PAGE as u64)?
            }
            Layout::Chunked => 0,
        });
    }
    let reading = Reading::new(bench.library, paths, plan, phases, false)?;
    Prepared::with_limit(
        Unit::Rate,
        |way| ThreadReads::new(&reading, way),
        |_| Ok(Some(Box::new(ReadLimit::new(bench, &reading, bench.limit_threads.get())?))),
    )
}

fn write(bench: &Bench, cell: Cell, threads: u32, callers: u32) -> Result<Prepared> {
    let writing = Writing::new(bench, plan(bench, cell, threads, callers)?, cell.layout)?;
    Prepared::with_limit(
        Unit::Rate,
        |way| ThreadWrites::new(&writing, way),
        |_| Ok(Some(Box::new(WriteLimit::new(&writing, bench.limit_threads.get())?))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_there_once() {
        let scenarios: Vec<Scenario> = entries(4).into_iter().map(|entry| entry.scenario).collect();
        let cells: Vec<Cell> = scenarios.iter().filter_map(|scenario| scenario.cell).collect();
        assert_eq!(cells.len(), 48);
        assert!(cells.iter().enumerate().all(|(number, cell)| !cells[..number].contains(cell)));
        let named = |name: &str| scenarios.iter().find(|scenario| scenario.name == name).unwrap();
        let both = named("read/threads+pool/many-files/chunked");
        assert_eq!((both.application_threads, both.has_pool, both.asked.ratio), (4, true, Some(1.4)));
        assert_eq!(both.what, "4 threads + pool: one dataset of each file, chunked");
        let alone = named("write/threads/one-dataset/contiguous");
        assert_eq!((alone.application_threads, alone.has_pool, alone.asked.ratio), (4, false, None));
        assert_eq!(named("read/pool/many-datasets/chunked").application_threads, 1);
    }
}
