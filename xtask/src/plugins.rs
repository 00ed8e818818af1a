//! Builds what is tested: the plugins and the command line tool.

use anyhow::Result;

use crate::layout::Layout;
use crate::shell;

/// The packages whose products are used from `target/release`.
pub(crate) const PACKAGES: [&str; 6] =
    ["h5bypass_vol", "h5stats_vol", "h5zarr_vol", "h5mirror_vol", BENCHMARK, "h5bypass"];

/// The one that only the benchmark uses.
pub(crate) const BENCHMARK: &str = "h5idle_vol";

/// `cargo build --release` of the plugins and the command line tool.
pub(crate) fn build(layout: &Layout) -> Result<()> {
    let mut cargo = shell::cargo();
    cargo.current_dir(&layout.root).env("CARGO_TARGET_DIR", &layout.target).args(["build", "--release"]);
    for package in PACKAGES {
        cargo.args(["--package", package]);
    }
    shell::run_step(layout, "build", "building the plugins and the command line tool", &mut cargo)
}
