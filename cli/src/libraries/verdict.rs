//! What the probes of one library mean, and what to do about it.

use std::borrow::Cow;
use std::path::Path;

use serde::Serialize;

use super::loading::Obstacle;
use super::prober::Outcome;
use crate::environment::{DISABLE, NO_PLUGINS, PLUGIN_PATH, PLUGIN_PRELOAD};
use crate::probe::Version;
use crate::process::subprocess::{Ending, signal_name};

/// The first version with the VOL ABI that the connector implements (3).
const OLDEST: Version = Version(1, 14, 0);
/// The last major version that was tested.
const NEWEST_MAJOR: u32 = 2;
/// The number of lines of an error stack that are kept.
const MAX_DETAILS: usize = 24;

/// The kind of verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// A file was written and read through the connector.
    Ok,
    /// HDF5 before 1.14. It cannot work, but that is not an error.
    TooOld,
    /// Everything worked, but not through the connector.
    NotThroughConnector,
    /// Something went wrong.
    Failed,
}

/// The verdict, the reason, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Verdict {
    #[serde(rename = "verdict")]
    pub(crate) kind: Kind,
    pub(crate) reason: Option<String>,
    pub(crate) advice: Option<String>,
    /// libhdf5's error stack, or its output.
    pub(crate) details: Vec<String>,
}

impl Verdict {
    fn new(kind: Kind, reason: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { kind, reason: Some(reason.into()), advice: Some(advice.into()), details: Vec::new() }
    }

    fn ok() -> Self {
        Self { kind: Kind::Ok, reason: None, advice: None, details: Vec::new() }
    }

    fn with_details(self, outcome: &Outcome) -> Self {
        Self { details: details(outcome), ..self }
    }
}

/// What is expected of every library.
#[derive(Debug)]
pub(crate) struct Expectation<'a> {
    /// Name of the connector that files must go through.
    pub(crate) connector: &'a str,
    /// The `HDF5_PLUGIN_PATH` of the probe.
    pub(crate) plugin_path: Cow<'a, str>,
    /// Whether the environment forbids plugins.
    pub(crate) plugins_disabled: bool,
    /// Whether the file must have become a Zarr directory with a stub.
    pub(crate) makes_directory: bool,
}

/// Judges the first probe, without a connector. Gives the version of a library that is worth testing with it.
pub(crate) fn judge_identity(library: &Path, outcome: &Outcome) -> Result<Version, Verdict> {
    if let Some(reason) = trouble(outcome) {
        let obstacle = Obstacle::of(library, &reason);
        let is_library = outcome.report.as_ref().is_none_or(|report| report.loaded);
        let verdict = if is_library && !matches!(obstacle, Obstacle::Lacks(_)) {
            Verdict::new(Kind::Failed, reason, "this library also fails without h5bypass: reinstall it")
        } else {
            Verdict::new(Kind::Failed, obstacle.sentence(&reason), obstacle.advice_for_library())
        };
        return Err(verdict.with_details(outcome));
    }
    let version = outcome.report.as_ref().and_then(|report| report.version);
    match version {
        Some(version) if version < OLDEST => Err(Verdict::new(
            Kind::TooOld,
            format!("HDF5 {version} has no VOL ABI 3"),
            "use HDF5 1.14 or newer",
        )),
        Some(version) => Ok(version),
        None => Err(Verdict::new(Kind::Failed, "it does not report its version", "reinstall it")),
    }
}

/// The verdict on a library that cannot be tested, because the plugin itself cannot be used.
pub(crate) fn without_plugin() -> Verdict {
    Verdict::new(Kind::Failed, "not tested: the plugin cannot be used", "fix the plugin first (see above)")
}

/// Judges the second probe, through the connector.
pub(crate) fn judge_roundtrip(version: Version, outcome: &Outcome, expected: &Expectation<'_>) -> Verdict {
    if let Some(reason) = trouble(outcome) {
        let advice = advice(version, outcome, expected);
        return Verdict::new(Kind::Failed, reason, advice).with_details(outcome);
    }
    let report = outcome.report.clone().unwrap_or_default();
    let is_stub = report.is_stub;
    for (action, seen) in [("created", report.created_through), ("opened", report.opened_through)] {
        if seen.as_deref() != Some(expected.connector) {
            let seen = seen.unwrap_or_else(|| "an unknown connector".into());
            let reason =
                format!("the file was {action} through '{seen}', not through '{}'", expected.connector);
            return Verdict::new(Kind::NotThroughConnector, reason, advice(version, outcome, expected));
        }
    }
    if expected.makes_directory && !is_stub {
        let reason = "the file has not become a Zarr directory with a stub";
        return Verdict::new(Kind::NotThroughConnector, reason, advice(version, outcome, expected));
    }
    Verdict::ok()
}

/// What went wrong in a probe, if anything.
pub(crate) fn trouble(outcome: &Outcome) -> Option<String> {
    let during = outcome.last_step.as_deref().map(|step| format!(" during {step}")).unwrap_or_default();
    match (outcome.ending, &outcome.report) {
        (Ending::TimedOut(after), _) => Some(format!("no response within {} s{during}", after.as_secs())),
        (Ending::Signalled(signal), None) => Some(format!("crashed{during} with {}", signal_name(signal))),
        (Ending::Signalled(signal), Some(_)) => Some(format!("crashed at exit with {}", signal_name(signal))),
        (Ending::Exited(code), None) => Some(format!("ended with exit code {code}{during}")),
        (Ending::Exited(_), Some(report)) if report.failure.is_some() => report.failure.clone(),
        (Ending::Exited(0), Some(_)) => None,
        (Ending::Exited(code), Some(_)) => Some(format!("ended with exit code {code}")),
    }
}

