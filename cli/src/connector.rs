//! The value of `HDF5_VOL_CONNECTOR`: a connector's name and, after a blank, its info string.

/// The connector that does the work.
pub(crate) const BYPASS: &str = "bypass";
/// The number that it is registered under. A connector above refers to it by this number.
const BYPASS_VALUE: u32 = 518;
/// The connector that counts and times calls.
pub(crate) const STATS: &str = "h5stats";
/// The info string of a connector directly above the native one.
const OVER_NATIVE: &str = "under_vol=0;under_info={}";

/// A value of the variable, parsed as libhdf5 parses it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Spec<'a> {
    /// The connector's name.
    pub(crate) name: &'a str,
    /// What follows it, if anything.
    info: Option<&'a str>,
}

impl<'a> Spec<'a> {
    /// Parses a value. `None` if it is empty, which libhdf5 treats as unset.
    pub(crate) fn parse(value: &'a str) -> Option<Self> {
        let value = value.trim_matches([' ', '\t', '\n', '\r']);
        let (name, info) = value.split_once([' ', '\t', '\n', '\r']).unwrap_or((value, ""));
        let info = info.trim();
        (!name.is_empty()).then_some(Self { name, info: (!info.is_empty()).then_some(info) })
    }

    /// Whether it is one of the two connectors of this project.
    pub(crate) fn is_ours(&self) -> bool {
        self.name == BYPASS || self.name == STATS
    }

    /// The info string that bypass has in this stack of connectors, or would need.
    fn bypass_info(&self) -> &'a str {
        let Some(info) = self.info else { return OVER_NATIVE };
        if self.name != STATS {
            return info;
        }
        let over_bypass = format!("under_vol={BYPASS_VALUE};under_info={{");
        match info.strip_prefix(&over_bypass).and_then(|rest| rest.strip_suffix('}')) {
            Some("") => OVER_NATIVE,
            Some(inner) => inner,
            // Statistics directly above something else: bypass goes in between.
            None => info,
        }
    }
}

/// The value to set. It keeps the info string of `existing` (one of our connectors), and a statistics connector in it.
pub(crate) fn value(existing: Option<&Spec<'_>>, stats: bool) -> String {
    let info = existing.map_or(OVER_NATIVE, Spec::bypass_info);
    if stats || existing.is_some_and(|spec| spec.name == STATS) {
        format!("{STATS} under_vol={BYPASS_VALUE};under_info={{{info}}}")
    } else {
        format!("{BYPASS} {info}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "bypass under_vol=0;under_info={}";
    const STACKED: &str = "h5stats under_vol=518;under_info={under_vol=0;under_info={}}";

    #[test]
    fn without_an_existing_value() {
        assert_eq!(value(None, false), PLAIN);
        assert_eq!(value(None, true), STACKED);
    }

    #[test]
    fn an_existing_value_is_kept_or_completed() {
        let cases = [
            ("bypass", false, PLAIN),
            ("bypass", true, STACKED),
            (PLAIN, false, PLAIN),
            (PLAIN, true, STACKED),
            (STACKED, false, STACKED),
            (STACKED, true, STACKED),
            ("h5stats", false, STACKED),
            ("h5stats under_vol=0;under_info={}", false, STACKED),
            ("bypass under_vol=7;under_info={a}", false, "bypass under_vol=7;under_info={a}"),
            (
                "bypass under_vol=7;under_info={a}",
                true,
                "h5stats under_vol=518;under_info={under_vol=7;under_info={a}}",
            ),
        ];
        for (existing, stats, expected) in cases {
            let spec = Spec::parse(existing).unwrap();
            assert_eq!(value(Some(&spec), stats), expected, "{existing:?}, stats {stats}");
        }
    }

    #[test]
    fn parsing_follows_libhdf5() {
        assert_eq!(Spec::parse(""), None);
        assert_eq!(Spec::parse(" \t"), None);
        assert_eq!(Spec::parse("native"), Some(Spec { name: "native", info: None }));
        assert_eq!(Spec::parse(" bypass\tx y "), Some(Spec { name: "bypass", info: Some("x y") }));
        assert!(!Spec::parse("bypassing").unwrap().is_ours());
    }
}
