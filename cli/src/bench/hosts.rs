//! Chooses the libhdf5 copies to measure with: those that the user names, or h5py's and one that is thread-safe.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use bench_suite::controller::Host;

use crate::libraries::survey::{Candidate, Survey};

/// The package whose library is preferred.
const FIRST: &str = "h5py";
/// Names of packages in their usual spelling. The folders may be spelled differently.
const PACKAGES: [&str; 3] = ["h5py", "netCDF4", "tables"];

/// A library as the user names it.
#[derive(Debug, PartialEq, Eq)]
enum Named {
    /// The library of a Python package.
    Package(String),
    File {
        /// The name to show for it.
        name: Option<String>,
        path: PathBuf,
    },
}

/// The libraries in order of preference: all that the user names, or the default one and, if that is not thread-safe, the
/// first one that is.
pub(super) fn choose(survey: &Survey, named: &[OsString]) -> Result<Vec<Host>> {
    let mut hosts = if named.is_empty() { by_default(survey)? } else { by_name(survey, named)? };
    make_unique(&mut hosts);
    Ok(hosts)
}

fn by_name(survey: &Survey, named: &[OsString]) -> Result<Vec<Host>> {
    named
        .iter()
        .map(|argument| {
            let (name, path) = match take_apart(argument)? {
                Named::File { name, path } => (name, path),
                Named::Package(name) => (None, find_package(survey, &name)?),
            };
            let path = path.canonicalize().with_context(|| format!("--host {}", argument.display()))?;
            if path.is_dir() {
                bail!("--host {} is a directory: name the library in it", argument.display());
            }
            let candidate = survey.identify(&path).context("--host")?;
            survey.prove(&candidate).context("--host")?;
            Ok(host_of(candidate, name))
        })
        .collect()
}

fn by_default(survey: &Survey) -> Result<Vec<Host>> {
    let mut found: Vec<_> = survey.found().iter().collect();
    // The sort is stable: equal ranks keep their order.
    found.sort_by_key(|path| name_of(path) != FIRST);
    let (mut hosts, mut failures): (Vec<Host>, Vec<String>) = (Vec::new(), Vec::new());
    for path in found {
        if hosts.iter().any(|host| host.is_thread_safe) {
            break;
        }
        let tried = survey.identify(path).and_then(|candidate| {
            if hosts.is_empty() || candidate.is_thread_safe {
                survey.prove(&candidate)?;
                return Ok(Some(candidate));
            }
            Ok(None)
        });
        match tried {
            Ok(candidate) => hosts.extend(candidate.map(|candidate| host_of(candidate, None))),
            Err(error) => failures.push(format!("{error:#}")),
        }
    }
    if hosts.is_empty() && failures.is_empty() {
        bail!(
            "no libhdf5 was found\n  name one with --host PATH; `h5bypass doctor` lists the directories it searched"
        );
    }
    if hosts.is_empty() {
        bail!(
            "no libhdf5 works with the connector\n  {}\n  run `h5bypass doctor` for details",
            failures.join("\n  ")
        );
    }
    Ok(hosts)
}

fn host_of(candidate: Candidate, name: Option<String>) -> Host {
    Host {
        name: name.unwrap_or_else(|| name_of(&candidate.path)),
        version: candidate.version.to_string(),
        is_thread_safe: candidate.is_thread_safe,
        variables: candidate.variables,
        path: candidate.path,
    }
}

/// Parses an argument: the path of an existing file, else NAME=PATH, else the name of a package.
fn take_apart(argument: &OsStr) -> Result<Named> {
    let path = Path::new(argument);
    if path.is_file() || path.is_absolute() {
        return Ok(Named::File { name: None, path: path.to_owned() });
    }
    let Some(text) = argument.to_str().filter(|text| !text.is_empty()) else {
        bail!("--host '{}' is neither a file nor the name of a package", argument.display());
    };
    let is_name = |name: &str| {
        !name.is_empty() && name.chars().all(|each| each.is_alphanumeric() || "_.-".contains(each))
    };
    match text.split_once('=') {
        Some((name, path)) if is_name(name) && !path.is_empty() => {
            Ok(Named::File { name: Some(name.to_owned()), path: path.into() })
        }
        Some(_) => {
            bail!("--host {text}: expected a path, NAME=PATH, or the name of a Python package")
        }
        None if text.contains('/') => Ok(Named::File { name: None, path: path.to_owned() }),
        None => Ok(Named::Package(text.to_owned())),
    }
}

