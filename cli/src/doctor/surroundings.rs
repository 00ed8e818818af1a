//! The environment variables that matter, and what is unusual or wrong about them.

use std::collections::BTreeMap;
use std::path::Path;

use bench_suite::controller::Unknown;
use serde::Serialize;
use settings::Fault;

use crate::connector::{BYPASS, Spec};
use crate::environment::{DISABLE, NO_PLUGINS, PLUGIN_PATH, PLUGIN_PRELOAD, VOL_CONNECTOR};
use crate::variables::{self, Stray};

/// The prefixes of these variables.
const PREFIXES: [&str; 4] = ["HDF5_", "BYPASS_", "H5STATS_", "H5BYPASS_"];

/// Something that must be changed.
#[derive(Debug, Serialize)]
pub(super) struct Problem {
    pub(super) problem: String,
    pub(super) advice: String,
}

/// Names and values.
pub(super) type Variables = BTreeMap<String, String>;

/// The variables of this process.
pub(super) fn variables() -> Variables {
    std::env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
        .filter(|(name, _)| PREFIXES.into_iter().any(|prefix| name.starts_with(prefix)))
        .collect()
}

/// Whether libhdf5 will load no plugin at all.
pub(super) fn plugins_disabled(variables: &Variables) -> bool {
    variables.get(PLUGIN_PRELOAD).is_some_and(|value| value == NO_PLUGINS)
}

/// What the user should know about the variables.
pub(super) fn notes(variables: &Variables) -> Vec<String> {
    let mut notes = Vec::new();
    if plugins_disabled(variables) {
        notes.push(format!("{PLUGIN_PRELOAD} is '{NO_PLUGINS}', which makes HDF5 load no plugins: unset it"));
    }
    let path = variables.get(PLUGIN_PATH);
    if let Some(path) = path.filter(|path| path.split(':').all(str::is_empty)) {
        notes.push(format!(
            "{PLUGIN_PATH} is '{path}', which names no directory: HDF5 finds no plugins at all"
        ));
    }
    if let Some(spec) = variables
        .get(VOL_CONNECTOR)
        .and_then(|value| Spec::parse(value))
        .filter(|spec| !spec.is_ours() && !Unknown::is_slip(spec.name, BYPASS))
    {
        notes.push(format!(
            "{VOL_CONNECTOR} names another connector, '{}': `h5bypass run` refuses to override it without --replace",
            spec.name
        ));
    }
    let folders = path.map(String::as_str).unwrap_or_default().split(':').filter(|folder| !folder.is_empty());
    let (there, missing): (Vec<_>, Vec<_>) = folders.partition(|folder| Path::new(folder).is_dir());
    if !there.is_empty() {
        notes.extend(
            missing.iter().map(|folder| format!("{PLUGIN_PATH} lists {folder}, which is not a directory")),
        );
    }
    for Stray { name, meant } in variables::strays(variables.keys().map(String::as_str)) {
        let hint = meant.map(|meant| format!("; did you mean {meant}?")).unwrap_or_default();
        notes
            .push(format!("{name} is not a variable that HDF5 or h5bypass reads, so it has no effect{hint}"));
    }
    if variables.get(DISABLE).is_some_and(|value| settings::switch(value.trim()) == Some(true)) {
        notes.push(format!("{DISABLE} is set: {BYPASS} passes every call on to HDF5"));
    }
    notes
}

/// What is wrong with the variables, regardless of the libraries.
pub(super) fn problems(variables: &Variables, faults: &[Fault]) -> Vec<Problem> {
    let invalid = faults.iter().map(|fault| Problem {
        problem: format!("{fault}; opening any file through the connector fails"),
        advice: variables::advice(fault),
    });
    let mut problems: Vec<_> = invalid.collect();
    let path = variables.get(PLUGIN_PATH).map(String::as_str).unwrap_or_default();
    let mut folders = path.split(':').filter(|folder| !folder.is_empty()).peekable();
    // If the environment names a connector, `as_set` reports that it cannot be found.
    let names_connector = variables.get(VOL_CONNECTOR).is_some_and(|value| Spec::parse(value).is_some());
    if !names_connector && folders.peek().is_some() && folders.all(|folder| !Path::new(folder).is_dir()) {
        problems.push(Problem {
            problem: format!("{PLUGIN_PATH}={path} does not exist: HDF5 finds no plugins, including filters"),
            advice: format!("correct it, or `unset {PLUGIN_PATH}`"),
        });
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes_for(variables: &[(&str, &str)]) -> Vec<String> {
        let variables = variables.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        notes(&variables)
    }

    #[test]
    fn a_good_environment_needs_no_note() {
        assert!(notes_for(&[]).is_empty());
        for off in ["0", "", "off", "false"] {
            assert!(
                notes_for(&[(VOL_CONNECTOR, "bypass"), (PLUGIN_PATH, "/tmp:/"), (DISABLE, off)]).is_empty()
            );
        }
    }

    #[test]
    fn odd_values_are_noted() {
        for (name, value, part) in [
            (PLUGIN_PRELOAD, "::", "no plugins"),
            (PLUGIN_PATH, "::", "names no directory"),
            (VOL_CONNECTOR, "async x", "'async'"),
            (PLUGIN_PATH, "/tmp:/no/such/dir", "/no/such/dir, which is not a directory"),
            ("BYPASS_VOL_THREADS", "4", "did you mean BYPASS_VOL_NTHREADS?"),
            ("BYPASS_VOL_XYZZY", "4", "no effect"),
            (DISABLE, "1", "passes every call on"),
        ] {
            let notes = notes_for(&[(name, value)]);
            assert!(notes.len() == 1 && notes[0].contains(part), "{name}={value}: {notes:?}");
        }
    }

    #[test]
    fn a_path_that_is_gone_is_a_problem() {
        let problems_for = |path: &str| problems(&Variables::from([(PLUGIN_PATH.into(), path.into())]), &[]);
        let gone = problems_for("/no/such/dir:/nor/this");
        assert!(
            gone.len() == 1 && gone[0].problem.contains("/no/such/dir:/nor/this does not exist"),
            "{gone:?}"
        );
        assert!(problems_for("/no/such/dir:/tmp").is_empty());
        assert!(problems_for("").is_empty());
    }

    #[test]
    fn an_invalid_value_is_a_problem() {
        let fault = settings::NTHREADS.fault("abc");
        let found = problems(&Variables::new(), &[fault]);
        assert!(found[0].problem.contains("BYPASS_VOL_NTHREADS='abc': expected a whole number"), "{found:?}");
        assert!(found[0].advice.contains("unset BYPASS_VOL_NTHREADS"), "{found:?}");
    }
}
