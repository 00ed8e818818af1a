//! What the connector says at the end of a worker about the reads and writes in it (`BYPASS_VOL_STATS=1`).

use bench_report::Proof;

/// How the connector's own lines begin.
const MARK: &str = "h5bypass: ";
/// Reads that native HDF5 does as fast or faster, which the connector leaves to it.
const DECIDED: [&str; 3] = ["a small read,", "the first read of a dataset,", "few chunks of a large dataset"];

/// The calls of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Calls {
    bypassed: u64,
    passed_on: u64,
}

impl Calls {
    fn all(self) -> u64 {
        self.bypassed.saturating_add(self.passed_on)
    }
}

/// What a worker's standard error proves. Who writes reads back natively, so where anything was written, the writes
/// are what counts.
pub fn judge(stderr: &str, may_pass_on: bool) -> Proof {
    let Some((reads, writes)) = stderr.lines().find_map(summary) else {
        return Proof::PassedOn("the connector said nothing: it was not loaded".into());
    };
    let (calls, kind) = if writes.all() > 0 { (writes, "writes") } else { (reads, "reads") };
    if calls.bypassed > 0 && calls.passed_on == 0 {
        return Proof::Bypassed;
    }
    let reasons: Vec<_> = stderr.lines().filter_map(|line| reason(line, kind)).collect();
    let decided = |(_, reason): &(u64, &str)| DECIDED.iter().any(|known| reason.starts_with(known));
    let is_decision = calls.passed_on > 0 && (may_pass_on || reasons.iter().all(decided));
    let (passed_on, all) = (calls.passed_on, calls.all());
    let text = match reasons.as_slice() {
        [] if all == 0 => "nothing was read or written through the connector".to_owned(),
        [] => format!("{passed_on} of {all} {kind}, without a reason"),
        [(_, reason)] => format!("{passed_on} of {all} {kind}: {reason}"),
        several => {
            let why: Vec<_> = several.iter().map(|(count, reason)| format!("{count}: {reason}")).collect();
            format!("{passed_on} of {all} {kind} ({})", why.join("; "))
        }
    };
    if is_decision { Proof::Decided(text) } else { Proof::PassedOn(text) }
}

/// Reads and writes in the line that has them:
/// `h5bypass: reads bypassed 3 (24 bytes), passed on 0; writes bypassed 0 (0 bytes), passed on 0`.
fn summary(line: &str) -> Option<(Calls, Calls)> {
    let rest = line.trim_end().strip_prefix(MARK)?.strip_prefix("reads bypassed ")?;
    let (reads, writes) = rest.split_once("; writes bypassed ")?;
    Some((calls(reads)?, calls(writes)?))
}

/// `3 (24 bytes), passed on 0`
fn calls(text: &str) -> Option<Calls> {
    let (bypassed, passed_on) = text.split_once("), passed on ")?;
    let (bypassed, bytes) = bypassed.split_once(" (")?;
    let _: u64 = bytes.strip_suffix(" bytes")?.parse().ok()?;
    Some(Calls { bypassed: bypassed.parse().ok()?, passed_on: passed_on.parse().ok()? })
}

/// How many calls were passed on for which reason: `h5bypass:          5 reads passed on: a small read, ...`.
fn reason<'line>(line: &'line str, kind: &str) -> Option<(u64, &'line str)> {
    let (count, rest) = line.strip_prefix(MARK)?.trim_start().split_once(' ')?;
    // One read is a read, and not 1 reads.
    let rest = rest.strip_prefix(kind).or_else(|| rest.strip_prefix(kind.trim_end_matches('s')))?;
    let reason = rest.strip_prefix(" passed on: ")?;
    Some((count.parse().ok()?, reason.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(reads: (u64, u64), writes: (u64, u64), reasons: &str) -> String {
        format!(
            "noise\nh5bypass: 2 files opened through the connector\nh5bypass: reads bypassed {} (8 bytes), passed on \
             {}; writes bypassed {} (9 bytes), passed on {}\n{reasons}",
            reads.0, reads.1, writes.0, writes.1
        )
    }

    const SMALL: &str = "h5bypass:          2 reads passed on: a small read, which native HDF5 serves\n";
    const ODD: &str = "h5bypass:          1 read passed on: a filter that is not known\n";
    const WRITES: &str = "h5bypass:          4 writes passed on: the dataset is compact\n";

    #[test]
    fn all_bypassed_is_proof() {
        assert_eq!(judge(&said((3, 0), (0, 0), ""), false), Proof::Bypassed);
        assert_eq!(judge(&said((0, 5), (7, 0), ODD), false), Proof::Bypassed, "writes that are read back");
    }

    #[test]
    fn what_native_does_better_is_a_decision() {
        let decided = |reads, reasons: &str, may| {
            matches!(judge(&said(reads, (0, 0), reasons), may), Proof::Decided(_))
        };
        assert!(decided((1, 2), SMALL, false));
        assert!(decided((0, 2), SMALL, false));
        assert!(!decided((1, 3), &format!("{SMALL}{ODD}"), false));
        assert!(decided((1, 3), &format!("{SMALL}{ODD}"), true));
        assert!(!decided((0, 0), "", true), "nothing was done at all");
    }

    #[test]
    fn what_was_passed_on_says_why() {
        let why = |text: &str| match judge(text, false) {
            Proof::PassedOn(why) => why,
            other => panic!("{other:?}"),
        };
        let both = why(&said((1, 3), (0, 0), &format!("{SMALL}{ODD}{WRITES}")));
        assert_eq!(
            both,
            "3 of 4 reads (2: a small read, which native HDF5 serves; 1: a filter that is not known)"
        );
        assert_eq!(why(&said((9, 0), (1, 4), WRITES)), "4 of 5 writes: the dataset is compact");
        assert_eq!(why(&said((0, 0), (0, 0), "")), "nothing was read or written through the connector");
        assert!(why("h5bypass: reads bypassed many\n").contains("not loaded"));
        assert!(why("").contains("not loaded"));
    }
}
