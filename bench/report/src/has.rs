//! What any row of the results has: columns, marks and explanations of what none has are left out.

use crate::{Measured, Results, Row};

/// What there is to show.
#[expect(clippy::struct_excessive_bools, reason = "each is a question of its own")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Has {
    /// Something is required of a row.
    pub(crate) targets: bool,
    /// Rounds differ, and that is shown.
    pub(crate) spread: bool,
    /// What this machine can do without HDF5.
    pub(crate) limit: bool,
    /// Memory was measured.
    pub(crate) memory: bool,
    /// A row is slower than native HDF5.
    pub(crate) slower: bool,
}

impl Has {
    pub(crate) fn of(results: &Results) -> Self {
        let any = |has: &dyn Fn(&Measured) -> bool| results.rows.iter().filter_map(Row::measured).any(has);
        Self {
            targets: results.rows.iter().any(Row::is_asked),
            spread: any(&|measured| measured.ratio.low < measured.ratio.high),
            limit: any(&|measured| measured.limit.is_some()),
            memory: any(&|measured| measured.peak.is_some()),
            slower: results.rows.iter().any(Row::is_slower),
        }
    }
}
