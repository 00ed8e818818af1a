//! Environment variables that are wrong: they have an invalid value, or a name that nothing reads.

use std::ffi::OsString;

use anyhow::{Result, bail};
use bench_suite::controller::Unknown;
use settings::{Fault, VARIABLES};

use crate::environment::{PLUGIN_PATH, PLUGIN_PRELOAD, VOL_CONNECTOR};

/// Prefixes of the connectors' own variables.
const OWN: [&str; 2] = ["BYPASS_", "H5STATS_"];
/// The prefix of all variables of the bypass connector.
const BYPASS: &str = "BYPASS_VOL_";
/// Variables of HDF5 that load a connector. Its other variables do not concern us.
const OF_HDF5: [&str; 3] = [PLUGIN_PATH, PLUGIN_PRELOAD, VOL_CONNECTOR];

/// A variable that nothing reads, and the one that was probably meant.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stray {
    pub(crate) name: String,
    pub(crate) meant: Option<&'static str>,
}

/// The variables of this process that have invalid values.
pub(crate) fn faults() -> Vec<Fault> {
    faults_in(std::env::vars_os())
}

/// Fails if a variable of this process has an invalid value: opening any file through the connector would.
pub(crate) fn check() -> Result<()> {
    match faults().as_slice() {
        [] => Ok(()),
        faults => {
            let lines: Vec<_> =
                faults.iter().map(|fault| format!("{fault}\n  -> {}", advice(fault))).collect();
            bail!("{}", lines.join("\n"))
        }
    }
}

/// What to do about an invalid value.
pub(crate) fn advice(fault: &Fault) -> String {
    format!("set a valid value, or unset it (`unset {}`)", fault.variable)
}

/// Those of the variables that nothing reads.
pub(crate) fn strays<'name>(names: impl IntoIterator<Item = &'name str>) -> Vec<Stray> {
    names.into_iter().filter_map(stray).collect()
}

fn faults_in(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Vec<Fault> {
    let mut faults: Vec<_> = variables
        .into_iter()
        .filter_map(|(name, value)| settings::variable(name.to_str()?)?.check(&value).err())
        .collect();
    faults.sort_by_key(|fault| fault.variable);
    faults
}

fn stray(name: &str) -> Option<Stray> {
    if OF_HDF5.contains(&name) || settings::variable(name).is_some() {
        return None;
    }
    let stray = |meant| Some(Stray { name: name.to_owned(), meant });
    if OWN.into_iter().any(|prefix| name.starts_with(prefix)) {
        // The common prefix must not count: it is no evidence for any one of them.
        let short = |name: &'static str| name.strip_prefix(BYPASS).unwrap_or(name);
        let wanted = name.strip_prefix(BYPASS).or_else(|| name.strip_prefix("BYPASS_")).unwrap_or(name);
        let unknown = Unknown::new("variable", wanted, VARIABLES.map(|variable| short(variable.name)));
        let nearest = unknown.near().first();
        let meant =
            nearest.and_then(|near| VARIABLES.into_iter().find(|variable| short(variable.name) == near));
        return stray(meant.map(|variable| variable.name));
    }
    // A long name with one letter too many, too few or wrong is a typo. A larger difference may be a variable we do not know.
    OF_HDF5.into_iter().find(|known| Unknown::is_slip(name, known)).and_then(|known| stray(Some(known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_are_told_with_what_was_meant() {
        for (name, meant) in [
            ("BYPASS_VOL_THREADS", Some("BYPASS_VOL_NTHREADS")),
            ("BYPASS_VOL_NTREADS", Some("BYPASS_VOL_NTHREADS")),
            ("BYPASS_VOL_CASHE", Some("BYPASS_VOL_CACHE")),
            ("BYPASS_NTHREADS", Some("BYPASS_VOL_NTHREADS")),
            ("BYPASS_VOL_XYZZY", None),
            ("H5STATS_OUTPUT", Some("H5STATS_OUT")),
            ("HDF5_VOL_CONECTOR", Some("HDF5_VOL_CONNECTOR")),
            ("HDF5_PLUGINPATH", Some("HDF5_PLUGIN_PATH")),
        ] {
            assert_eq!(strays([name]), [Stray { name: name.into(), meant }], "{name}");
        }
        for known in
            ["BYPASS_VOL_NTHREADS", "H5STATS_OUT", "HDF5_PLUGIN_PATH", "HDF5_USE_FILE_LOCKING", "HDF5_DIR"]
        {
            assert_eq!(strays([known]), [], "{known}");
        }
    }

    #[test]
    fn invalid_values_are_found() {
        let pair = |name: &str, value: &str| (name.into(), value.into());
        let faults = faults_in([
            pair("BYPASS_VOL_NTHREADS", "abc"),
            pair("BYPASS_VOL_CACHE", "64M"),
            pair("BYPASS_VOL_STATS", ""),
            pair("PATH", "/bin"),
        ]);
        assert_eq!(faults.len(), 1);
        assert_eq!((faults[0].variable, faults[0].value.as_str()), ("BYPASS_VOL_NTHREADS", "abc"));
    }
}
