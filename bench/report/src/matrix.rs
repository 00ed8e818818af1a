//! The rows of the matrix as grids: what is read or written down the side, whose threads work across the top.

use crate::{Arrangement, Cell, Layout, Mode, Operation, Row};

pub(crate) const MODES: [Mode; 3] = [Mode::Application, Mode::ApplicationAndPool, Mode::Pool];
const ARRANGEMENTS: [Arrangement; 4] =
    [Arrangement::OneDataset, Arrangement::Datasets, Arrangement::Files, Arrangement::DatasetsInFiles];
const LAYOUTS: [Layout; 2] = [Layout::Contiguous, Layout::Chunked];

/// Reads or writes with one library.
#[derive(Debug)]
pub(crate) struct Grid<'a> {
    pub(crate) operation: Operation,
    pub(crate) library: &'a str,
    pub(crate) rows: Vec<(Cell, &'a Row)>,
}

/// The grids in these rows, and the rows that are in none. Of two for one place the first is in the grid.
pub(crate) fn split<'a>(rows: &[&'a Row]) -> (Vec<Grid<'a>>, Vec<&'a Row>) {
    let mut grids: Vec<Grid<'a>> = Vec::new();
    let mut others = Vec::new();
    for row in rows.iter().copied() {
        let Some(cell) = row.cell else {
            others.push(row);
            continue;
        };
        let found =
            grids.iter_mut().find(|grid| grid.operation == cell.operation && grid.library == row.library);
        match found {
            Some(grid) if grid.at(cell).is_some() => others.push(row),
            Some(grid) => grid.rows.push((cell, row)),
            None => {
                grids.push(Grid {
                    operation: cell.operation,
                    library: &row.library,
                    rows: vec![(cell, row)],
                });
            }
        }
    }
    (grids, others)
}

impl<'a> Grid<'a> {
    fn at(&self, cell: Cell) -> Option<&'a Row> {
        self.rows.iter().find(|(place, _)| *place == cell).map(|(_, row)| *row)
    }

    /// Its lines from top to bottom: the name, and the row of each mode. Those without any row are left out.
    pub(crate) fn places(&self) -> Vec<(String, [Option<&'a Row>; 3])> {
        let mut places = Vec::new();
        for arrangement in ARRANGEMENTS {
            for layout in LAYOUTS {
                let operation = self.operation;
                let rows = MODES.map(|mode| self.at(Cell { operation, mode, arrangement, layout }));
                if rows.iter().any(Option::is_some) {
                    places.push((name(arrangement, layout), rows));
                }
            }
        }
        places
    }

    /// "Reading, HDF5 of tables".
    pub(crate) fn title(&self) -> String {
        let operation = match self.operation {
            Operation::Read => "Reading",
            Operation::Write => "Writing",
        };
        format!("{operation}, HDF5 of {}", self.library)
    }

    /// Whose threads work in a mode, with their number if all rows agree on it.
    pub(crate) fn threads(&self, mode: Mode) -> String {
        let mut numbers = self
            .rows
            .iter()
            .filter(|(cell, _)| cell.mode == mode)
            .map(|(_, row)| (row.application_threads, row.pool_threads));
        let first = numbers.next();
        let (application, pool) = match first.filter(|first| numbers.all(|other| other == *first)) {
            Some((application, pool)) => (format!("{application} threads"), format!("pool of {pool}")),
            None => ("threads".to_owned(), "pool".to_owned()),
        };
        match mode {
            Mode::Application => application,
            Mode::ApplicationAndPool => format!("{application} + {pool}"),
            Mode::Pool => format!("1 thread + {pool}"),
        }
    }

    /// A place in words.
    pub(crate) fn place(&self, cell: Cell) -> String {
        format!("{}, {}", name(cell.arrangement, cell.layout), self.threads(cell.mode))
    }
}

fn name(arrangement: Arrangement, layout: Layout) -> String {
    let arrangement = match arrangement {
        Arrangement::OneDataset => "one dataset",
        Arrangement::Datasets => "many datasets",
        Arrangement::Files => "many files",
        Arrangement::DatasetsInFiles => "datasets in files",
    };
    let layout = match layout {
        Layout::Contiguous => "contiguous",
        Layout::Chunked => "chunked",
    };
    format!("{arrangement}, {layout}")
}
