//! HDF5's source, out of the crate hdf5-metno-src, and its C headers.
//!
//! The crate is only unpacked (`cargo vendor`), never built. Two versions cannot be in one dependency graph (`links`), so each
//! gets its own tiny project.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::stamp::Stamp;
use crate::layout::Layout;
use crate::shell;

/// An HDF5 version and the version of hdf5-metno-src that contains it.
#[derive(Debug)]
pub(crate) struct Version {
    pub(crate) hdf5: &'static str,
    package: &'static str,
}

/// The newest HDF5.
pub(crate) const NEWEST: Version = Version { hdf5: "2.2.0", package: "0.10.4" };

/// The newest HDF5 1.14, which the parallel tests are run with as well.
pub(super) const PARALLEL_1_14: Version = Version { hdf5: "1.14.6", package: "0.9.5" };

/// The oldest and the newest HDF5 our types are checked against.
pub(crate) const VERSIONS: [Version; 2] = [Version { hdf5: "1.14.5", package: "0.9.4" }, NEWEST];

/// Unpacks the headers to `target/hdf5-src/<version>/src`.
pub(crate) fn fetch(layout: &Layout) -> Result<()> {
    VERSIONS.iter().try_for_each(|version| fetch_one(layout, version))
}

fn fetch_one(layout: &Layout, version: &Version) -> Result<()> {
    let headers = layout.headers(version.hdf5);
    let home = headers.parent().context("the headers have no folder")?;
    let stamp = Stamp::new(home.join("stamp"), manifest(version));
    if stamp.covers(&headers.join("H5VLconnector.h")) {
        return Ok(());
    }

    stamp.revoke()?;
    shell::empty_folder(home)?;
    unpack(layout, version, Path::new("src"), &headers)?;
    stamp.grant()
}

/// Unpacks a part of HDF5's source, given by its path there, to a path that does not exist yet.
pub(super) fn unpack(layout: &Layout, version: &Version, part: &Path, to: &Path) -> Result<()> {
    let project = layout.own().join("headers").join(version.hdf5);
    shell::empty_folder(&project)?;
    fs::write(project.join("Cargo.toml"), manifest(version)).context("cannot write a manifest")?;
    fs::write(project.join("lib.rs"), "").context("cannot write an empty library")?;

    let mut vendor = shell::cargo();
    vendor.current_dir(&project).args(["vendor", "vendor"]);
    let what = format!("fetching the source of HDF5 {}", version.hdf5);
    shell::run_step(layout, &format!("setup-source-{}", version.hdf5), &what, &mut vendor)?;

    let unpacked = project.join("vendor/hdf5-metno-src/ext/hdf5").join(part);
    fs::rename(&unpacked, to)
        .with_context(|| format!("cannot move {} to {}", unpacked.display(), to.display()))?;
    fs::remove_dir_all(&project).with_context(|| format!("cannot remove {}", project.display()))
}

fn manifest(version: &Version) -> String {
    format!(
        r#"[package]
name = "hdf5-headers"
version = "0.0.0"
edition = "2021"
publish = false

[lib]
path = "lib.rs"

[dependencies]
hdf5-metno-src = "={}"

[workspace]
"#,
        version.package
    )
}
