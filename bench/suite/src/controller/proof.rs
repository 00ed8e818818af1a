//! What the connector reports at the end of a worker about its reads and writes (`BYPASS_VOL_STATS=FILE.json`).

use bench_report::Proof;
use serde::Deserialize;

/// Codes of reads that the connector leaves to native HDF5 because it is at least as fast (docs/reasons.md).
const DECIDED: [&str; 3] = ["small-read", "first-small-read", "large-index"];

/// The part of the connector's statistics that is needed (docs/statistics.md).
#[derive(Debug, Deserialize)]
struct Statistics {
    reads: Calls,
    writes: Calls,
    reasons: Vec<Reason>,
}

/// The calls of one kind.
#[derive(Debug, Clone, Copy, Deserialize)]
struct Calls {
    bypassed: u64,
    passed_on: u64,
}

#[derive(Debug, Deserialize)]
struct Reason {
    code: String,
    direction: String,
    count: u64,
    sentence: String,
}

impl Calls {
    fn all(self) -> u64 {
        self.bypassed.saturating_add(self.passed_on)
    }
}

/// What the statistics of a worker prove. A scenario that writes reads back natively, so if anything was written, only the
/// writes count.
pub(super) fn judge(statistics: &str, may_pass_on: bool) -> Proof {
    let Ok(Statistics { reads, writes, reasons }) = serde_json::from_str(statistics) else {
        return Proof::PassedOn("the connector reported nothing: it was not loaded".into());
    };
    let (calls, direction) = if writes.all() > 0 { (writes, "write") } else { (reads, "read") };
    if calls.bypassed > 0 && calls.passed_on == 0 {
        return Proof::Bypassed;
    }
    let reasons: Vec<_> = reasons.iter().filter(|reason| reason.direction == direction).collect();
    let decided = |reason: &&Reason| DECIDED.contains(&reason.code.as_str());
    let is_decision = calls.passed_on > 0 && (may_pass_on || reasons.iter().all(decided));
    let (passed_on, all) = (calls.passed_on, calls.all());
    let text = match reasons.as_slice() {
        [] if all == 0 => "nothing was read or written through the connector".to_owned(),
        [] => format!("{passed_on} of {all} {direction}s, without a reason"),
        [reason] => format!("{passed_on} of {all} {direction}s: {}", reason.sentence),
        several => {
            let why: Vec<_> =
                several.iter().map(|reason| format!("{}: {}", reason.count, reason.sentence)).collect();
            format!("{passed_on} of {all} {direction}s ({})", why.join("; "))
        }
    };
    if is_decision { Proof::Decided(text) } else { Proof::PassedOn(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(reads: (u64, u64), writes: (u64, u64), reasons: &[&str]) -> String {
        let calls =
            |(bypassed, passed_on)| format!(r#"{{"bypassed":{bypassed},"bytes":8,"passed_on":{passed_on}}}"#);
        let (reads, writes, reasons) = (calls(reads), calls(writes), reasons.join(","));
        format!(r#"{{"version":1,"reads":{reads},"writes":{writes},"reasons":[{reasons}],"forked":null}}"#)
    }

    const SMALL: &str = r#"{"code":"small-read","direction":"read","count":2,"sentence":"a small read"}"#;
    const ODD: &str = r#"{"code":"filter-unknown","direction":"read","count":1,"sentence":"no codec"}"#;
    const WRITES: &str = r#"{"code":"compact","direction":"write","count":4,"sentence":"it is compact"}"#;

    #[test]
    fn all_bypassed_is_proof() {
        assert_eq!(judge(&said((3, 0), (0, 0), &[]), false), Proof::Bypassed);
        assert_eq!(judge(&said((0, 5), (7, 0), &[ODD]), false), Proof::Bypassed, "writes that are read back");
    }

    #[test]
    fn what_native_does_better_is_a_decision() {
        let decided = |reads, reasons: &[&str], may| {
            matches!(judge(&said(reads, (0, 0), reasons), may), Proof::Decided(_))
        };
        assert!(decided((1, 2), &[SMALL], false));
        assert!(decided((0, 2), &[SMALL], false));
        assert!(!decided((1, 3), &[SMALL, ODD], false));
        assert!(decided((1, 3), &[SMALL, ODD], true));
        assert!(!decided((0, 0), &[], true), "nothing was done at all");
    }

    #[test]
    fn what_was_passed_on_says_why() {
        let why = |text: &str| match judge(text, false) {
            Proof::PassedOn(why) => why,
            other => panic!("{other:?}"),
        };
        let both = why(&said((1, 3), (0, 0), &[SMALL, ODD, WRITES]));
        assert_eq!(both, "3 of 4 reads (2: a small read; 1: no codec)");
        assert_eq!(why(&said((9, 0), (1, 4), &[WRITES])), "4 of 5 writes: it is compact");
        assert_eq!(why(&said((0, 0), (0, 0), &[])), "nothing was read or written through the connector");
        assert!(why("{\"reads\": ").contains("not loaded"));
        assert!(why("").contains("not loaded"));
    }
}