/// What to do about a failure with the connector.
fn advice(version: Version, outcome: &Outcome, expected: &Expectation<'_>) -> String {
    if expected.plugins_disabled {
        return format!("unset {PLUGIN_PRELOAD}: its value '{NO_PLUGINS}' makes HDF5 load no plugins");
    }
    if version.0 > NEWEST_MAJOR {
        return format!("HDF5 {version} is newer than this h5bypass supports: upgrade h5bypass");
    }
    let text = details(outcome).join("\n");
    if text.contains("can't find plugin") {
        return format!(
            "HDF5 found no plugin it could use in {PLUGIN_PATH} ({}): reinstall h5bypass",
            expected.plugin_path
        );
    }
    let report = "report this with the output of `h5bypass doctor --json`";
    if expected.makes_directory { report.into() } else { format!("try {DISABLE}=1, and {report}") }
}

/// The error stack or, if there is none, the output. (libhdf5 prints errors that occur while it starts.)
fn details(outcome: &Outcome) -> Vec<String> {
    let stack = outcome.report.as_ref().map(|report| report.error_stack.clone()).unwrap_or_default();
    if !stack.is_empty() {
        return stack.into_iter().take(MAX_DETAILS).collect();
    }
    outcome
        .stderr
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("major:") && !line.starts_with("minor:"))
        .take(MAX_DETAILS)
        .map(String::from)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::probe::Report;

    const V114: Version = Version(1, 14, 6);
    const EXPECTED: Expectation<'_> = Expectation {
        connector: "bypass",
        plugin_path: Cow::Borrowed("/plugins"),
        plugins_disabled: false,
        makes_directory: false,
    };

    fn good() -> Report {
        Report {
            loaded: true,
            version: Some(V114),
            thread_safe: Some(true),
            created_through: Some("bypass".into()),
            opened_through: Some("bypass".into()),
            data_equal: true,
            ..Report::default()
        }
    }

    fn exited(report: Report) -> Outcome {
        Outcome {
            ending: Ending::Exited(0),
            report: Some(report),
            last_step: Some("exit".into()),
            stderr: String::new(),
            library_path: None,
        }
    }

    #[test]
    fn what_works_is_ok() {
        assert_eq!(judge_identity(Path::new("/x"), &exited(good())), Ok(V114));
        assert_eq!(judge_roundtrip(V114, &exited(good()), &EXPECTED), Verdict::ok());
    }

    #[test]
    fn old_versions_are_told_so() {
        for version in [Version(1, 8, 23), Version(1, 10, 11), Version(1, 12, 2), Version(1, 13, 3)] {
            let verdict =
                judge_identity(Path::new("/x"), &exited(Report { version: Some(version), ..good() }))
                    .unwrap_err();
            assert_eq!(verdict.kind, Kind::TooOld, "{version}");
            assert!(verdict.reason.unwrap().contains(&version.to_string()));
        }
    }

    #[test]
    fn native_is_not_good_enough() {
        for report in [
            Report { created_through: Some("native".into()), ..good() },
            Report { opened_through: Some("native".into()), ..good() },
            Report { opened_through: None, ..good() },
        ] {
            assert_eq!(judge_roundtrip(V114, &exited(report), &EXPECTED).kind, Kind::NotThroughConnector);
        }
    }

    #[test]
    fn a_directory_must_have_been_made() {
        let expected = || Expectation { makes_directory: true, ..EXPECTED };
        let verdict = judge_roundtrip(V114, &exited(good()), &expected());
        assert_eq!(verdict.kind, Kind::NotThroughConnector);
        let made = exited(Report { is_stub: true, ..good() });
        assert_eq!(judge_roundtrip(V114, &made, &expected()), Verdict::ok());
    }

    #[test]
    fn crashes_say_where() {
        let ending = Ending::Signalled(libc::SIGSEGV);
        let crash = Outcome { ending, report: None, last_step: Some("H5Dread".into()), ..exited(good()) };
        let verdict = judge_roundtrip(V114, &crash, &EXPECTED);
        assert_eq!(verdict.kind, Kind::Failed);
        let reason = verdict.reason.unwrap();
        assert!(reason.contains("H5Dread") && reason.contains("signal 11"), "{reason}");

        let at_exit = Outcome { report: Some(good()), ..crash };
        assert!(judge_roundtrip(V114, &at_exit, &EXPECTED).reason.unwrap().contains("at exit"));
    }

    #[test]
    fn hanging_is_a_failure_even_after_the_report() {
        let hang = Outcome { ending: Ending::TimedOut(Duration::from_secs(10)), ..exited(good()) };
        let verdict = judge_roundtrip(V114, &hang, &EXPECTED);
        assert_eq!(verdict.reason.as_deref(), Some("no response within 10 s during exit"));
    }

    #[test]
    fn advice_fits_the_failure() {
        let failed = Report { failure: Some("H5open failed".into()), ..Report::default() };
        let mut outcome = exited(failed);
        outcome.stderr =
            "  #001: H5PLint.c in H5PL_load(): can't find plugin. Check\n    major: Plugin\n".into();
        let verdict = judge_roundtrip(V114, &outcome, &EXPECTED);
        assert!(verdict.advice.unwrap().contains("/plugins"));
        assert_eq!(verdict.details.len(), 1);

        let disabled = Expectation { plugins_disabled: true, ..EXPECTED };
        assert!(judge_roundtrip(V114, &outcome, &disabled).advice.unwrap().contains(PLUGIN_PRELOAD));

        let future = judge_roundtrip(Version(3, 0, 0), &outcome, &EXPECTED);
        assert!(future.advice.unwrap().contains("newer than this h5bypass"));
    }
}
