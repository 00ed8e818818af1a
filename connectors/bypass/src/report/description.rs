//! The description of a dataset, for an application that asks: whether it is bypassed, which reads of it are not, and why.
//!
//! The first line is the verdict. For a bypassed dataset, a second line says which reads are not bypassed. For any other, the
//! verdict has the reason's code, a second line has the reason, and a third what would change it, if anything would.

use crate::report::reason::Reason;

/// What the text about a dataset of ours depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Described {
    /// Of all elements.
    pub(crate) bytes: u64,
    /// They are in the object header.
    pub(crate) is_compact: bool,
}

/// Which reads are left to native HDF5 for their size alone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Thresholds {
    /// Reads of fewer bytes; 0 if there are none.
    pub(crate) small: u64,
    /// The first read of a dataset, if it has fewer bytes.
    pub(crate) first: u64,
}

/// The text about a dataset of ours, or about one that is not.
pub(crate) fn of_dataset(
    decision: Result<Described, Reason>,
    Thresholds { small, first }: Thresholds,
) -> String {
    let is_compact = decision.as_ref().is_ok_and(|described| described.is_compact);
    match decision.map(|described| described.bytes) {
        Err(reason) => match reason.remedy() {
            Some(remedy) => passed_on(&reason, &format!("{reason}\n{remedy}")),
            None => passed_on(&reason, &reason.to_string()),
        },
        Ok(_) if small == 0 => "bypassed".to_owned(),
        Ok(0) => passed_on(&Reason::Nothing, "the dataset has no elements"),
        Ok(_) if is_compact => passed_on(
            &Reason::Compact,
            "small: the data is in the object header, which native HDF5 reads when it opens the dataset; later reads are bypassed",
        ),
        Ok(bytes) if bytes < first => passed_on(
            &Reason::First,
            &format!(
                "small: the first read stays with native HDF5 if it has fewer than {first} bytes; later reads are bypassed, \
                 except scattered ones of fewer than {small} bytes"
            ),
        ),
        Ok(_) => format!(
            "bypassed\nexcept the first read if it has fewer than {first} bytes, and scattered reads of fewer than {small}: \
             native HDF5 is faster with these"
        ),
    }
}

fn passed_on(reason: &Reason, text: &str) -> String {
    format!("passed on: {}\n{text}", reason.code())
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Thresholds = Thresholds { small: 512, first: 8192 };

    fn lines(decision: Result<u64, Reason>, thresholds: Thresholds) -> Vec<String> {
        let decision = decision.map(|bytes| Described { bytes, is_compact: false });
        of_dataset(decision, thresholds).lines().map(str::to_owned).collect()
    }

    #[test]
    fn small_datasets_are_not_called_bypassed() {
        for (bytes, verdict, part) in [
            (0, "passed on: nothing-selected", "no elements"),
            (80, "passed on: first-small-read", "fewer than 8192 bytes; later reads are bypassed"),
            (8191, "passed on: first-small-read", "fewer than 8192 bytes"),
            (8192, "bypassed", "except the first read if it has fewer than 8192 bytes"),
        ] {
            let lines = lines(Ok(bytes), USUAL);
            assert_eq!((lines.len(), lines[0].as_str()), (2, verdict), "{bytes}");
            assert!(lines[1].contains(part), "{bytes}: {lines:?}");
        }
    }

    #[test]
    fn compact_datasets_are_small_whatever_their_size() {
        for bytes in [8, 65000] {
            let text = of_dataset(Ok(Described { bytes, is_compact: true }), USUAL);
            assert!(text.starts_with("passed on: compact\nsmall: "), "{text}");
            assert_eq!(text.lines().count(), 2);
        }
    }

    #[test]
    fn without_thresholds_all_reads_are_bypassed() {
        let none = Thresholds { small: 0, first: 0 };
        assert_eq!(lines(Ok(80), none), ["bypassed"]);
    }

    #[test]
    fn reasons_come_with_what_would_change_them() {
        let [verdict, reason, remedy] = lines(Err(Reason::Virtual), USUAL).try_into().unwrap();
        assert_eq!((verdict.as_str(), reason), ("passed on: virtual", Reason::Virtual.to_string()));
        assert_eq!(Some(remedy.as_str()), Reason::Virtual.remedy());
        assert_eq!(lines(Err(Reason::UnknownType), USUAL).len(), 2);
    }
}
