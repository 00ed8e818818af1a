//! Checks that a plugin can be loaded before a program is started with it. Inside the program, HDF5 would find out too late:
//! some clients crash then.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use super::loading::Obstacle;
use super::prober::{Outcome, Prober};
use super::verdict;
use crate::args::Step;

/// The time limit. It is long, because a busy machine is no reason to refuse the plugin.
const TIMEOUT: Duration = Duration::from_secs(120);

/// A plugin that cannot be used.
#[derive(Debug)]
pub(super) struct Unusable {
    pub(super) problem: String,
    pub(super) advice: String,
}

/// Fails, with the reason, if the dynamic linker cannot load one of these plugins.
pub(crate) fn check(files: &[impl AsRef<Path>]) -> Result<()> {
    let prober = Prober::new(TIMEOUT).context("cannot determine the path of this program")?;
    for file in files {
        let file = file.as_ref();
        let outcome = prober.plain(file, Step::Load).context("cannot test the plugin")?;
        if let Some(Unusable { problem, advice }) = judge(file, &outcome) {
            bail!("{}: {problem}\n  -> {advice}", file.display());
        }
    }
    Ok(())
}

/// What the probe of a plugin means. `None` if the plugin can be used.
pub(super) fn judge(file: &Path, outcome: &Outcome) -> Option<Unusable> {
    let said = verdict::trouble(outcome)?;
    let obstacle = Obstacle::of(file, &said);
    let problem = match obstacle {
        Obstacle::Lacks(_) => format!("it is not an HDF5 plugin: {}", obstacle.sentence(&said)),
        _ => format!("it cannot be loaded: {}", obstacle.sentence(&said)),
    };
    Some(Unusable { problem, advice: obstacle.advice_for_plugin() })
}
