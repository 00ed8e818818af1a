//! The C headers of HDF5, out of the crate hdf5-metno-src, which carries HDF5's whole source.
//!
//! The crate is only unpacked (`cargo vendor`), never built. Its versions cannot stand in one dependency graph
//! (`links`), so each gets a tiny project of its own.

use std::fs;

use anyhow::{Context, Result};

use super::stamp::Stamp;
use crate::layout::Layout;
use crate::shell;

/// An HDF5 version and the version of hdf5-metno-src that carries it.
#[derive(Debug)]
pub(crate) struct Version {
    pub(crate) hdf5: &'static str,
    package: &'static str,
}

/// The oldest and the newest HDF5 our types are checked against.
pub(crate) const VERSIONS: [Version; 2] =
    [Version { hdf5: "1.14.5", package: "0.9.4" }, Version { hdf5: "2.2.0", package: "0.10.4" }];

/// Unpacks the headers to `target/hdf5-src/<version>/src`.
pub(crate) fn fetch(layout: &Layout) -> Result<()> {
    VERSIONS.iter().try_for_each(|version| fetch_one(layout, version))
}

fn fetch_one(layout: &Layout, version: &Version) -> Result<()> {
    let headers = layout.headers(version.hdf5);
    let home = headers.parent().context("the headers have no folder")?;
    let manifest = manifest(version);
    let stamp = Stamp::new(home.join("stamp"), &manifest);
    if stamp.covers(&headers.join("H5VLconnector.h")) {
        return Ok(());
    }

    stamp.revoke()?;
    let project = layout.own().join("headers").join(version.hdf5);
    shell::empty_folder(&project)?;
    fs::write(project.join("Cargo.toml"), manifest).context("cannot write a manifest")?;
    fs::write(project.join("lib.rs"), "").context("cannot write an empty library")?;

    let mut vendor = shell::cargo();
    vendor.current_dir(&project).args(["vendor", "vendor"]);
    let what = format!("fetching the headers of HDF5 {}", version.hdf5);
    shell::run_step(layout, &format!("setup-headers-{}", version.hdf5), &what, &mut vendor)?;

    shell::empty_folder(home)?;
    let unpacked = project.join("vendor/hdf5-metno-src/ext/hdf5/src");
    fs::rename(&unpacked, &headers)
        .with_context(|| format!("cannot move {} to {}", unpacked.display(), headers.display()))?;
    fs::remove_dir_all(&project).with_context(|| format!("cannot remove {}", project.display()))?;
    stamp.grant()
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
