//! Reads of a user's dataset.
//!
//! Every pass opens the file anew, so that nobody has any of it decoded yet; the opening itself is not measured.

use std::path::PathBuf;
use std::rc::Rc;

use anyhow::Result;

use super::source::Source;
use crate::bench::{Bench, Placement};
use crate::hdf5::{Buffer, Slab};
use crate::plain::{Opening, Reads, Recipe, ThreadReads, ThreadRecipe};
use crate::registry::{Amount, Subject, Workload};
use crate::{Spent, Way};

/// Passes that are really made, at most.
const MOST_PASSES: u32 = 256;

/// A subject of which only some of many passes are made, and the others counted as these: opening a file takes much longer
/// than a small read of it.
pub(super) struct Seldom<Of>(Of);

impl Seldom<Reads> {
    /// Reads of these parts, each into the beginning of the same memory; of all at once, if there are none.
    pub(super) fn reads(bench: &Bench, source: &Source, way: Way, parts: &[Slab]) -> Result<Self> {
        let recipe = Recipe {
            path: source.path.clone(),
            dataset: source.dataset.clone(),
            datatype: source.memory.clone(),
            extent: source.extent.clone(),
            parts: parts.to_vec(),
            placement: Placement::Malloc,
            opening: Opening::EveryPass,
        };
        Ok(Self(Reads::new(bench, way, &recipe)?))
    }

    /// The memory that is read to.
    pub(super) fn buffer(&self) -> &Rc<Buffer> {
        self.0.buffer()
    }
}

impl Seldom<ThreadReads> {
    /// Reads by a thread for each share, each into memory of its own.
    pub(super) fn in_threads(
        bench: &Bench,
        way: Way,
        recipe: &ThreadRecipe,
        memory: &[Rc<Buffer>],
    ) -> Result<Self> {
        ThreadReads::new(bench, way, recipe, memory).map(Self)
    }
}

impl<Of: Workload> Workload for Seldom<Of> {
    fn amount(&self) -> Amount {
        self.0.amount()
    }
}

impl<Of: Subject> Subject for Seldom<Of> {
    fn run(&mut self, passes: u32) -> Result<Spent> {
        let made = passes.clamp(1, MOST_PASSES);
        let spent = self.0.run(made)?;
        let times = f64::from(passes) / f64::from(made);
        Ok(Spent { seconds: spent.seconds * times, cpu: spent.cpu * times })
    }

    fn show(&mut self, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.0.show(part)
    }

    fn files(&self) -> Vec<PathBuf> {
        self.0.files()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts its passes, each of which takes a second.
    struct Counted(u32);

    impl Subject for Counted {
        fn run(&mut self, passes: u32) -> Result<Spent> {
            self.0 += passes;
            Ok(Spent { seconds: f64::from(passes), cpu: 2.0 * f64::from(passes) })
        }

        fn show(&mut self, _: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn of_many_passes_some_are_made_and_all_are_counted() {
        for (passes, made) in [(1, 1), (256, 256), (100_000, 256)] {
            let mut seldom = Seldom(Counted(0));
            let spent = seldom.run(passes).unwrap();
            assert_eq!(seldom.0.0, made);
            assert!((spent.seconds - f64::from(passes)).abs() < 1e-6, "{spent:?}");
            assert!((spent.cpu - 2.0 * f64::from(passes)).abs() < 1e-6, "{spent:?}");
        }
    }
}
