//! `cargo xtask wheel`: the Python package, with the plugins and the command in it.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};

use crate::args::Wheel;
use crate::layout::Layout;
use crate::plugins;
use crate::setup::Environment;
use crate::shell;

/// Builds into `target/wheels`, and prints the names.
pub(crate) fn run(layout: &Layout, options: &Wheel) -> Result<()> {
    let built = match &options.glibc {
        None => {
            plugins::build(layout)?;
            layout.plugins()
        }
        Some(version) => build_for(layout, version)?,
    };
    let wheels = layout.target.join("wheels");
    let kinds = if options.sdist { &["wheel", "sdist"][..] } else { &["wheel"] };
    for kind in kinds {
        let mut backend = shell::command("python3");
        backend.arg(layout.python_sources().join("backend/h5bypass_build.py")).arg(kind).arg(&wheels);
        // After `command`, which takes such variables away.
        backend.env("H5BYPASS_BUILT", &built).env("PYTHONDONTWRITEBYTECODE", "1");
        let name = shell::capture(&format!("packing the {kind}"), &mut backend)?;
        let size = std::fs::metadata(name.trim()).context("there is no such file")?.len();
        println!("{} ({:.1} MB)", name.trim(), Megabytes::of(size).0);
    }
    Ok(())
}

struct Megabytes(f64);

impl Megabytes {
    fn of(bytes: u64) -> Self {
        // Tenths of a megabyte are few.
        Self(f64::from(u32::try_from(bytes / 100_000).unwrap_or(u32::MAX)) / 10.0)
    }
}

/// Builds with Zig's linker, which has the symbols of each version of glibc: where the products are.
fn build_for(layout: &Layout, glibc: &str) -> Result<PathBuf> {
    let is_version = glibc.strip_prefix("2.").is_some_and(|minor| minor.parse::<u8>().is_ok());
    ensure!(is_version, "--glibc {glibc}: not a version of glibc, such as 2.17");
    let tools = Environment {
        folder: layout.own().join("wheel-venv"),
        requirements: layout.python_sources().join("backend/requirements.txt"),
        what: "installing Zig and cargo-zigbuild from PyPI",
    };
    tools.make(layout)?;
    let bin = tools.folder.join("bin");
    let target = format!("{}-unknown-linux-gnu", env::consts::ARCH);
    let folder = layout.target.join("wheel-build");
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([bin.clone()].into_iter().chain(env::split_paths(&path)))?;
    let mut cargo = shell::command(bin.join("cargo-zigbuild"));
    cargo.current_dir(&layout.root).env("PATH", path).env("CARGO_TARGET_DIR", &folder);
    cargo.args(["zigbuild", "--release", "--locked", "--target"]).arg(format!("{target}.{glibc}"));
    for package in plugins::PACKAGES.into_iter().filter(|name| *name != plugins::BENCHMARK) {
        cargo.args(["--package", package]);
    }
    shell::run_step(layout, "wheel-build", &format!("building for glibc {glibc}"), &mut cargo)?;
    Ok(folder.join(target).join("release"))
}
