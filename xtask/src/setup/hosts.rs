//! The stock libhdf5 files: one in each client's wheel, and one that is too old for our connectors.
//!
//! They are listed by their real paths. Symbolic links would not work: the libraries find their dependencies through
//! `$ORIGIN`, which the loader derives from the name that was opened.

use std::env;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::stamp::Stamp;
use crate::layout::Layout;
use crate::shell;

/// The clients that contain a libhdf5, and the folder of their wheel that holds it.
const CLIENTS: [(&str, &str); 3] =
    [("h5py", "h5py.libs"), ("netCDF4", "netcdf4.libs"), ("tables", "tables.libs")];

/// A wheel with HDF5 1.12.2, whose VOL interface is older than ours. Unlike h5py's and netCDF4's wheels of that
/// time, this one's libhdf5 can be loaded by itself: it needs no other library of the wheel.
const OLD_WHEEL: &str = "tables==3.8.0";

/// Loads the libraries named and prints their versions, one by one.
const PRINT_VERSIONS: &str = "\
import ctypes, sys
for path in sys.argv[1:]:
    numbers = [ctypes.c_uint() for _ in range(3)]
    if ctypes.CDLL(path).H5get_libversion(*map(ctypes.byref, numbers)) < 0:
        raise SystemExit(path + ': H5get_libversion failed')
    print('.'.join(str(number.value) for number in numbers))
";

/// Writes `target/xtask/hosts.txt` and `target/xtask/old-host.txt`.
pub(crate) fn list(layout: &Layout) -> Result<()> {
    let mut hosts = Vec::new();
    for (client, folder) in CLIENTS {
        hosts.push((client, libhdf5_in(&site_packages(layout)?.join(folder))?));
    }
    let old = libhdf5_in(&fetch_old_wheel(layout)?.join("tables.libs"))?;

    let listed = |hosts: &[(&str, PathBuf)]| {
        hosts.iter().fold(String::new(), |mut text, (name, path)| {
            let _ = writeln!(text, "{name}\t{}", path.display());
            text
        })
    };
    let current = listed(&hosts);
    let out_of_date = listed(&[("old", old.clone())]);
    if is_already(&layout.hosts_file(), &current) && is_already(&layout.old_host_file(), &out_of_date) {
        return Ok(());
    }

    let mut probe = shell::command("python3");
    probe.args(["-c", PRINT_VERSIONS]).args(hosts.iter().map(|(_, path)| path)).arg(&old);
    let versions = shell::capture("loading the stock libhdf5 files", &mut probe)?;
    let versions: Vec<&str> = versions.lines().collect();
    let [h5py, netcdf4, tables, old_version] = versions[..] else {
        bail!("expected four HDF5 versions, got {versions:?}");
    };
    ensure!(old_version.starts_with("1.12."), "{OLD_WHEEL} holds HDF5 {old_version}, not 1.12");
    fs::write(layout.hosts_file(), current).context("cannot write the list of hosts")?;
    fs::write(layout.old_host_file(), out_of_date).context("cannot write the list of old hosts")?;
    println!("stock hosts: HDF5 {h5py} (h5py), {netcdf4} (netCDF4), {tables} (tables), {old_version} (old)");
    Ok(())
}

/// The stock libhdf5 files with the names of their clients.
pub(crate) fn stock_libraries(layout: &Layout) -> Result<Vec<(String, PathBuf)>> {
    let list = fs::read_to_string(layout.hosts_file()).context("cannot read the list of hosts")?;
    let lines = list.lines().filter_map(|line| line.split_once('\t'));
    Ok(lines.map(|(name, path)| (name.to_owned(), PathBuf::from(path))).collect())
}

/// The stock libhdf5 files joined by `:`.
pub(crate) fn libraries(layout: &Layout) -> Result<OsString> {
    let paths = stock_libraries(layout)?.into_iter().map(|(_, path)| path);
    env::join_paths(paths).context("the path of a libhdf5 has a colon in it")
}

fn is_already(file: &Path, content: &str) -> bool {
    fs::read_to_string(file).is_ok_and(|found| found == content)
}

/// Unpacks the old wheel. Only its libhdf5 is used, so it need not fit the Python at hand.
fn fetch_old_wheel(layout: &Layout) -> Result<PathBuf> {
    let unpacked = layout.own().join("old-host");
    let stamp = Stamp::new(layout.own().join("old-host.stamp"), OLD_WHEEL);
    if stamp.covers(&unpacked) {
        return Ok(unpacked);
    }
    stamp.revoke()?;
    shell::empty_folder(&unpacked)?;
    let mut download = shell::command(layout.python());
    download.args([
        "-m",
        "pip",
        "download",
        "--disable-pip-version-check",
        "--no-deps",
        "--only-binary",
        ":all:",
    ]);
    download.args(["--implementation", "cp", "--python-version", "3.11", "--abi", "cp311"]);
    download.arg("--platform").arg(format!("manylinux2014_{}", env::consts::ARCH));
    download.arg("--dest").arg(&unpacked).arg(OLD_WHEEL);
    shell::run_step(layout, "setup-old-host", "fetching an HDF5 that is too old for us", &mut download)?;

    let wheel = only_match(&unpacked, |name| Path::new(name).extension().is_some_and(|end| end == "whl"))?;
    let mut unzip = shell::command(layout.python());
    unzip.args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&unpacked);
    shell::capture("unpacking a wheel", &mut unzip)?;
    fs::remove_file(&wheel).with_context(|| format!("cannot remove {}", wheel.display()))?;
    stamp.grant()?;
    Ok(unpacked)
}

/// The venv's folder of installed packages.
pub(crate) fn site_packages(layout: &Layout) -> Result<PathBuf> {
    let lib = layout.venv().join("lib");
    Ok(only_match(&lib, |name| name.starts_with("python3"))?.join("site-packages"))
}

/// The one libhdf5 (not libhdf5_hl) of a wheel's folder of libraries.
fn libhdf5_in(folder: &Path) -> Result<PathBuf> {
    only_match(folder, |name| name.starts_with("libhdf5-"))
}

/// The only entry of `folder` whose name is `wanted`.
fn only_match(folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry.with_context(|| format!("cannot read {}", folder.display()))?.path();
        if path.file_name().and_then(|name| name.to_str()).is_some_and(&wanted) {
            found.push(path);
        }
    }
    match <[PathBuf; 1]>::try_from(found) {
        Ok([path]) => Ok(path),
        Err(found) => bail!("expected one file of its kind in {}, found {found:?}", folder.display()),
    }
}
