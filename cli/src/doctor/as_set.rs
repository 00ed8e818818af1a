//! The environment as it is set: does HDF5 find and load the connector that `HDF5_VOL_CONNECTOR` names? If it does not,
//! programs that use the h5py or netCDF4 wheels crash and do not say why.

use std::path::Path;

use anyhow::Result;
use bench_suite::controller::Unknown;

use super::Library;
use super::surroundings::{self, Problem, Variables};
use crate::connector::{BYPASS, STATS, Spec, ZARR};
use crate::environment::{NO_PLUGINS, PLUGIN_PATH, PLUGIN_PRELOAD, VOL_CONNECTOR};
use crate::libraries::plugin;
use crate::libraries::probing::Probing;
use crate::libraries::verdict::Kind;
use crate::plugin_dir::{BYPASS_FILE, STATS_FILE, ZARR_FILE};

/// Connectors that need no plugin.
const BUILT_IN: [&str; 2] = ["native", "pass_through"];

/// What this means for programs.
const CONSEQUENCE: &str = "Programs that use the h5py or netCDF4 wheels crash (exit code 139); others fail, or run without the \
                           connector";

/// Tests every library with the environment as it is, if the environment names a connector.
pub(super) fn check(
    probing: &Probing,
    libraries: &[Library],
    variables: &Variables,
) -> Result<Option<Problem>> {
    let Some(spec) = variables.get(VOL_CONNECTOR).and_then(|value| Spec::parse(value)) else {
        return Ok(None);
    };
    let mut first_failure = None;
    let mut tried = 0;
    for library in libraries.iter().filter(|library| library.verdict.kind != Kind::TooOld) {
        let Some(version) = library.version else { continue };
        tried += 1;
        let verdict = probing.as_set(Path::new(&library.path), version, spec.name)?;
        if verdict.kind != Kind::Ok {
            let reason = verdict.reason.unwrap_or_else(|| "it does not work".into());
            let detail = verdict.details.last().map(|detail| format!(" ({detail})")).unwrap_or_default();
            first_failure.get_or_insert_with(|| format!("{}: {reason}{detail}", library.path));
        }
    }
    let cause = cause(&spec, variables);
    let cause = match (first_failure, cause) {
        // If no library could be tested, the cause must do.
        (None, cause) if tried == 0 && !BUILT_IN.contains(&spec.name) => cause,
        (None, _) => None,
        (Some(failure), cause) => Some(cause.unwrap_or(failure)),
    };
    Ok(cause.map(|cause| Problem {
        problem: format!(
            "{VOL_CONNECTOR} names the connector '{}', which HDF5 cannot load: {cause}. {CONSEQUENCE}",
            spec.name
        ),
        advice: advice(&spec, probing.plugin_dir()),
    }))
}

/// A cause that can be seen without HDF5.
fn cause(spec: &Spec<'_>, variables: &Variables) -> Option<String> {
    if surroundings::plugins_disabled(variables) {
        return Some(format!("{PLUGIN_PRELOAD} is '{NO_PLUGINS}', which makes HDF5 load no plugins"));
    }
    let path = variables.get(PLUGIN_PATH).map(String::as_str).unwrap_or_default();
    let folders: Vec<_> = path.split(':').filter(|folder| !folder.is_empty()).collect();
    if !folders.is_empty() && folders.iter().all(|folder| !Path::new(folder).is_dir()) {
        return Some(format!("{PLUGIN_PATH}={path} does not exist"));
    }
    let file = match spec.name {
        BYPASS => BYPASS_FILE,
        STATS => STATS_FILE,
        ZARR => ZARR_FILE,
        name => {
            let meant = [BYPASS, STATS, ZARR].into_iter().find(|known| Unknown::is_slip(name, known));
            return meant.map(|meant| format!("no connector has that name (did you mean '{meant}'?)"));
        }
    };
    let Some(found) = folders.iter().map(|folder| Path::new(folder).join(file)).find(|file| file.is_file())
    else {
        return Some(match variables.get(PLUGIN_PATH) {
            None => format!("{PLUGIN_PATH} is not set, so HDF5 does not find {file}"),
            Some(path) => format!("there is no {file} in {PLUGIN_PATH}={path}"),
        });
    };
    plugin::check(&[found]).err().map(|error| format!("{error:#}").replace("\n  -> ", "; "))
}

fn advice(spec: &Spec<'_>, plugin_dir: Option<&Path>) -> String {
    let slip = [BYPASS, ZARR].into_iter().find(|known| !spec.is_ours() && Unknown::is_slip(spec.name, known));
    let name = slip.unwrap_or(spec.name);
    let run = if name == ZARR { "run --connector zarr" } else { "run" };
    match plugin_dir.filter(|_| [BYPASS, STATS, ZARR].contains(&name)) {
        Some(dir) => format!(
            "start programs with `h5bypass {run} -- COMMAND`, or set {PLUGIN_PATH}={} and {VOL_CONNECTOR}={name}, or `unset {VOL_CONNECTOR}`",
            dir.display()
        ),
        None => format!("correct {VOL_CONNECTOR} and {PLUGIN_PATH}, or `unset {VOL_CONNECTOR}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause_of(value: &str, path: Option<&str>) -> Option<String> {
        let mut variables = Variables::from([(VOL_CONNECTOR.to_owned(), value.to_owned())]);
        variables.extend(path.map(|path| (PLUGIN_PATH.to_owned(), path.to_owned())));
        cause(&Spec::parse(value).unwrap(), &variables)
    }

    #[test]
    fn what_is_plainly_wrong_is_said() {
        assert!(cause_of("bypass", Some("/gone")).unwrap().contains("HDF5_PLUGIN_PATH=/gone does not exist"));
        assert!(cause_of("bypass", Some("/gone:/tmp")).unwrap().contains("no libh5bypass_vol.so in"));
        assert!(cause_of("h5stats", None).unwrap().contains("HDF5_PLUGIN_PATH is not set"));
        assert!(cause_of("bypas", Some("/tmp")).unwrap().contains("did you mean 'bypass'"));
        assert!(cause_of("zarr all=1", Some("/tmp")).unwrap().contains("no libh5zarr_vol.so in"));
        assert!(cause_of("zar", Some("/tmp")).unwrap().contains("did you mean 'zarr'"));
        assert_eq!(cause_of("async", Some("/tmp")), None);
    }

    #[test]
    fn the_advice_is_for_the_connector_that_was_meant() {
        let for_name = |name| advice(&Spec::parse(name).unwrap(), Some(Path::new("/p")));
        assert!(for_name("bypas").contains("HDF5_PLUGIN_PATH=/p and HDF5_VOL_CONNECTOR=bypass"));
        assert!(for_name("h5stats").contains("HDF5_VOL_CONNECTOR=h5stats"));
        assert!(for_name("zar").contains("`h5bypass run --connector zarr -- COMMAND`"));
        assert!(for_name("zarr stub=1").contains("HDF5_VOL_CONNECTOR=zarr"));
        assert!(!for_name("async").contains("/p"));
    }
}
