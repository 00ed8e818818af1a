//! The environment variables that matter, and what is odd about them.

use std::collections::BTreeMap;
use std::path::Path;

use crate::connector::{BYPASS, Spec};
use crate::environment::{DISABLE, NO_PLUGINS, PLUGIN_PATH, PLUGIN_PRELOAD, VOL_CONNECTOR};

/// What the names of these variables start with.
const PREFIXES: [&str; 4] = ["HDF5_", "BYPASS_VOL_", "H5STATS_", "H5BYPASS_"];

/// Names and values.
pub(super) type Variables = BTreeMap<String, String>;

/// Those of this process.
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

/// What a user should know about them.
pub(super) fn notes(variables: &Variables, plugin_dir: Option<&Path>) -> Vec<String> {
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
    match variables.get(VOL_CONNECTOR).and_then(|value| Spec::parse(value)) {
        Some(spec) if !spec.is_ours() => notes.push(format!(
            "{VOL_CONNECTOR} names another connector, '{}': `h5bypass run` refuses to override it without --replace",
            spec.name
        )),
        Some(spec) => {
            let listed = plugin_dir.is_some_and(|dir| {
                path.is_some_and(|path| path.split(':').any(|entry| Path::new(entry) == dir))
            });
            if !listed {
                notes.push(format!(
                    "{VOL_CONNECTOR} asks for '{}', but {PLUGIN_PATH} does not list the directory of the plugin: \
                     programs started from here without `h5bypass run` may not find it",
                    spec.name
                ));
            }
        }
        None => {}
    }
    // An empty value and 0 do not ask for it.
    if variables.get(DISABLE).is_some_and(|value| !value.is_empty() && value != "0") {
        notes.push(format!("{DISABLE} is set: {BYPASS} hands every call to HDF5 itself"));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes_for(variables: &[(&str, &str)]) -> Vec<String> {
        let variables = variables.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        notes(&variables, Some(Path::new("/p")))
    }

    #[test]
    fn a_good_environment_needs_no_note() {
        assert!(notes_for(&[]).is_empty());
        assert!(notes_for(&[(VOL_CONNECTOR, "bypass"), (PLUGIN_PATH, "/a:/p/"), (DISABLE, "0")]).is_empty());
    }

    #[test]
    fn odd_values_are_noted() {
        for (name, value, part) in [
            (PLUGIN_PRELOAD, "::", "no plugins"),
            (PLUGIN_PATH, "::", "names no directory"),
            (VOL_CONNECTOR, "async x", "'async'"),
            (VOL_CONNECTOR, "bypass", "does not list"),
            (DISABLE, "1", "hands every call"),
        ] {
            let notes = notes_for(&[(name, value)]);
            assert!(notes.len() == 1 && notes[0].contains(part), "{name}={value}: {notes:?}");
        }
    }
}