fn find_package(survey: &Survey, name: &str) -> Result<PathBuf> {
    let mut found = survey.found().iter();
    if let Some(path) = found.find(|path| name_of(path).eq_ignore_ascii_case(name)) {
        return Ok(path.clone());
    }
    let known: Vec<_> =
        survey.found().iter().map(|path| format!("\n  {:12} {}", name_of(path), path.display())).collect();
    let known = if known.is_empty() { ": none".to_owned() } else { format!(":{}", known.concat()) };
    bail!("--host {name}: not a file, and no Python package of this name contains a libhdf5; found{known}")
}

/// The name of a library: that of the Python package it came with, or of its file.
fn name_of(path: &Path) -> String {
    let folders: Vec<_> = path
        .parent()
        .into_iter()
        .flat_map(Path::components)
        .filter_map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    let package = folders.last().and_then(|last| {
        let is_own =
            [".libs", "lib"].contains(last) && folders.iter().any(|name| name.ends_with("-packages"));
        match last.strip_suffix(".libs") {
            Some(package) if !package.is_empty() => Some(package),
            _ if is_own => folders.len().checked_sub(2).map(|place| folders[place]),
            _ => PACKAGES.into_iter().find(|package| package == last),
        }
    });
    if let Some(package) = package {
        let known = PACKAGES.into_iter().find(|known| known.eq_ignore_ascii_case(package));
        return known.unwrap_or(package).to_owned();
    }
    let file = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
    file.split(".so").next().filter(|name| !name.is_empty()).unwrap_or("libhdf5").to_owned()
}

/// Makes the names unique, because rows refer to libraries by name.
fn make_unique(hosts: &mut [Host]) {
    for number in 1..hosts.len() {
        let (before, rest) = hosts.split_at_mut(number);
        let plain = rest[0].name.clone();
        let mut count = 2;
        while before.iter().any(|host| host.name == rest[0].name) {
            rest[0].name = format!("{plain}-{count}");
            count += 1;
        }
    }
}

/// The directory in which the Python package hdf5plugin keeps filters for native HDF5, if it is installed.
pub(super) fn filters(survey: &Survey) -> Option<PathBuf> {
    survey.packages().iter().map(|folder| folder.join("hdf5plugin/plugins")).find(|folder| folder.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_have_the_names_of_their_packages() {
        for (path, name) in [
            ("/v/lib/python3.11/site-packages/h5py.libs/libhdf5-9e18f0c6.so.320.0.0", "h5py"),
            ("/v/lib/python3.11/site-packages/netcdf4.libs/libhdf5-3.so.320", "netCDF4"),
            ("/v/lib/python3.11/site-packages/tables/libhdf5.so", "tables"),
            ("/v/lib/python3.11/site-packages/other/.libs/libhdf5.so", "other"),
            ("/usr/lib/x86_64-linux-gnu/libhdf5_serial.so.103.3.0", "libhdf5_serial"),
            ("/opt/hdf5/lib/libhdf5.so", "libhdf5"),
            ("libhdf5.so", "libhdf5"),
        ] {
            assert_eq!(name_of(Path::new(path)), name, "{path}");
        }
    }

    #[test]
    fn an_argument_is_a_file_a_name_or_both() {
        let apart = |argument: &str| take_apart(OsStr::new(argument)).map_err(|error| error.to_string());
        let file =
            |name: Option<&str>, path: &str| Named::File { name: name.map(String::from), path: path.into() };
        assert_eq!(apart("h5py").unwrap(), Named::Package("h5py".into()));
        assert_eq!(apart("/a=b/libhdf5.so").unwrap(), file(None, "/a=b/libhdf5.so"));
        assert_eq!(apart("lib/libhdf5.so").unwrap(), file(None, "lib/libhdf5.so"));
        assert_eq!(apart("mine=lib/x.so").unwrap(), file(Some("mine"), "lib/x.so"));
        for wrong in ["", "=x", "mine=", "a b=c"] {
            assert!(apart(wrong).unwrap_err().contains("--host"), "{wrong}");
        }
    }

    #[test]
    fn equal_names_get_numbers() {
        let host = |name: &str| Host {
            name: name.into(),
            path: PathBuf::new(),
            version: String::new(),
            is_thread_safe: false,
            variables: Vec::new(),
        };
        let mut hosts = ["a", "a", "b", "a"].map(host);
        make_unique(&mut hosts);
        assert_eq!(hosts.map(|host| host.name), ["a", "a-2", "b", "a-3"]);
    }
}
