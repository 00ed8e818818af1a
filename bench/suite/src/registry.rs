//! All scenarios, with the code that runs them.

use core::fmt;
use std::path::PathBuf;

use anyhow::Result;
use bench_report::Unit;

use crate::bench::Bench;
use crate::{Scenario, Spent, Way, converted, filtered, matrix, own, plain, variable, virtual_data, writing};

/// Something that a scenario does repeatedly and whose results can be checked.
pub(crate) trait Subject {
    /// Makes this many passes. Work that is not measured, such as opening a file, is not counted.
    fn run(&mut self, passes: u32) -> Result<Spent>;

    /// Does everything once, and shows the resulting bytes, part by part: the result of each read, or what native HDF5 reads
    /// from the written files.
    ///
    /// A limit shows what must equal the last parts of native HDF5, or nothing if it checks its result itself.
    fn show(&mut self, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>;

    /// The files to drop from the system's cache before a cold pass. A pass that writes new files has none.
    fn files(&self) -> Vec<PathBuf> {
        Vec::new()
    }
}

/// The work of native HDF5 and the connector. A row shows its figures.
pub(crate) trait Workload: Subject {
    /// The amount of work in one pass.
    fn amount(&self) -> Amount;

    /// The size of the files that the last pass has written, if it writes any.
    fn written(&self) -> Result<Option<u64>> {
        Ok(None)
    }
}

/// The amount of work in one pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Amount {
    /// The number of bytes that it reads or writes.
    pub(crate) bytes: u64,
    pub(crate) calls: u64,
}

/// A scenario with everything it needs. Native HDF5 and the connector get the same memory.
pub(crate) struct Prepared {
    /// Native HDF5.
    pub(crate) native: Box<dyn Workload>,
    /// The connector.
    pub(crate) bypass: Box<dyn Workload>,
    /// What this machine can do without HDF5.
    pub(crate) limit: Option<Box<dyn Subject>>,
    /// The unit in which the speed is shown.
    pub(crate) unit: Unit,
}

impl Prepared {
    /// What `make` returns for native HDF5 and for the connector, without a limit.
    pub(crate) fn both<Made: Workload + 'static>(
        unit: Unit,
        make: impl Fn(Way) -> Result<Made>,
    ) -> Result<Self> {
        Self::with_limit(unit, make, |_| Ok(None))
    }

    /// The same with a limit, which may read into the same memory as native HDF5.
    pub(crate) fn with_limit<Made: Workload + 'static>(
        unit: Unit,
        make: impl Fn(Way) -> Result<Made>,
        limit: impl FnOnce(&Made) -> Result<Option<Box<dyn Subject>>>,
    ) -> Result<Self> {
        let (native, bypass) = (make(Way::Native)?, make(Way::Bypass)?);
        let limit = limit(&native)?;
        Ok(Self { native: Box::new(native), bypass: Box::new(bypass), limit, unit })
    }
}

/// Prepares a scenario.
pub(crate) type Prepare = Box<dyn Fn(&Bench) -> Result<Prepared>>;

/// A scenario, and how it is done.
pub(crate) struct Entry {
    /// The scenario.
    pub(crate) scenario: Scenario,
    /// Prepares it. Fails with [`CannotBeMeasured`] if something that it needs is not available.
    pub(crate) prepare: Prepare,
}

impl Entry {
    /// A scenario, and how to prepare it.
    pub(crate) fn new(scenario: Scenario, prepare: impl Fn(&Bench) -> Result<Prepared> + 'static) -> Self {
        Self { scenario, prepare: Box::new(prepare) }
    }
}

/// The scenario cannot be measured with this library or on this machine, for this reason. This is not a failure.
#[derive(Debug)]
pub(crate) struct CannotBeMeasured(pub(crate) String);

impl fmt::Display for CannotBeMeasured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl core::error::Error for CannotBeMeasured {}

/// All scenarios with generated data, in the order of the table. `threads` is the number of application threads in those that
/// have several.
fn entries(threads: u32) -> Vec<Entry> {
    [
        plain::entries(),
        filtered::entries(),
        converted::entries(),
        variable::entries(),
        virtual_data::entries(),
        writing::entries(),
        matrix::entries(threads),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The scenario of this name. It may be one for the user's own data.
pub(crate) fn find(name: &str, threads: u32) -> Option<Entry> {
    let mut all = entries(threads).into_iter().chain(own::entries(threads));
    all.find(|entry| entry.scenario.name == name)
}

/// The scenarios that need no file of the user, in the order of the table. `threads` is the number of application threads in
/// those that have several.
pub fn scenarios(threads: u32) -> Vec<Scenario> {
    entries(threads).into_iter().map(|entry| entry.scenario).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_two_have_one_name() {
        let mut seen = HashSet::new();
        let own = own::entries(4).into_iter().map(|entry| entry.scenario);
        for scenario in scenarios(4).into_iter().chain(own) {
            assert!(!scenario.what.is_empty(), "{}", scenario.name);
            assert!(seen.insert(scenario.name.clone()), "there are two {}", scenario.name);
        }
    }

    #[test]
    fn those_that_reports_speak_of_exist() {
        let names: HashSet<String> = scenarios(4).into_iter().map(|scenario| scenario.name).collect();
        for name in bench_report::known_names() {
            assert!(names.contains(name), "there is no {name}");
        }
    }
}
