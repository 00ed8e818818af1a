//! Reads of a user's dataset.
//!
//! Every pass opens the file again, so that nothing is decoded yet. The opening itself is not measured.

use std::path::PathBuf;

use anyhow::Result;

use crate::Spent;
use crate::registry::{Amount, Subject, Workload};

/// The maximum number of passes that are really made.
const MOST_PASSES: u32 = 256;

/// A subject of which only some of many passes are made. The others are assumed to take as long, because opening a file takes
/// much longer than a small read.
pub(super) struct Seldom<Of>(pub(super) Of);

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
