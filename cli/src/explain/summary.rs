//! How much of a file is bypassed.

use serde::Serialize;

use super::dataset::Dataset;

/// Counts over all datasets listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(super) struct Summary {
    datasets: usize,
    bypassed: usize,
    /// Datasets that are left to HDF5 at least at first, because they have so little data.
    small: usize,
    /// Datasets that the connector said nothing about.
    unknown: usize,
    bytes: u128,
    bypassed_bytes: u128,
}

impl Summary {
    pub(super) fn of(datasets: &[Dataset]) -> Self {
        let mut summary = Self { datasets: datasets.len(), ..Self::default() };
        for dataset in datasets {
            let bytes = u128::from(dataset.bytes);
            summary.bytes += bytes;
            match dataset.explanation.bypassed {
                Some(true) => {
                    summary.bypassed += 1;
                    summary.bypassed_bytes += bytes;
                }
                Some(false) => summary.small += usize::from(dataset.explanation.is_small()),
                None => summary.unknown += 1,
            }
        }
        summary
    }

    /// As a sentence.
    pub(super) fn sentence(&self) -> String {
        if self.datasets == 0 {
            return "no datasets".into();
        }
        let noun = if self.datasets == 1 { "dataset" } else { "datasets" };
        if self.unknown == self.datasets {
            return format!("{} {noun}", self.datasets);
        }
        let share = self.share().map(|share| format!(" ({share} of the bytes)")).unwrap_or_default();
        let verb = if self.bypassed == 1 { "is" } else { "are" };
        let unknown = if self.unknown > 0 { format!(", {} unknown", self.unknown) } else { String::new() };
        let small = match self.small {
            0 => String::new(),
            1 => "; 1 is small, and native HDF5 is as fast".to_owned(),
            small => format!("; {small} are small, and native HDF5 is as fast"),
        };
        format!("{} of {} {noun}{share} {verb} bypassed{unknown}{small}", self.bypassed, self.datasets)
    }

    /// The share of the bytes in per cent. It is 0 or 100 only if it is exactly that.
    fn share(&self) -> Option<String> {
        match self.bypassed_bytes {
            _ if self.bytes == 0 => None,
            0 => Some("0 %".into()),
            bypassed => match bypassed * 100 / self.bytes {
                0 => Some("less than 1 %".into()),
                percent => Some(format!("{percent} %")),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dataset::{Extent, Layout};
    use super::super::explanation::Explanation;
    use super::*;

    fn sentence(datasets: &[(u64, Option<bool>)]) -> String {
        let dataset = |&(bytes, bypassed): &(u64, Option<bool>)| Dataset {
            path: "/x".into(),
            extent: Extent::null(),
            datatype: "u1".into(),
            element_bytes: 1,
            bytes,
            layout: Layout::Contiguous,
            filters: Vec::new(),
            explanation: Explanation { bypassed, ..Explanation::default() },
        };
        Summary::of(&datasets.iter().map(dataset).collect::<Vec<_>>()).sentence()
    }

    #[test]
    fn small_datasets_are_no_problem() {
        let small = |code: &str| Explanation::parse(&format!("passed on: {code}\nfor a reason"));
        for code in ["compact", "first-small-read", "nothing-selected"] {
            assert!(small(code).is_small(), "{code}");
        }
        assert!(!small("driver").is_small() && !Explanation::parse("bypassed").is_small());
        let summary = Summary { datasets: 5, bypassed: 3, small: 2, ..Summary::default() };
        assert_eq!(
            summary.sentence(),
            "3 of 5 datasets are bypassed; 2 are small, and native HDF5 is as fast"
        );
    }

    #[test]
    fn the_share_is_honest() {
        let (yes, no) = (Some(true), Some(false));
        for (datasets, expected) in [
            (&[][..], "no datasets"),
            (&[(5, yes)], "1 of 1 dataset (100 % of the bytes) is bypassed"),
            (&[(5, no)], "0 of 1 dataset (0 % of the bytes) are bypassed"),
            (&[(98, yes), (1, no), (1, no)], "1 of 3 datasets (98 % of the bytes) is bypassed"),
            (&[(9999, yes), (1, no), (1, yes)], "2 of 3 datasets (99 % of the bytes) are bypassed"),
            (&[(1, yes), (9999, no)], "1 of 2 datasets (less than 1 % of the bytes) is bypassed"),
            (&[(u64::MAX, yes), (u64::MAX, yes)], "2 of 2 datasets (100 % of the bytes) are bypassed"),
            (&[(0, yes), (0, no)], "1 of 2 datasets is bypassed"),
            (&[(1, None), (1, yes)], "1 of 2 datasets (50 % of the bytes) is bypassed, 1 unknown"),
            (&[(1, None), (1, None)], "2 datasets"),
        ] {
            assert_eq!(sentence(datasets), expected);
        }
    }
}
