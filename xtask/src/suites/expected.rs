//! Tests that cannot pass with files of another format or with mirrored files, each with its reason.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

use super::{Difference, Outcome, Outcomes};

/// For h5py's suite.
pub(crate) const H5PY_OVER_ZARR: &str = include_str!("h5py_over_zarr.txt");
/// The same through the mirror connector.
pub(crate) const H5PY_OVER_MIRROR: &str = include_str!("h5py_over_mirror.txt");
/// For xarray's tests of h5netcdf.
pub(crate) const H5NETCDF_OVER_ZARR: &str = include_str!("h5netcdf_over_zarr.txt");

/// The tests of a list, with their reasons.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Expected(BTreeMap<String, String>);

impl Expected {
    /// Reads a list: a line that begins with `#` is the reason for the tests that follow, one in each line.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let (mut tests, mut reason) = (BTreeMap::new(), None);
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if let Some(words) = line.strip_prefix('#') {
                reason = Some(words.trim().to_owned());
                continue;
            }
            let reason = reason.clone().with_context(|| format!("no reason is given for {line}"))?;
            ensure!(tests.insert(line.to_owned(), reason).is_none(), "{line} is listed twice");
        }
        Ok(Self(tests))
    }

    /// Those of the tests that were run, and not skipped: some need programs that not every machine has.
    pub(crate) fn among(mut self, run: &Outcomes) -> Self {
        self.0.retain(|test, _| run.get(test).is_some_and(|outcome| outcome != Outcome::Skipped));
        self
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// What is not as the list says: tests that differ and are not in it, and tests in it that do not differ.
    pub(crate) fn surprises(&self, differences: &[Difference]) -> Vec<String> {
        let new = differences.iter().filter(|difference| !self.0.contains_key(difference.test()));
        let new = new.map(|difference| format!("DIFFERS {difference}"));
        let is_different = |test: &str| differences.iter().any(|difference| difference.test() == test);
        let passes = self.0.iter().filter(|(test, _)| !is_different(test));
        new.chain(passes.map(|(test, reason)| format!("AS NATIVELY {test}, although: {reason}"))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::compare;
    use super::*;

    fn surprises(list: &str, natively: &str, through: &str) -> Vec<String> {
        let outcomes =
            |text: &str| Outcomes::parse(&text.replace(' ', "\t").replace(';', "\n")).expect("parses");
        let differences = compare(&outcomes(natively), &outcomes(through)).differences;
        Expected::parse(list).expect("a list").surprises(&differences)
    }

    #[test]
    fn only_listed_tests_may_differ_and_they_must() {
        let native = "passed a;passed b";
        assert!(surprises("# why\na", native, "failed a;passed b").is_empty());
        assert_eq!(surprises("# why\na", native, "failed a;failed b").len(), 1);
        assert_eq!(surprises("# why\na", native, native), ["AS NATIVELY a, although: why"]);
        assert_eq!(surprises("# why\na\nc", native, "failed a;passed b").len(), 1);
    }

    #[test]
    fn the_lists_have_reasons() {
        for list in [H5PY_OVER_ZARR, H5PY_OVER_MIRROR, H5NETCDF_OVER_ZARR] {
            assert!(Expected::parse(list).expect("a list").len() > 10);
        }
        assert_eq!(Expected::parse("# why\na\nb\n\n# another\nc").expect("a list").len(), 3);
        assert!(Expected::parse("a").is_err());
        assert!(Expected::parse("# why\na\na").is_err());
    }
}
