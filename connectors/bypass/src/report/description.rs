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
    /// They are one piece of the file, which most programs only copy.
    pub(crate) is_plain: bool,
}

/// Which reads are left to native HDF5 for their size alone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Thresholds {
    /// Reads of fewer bytes; 0 if there are none.
    pub(crate) small: u64,
    /// The first read of a dataset, if it has fewer bytes.
    pub(crate) first: u64,
    /// The same if it is one piece of the file that is only copied.
    pub(crate) first_piece: u64,
}

/// The text about a dataset of ours, or about one that is not.
pub(crate) fn of_dataset(
    decision: Result<Described, Reason>,
    Thresholds { small, first, first_piece }: Thresholds,
) -> String {
    let described = match decision {
        Ok(described) => described,
        Err(reason) => {
            return match reason.remedy() {
                Some(remedy) => passed_on(&reason, &format!("{reason}\n{remedy}")),
                None => passed_on(&reason, &reason.to_string()),
            };
        }
    };
    let few = if described.is_plain {
        format!("{first} bytes, or {first_piece} that are one piece of the file and need only be copied")
    } else {
        format!("{first} bytes")
    };
    let least = if described.is_plain { first.max(first_piece) } else { first };
    match described {
        _ if small == 0 => "bypassed".to_owned(),
        Described { bytes: 0, .. } => passed_on(&Reason::Nothing, "the dataset has no elements"),
        Described { is_compact: true, .. } => passed_on(
            &Reason::Compact,
            "small: the data is in the object header, which native HDF5 reads when it opens the dataset; later reads are bypassed",
        ),
        Described { bytes, .. } if bytes < least => passed_on(
            &Reason::First,
            &format!(
                "small: the first read stays with native HDF5 if it has fewer than {few}; later reads are bypassed, \
                 except scattered ones of fewer than {small} bytes"
            ),
        ),
        Described { .. } => format!(
            "bypassed\nexcept the first read if it has fewer than {few}, and scattered reads of fewer than {small}: \
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

    const USUAL: Thresholds = Thresholds { small: 512, first: 8192, first_piece: 1 << 22 };

    fn lines(decision: Result<u64, Reason>, thresholds: Thresholds) -> Vec<String> {
        let decision = decision.map(|bytes| Described { bytes, is_compact: false, is_plain: false });
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
            let text = of_dataset(Ok(Described { bytes, is_compact: true, is_plain: false }), USUAL);
            assert!(text.starts_with("passed on: compact\nsmall: "), "{text}");
            assert_eq!(text.lines().count(), 2);
        }
    }

    #[test]
    fn one_piece_is_small_up_to_another_size() {
        for (bytes, verdict) in [
            (8192, "passed on: first-small-read"),
            ((1 << 22) - 1, "passed on: first-small-read"),
            (1 << 22, "bypassed"),
        ] {
            let text = of_dataset(Ok(Described { bytes, is_compact: false, is_plain: true }), USUAL);
            assert!(
                text.starts_with(verdict) && text.contains("8192 bytes, or 4194304 that are one piece"),
                "{text}"
            );
        }
    }

    #[test]
    fn without_thresholds_all_reads_are_bypassed() {
        let none = Thresholds { small: 0, first: 0, first_piece: 1 << 22 };
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
