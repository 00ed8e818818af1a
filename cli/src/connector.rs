//! The value of `HDF5_VOL_CONNECTOR`: a connector's name and, after a blank, its info string.

use clap::ValueEnum;

use crate::plugin_dir::{BYPASS_FILE, ZARR_FILE};

/// The connector that does the work.
pub(crate) const BYPASS: &str = "bypass";
/// The number that it is registered under. A connector above refers to it by this number.
const BYPASS_VALUE: u32 = 518;
/// The connector that counts and times calls.
pub(crate) const STATS: &str = "h5stats";
/// The connector for Zarr directories.
pub(crate) const ZARR: &str = "zarr";
/// Its number.
const ZARR_VALUE: u32 = 520;
/// The info string of a connector directly above the native one.
const OVER_NATIVE: &str = "under_vol=0;under_info={}";

/// The connector that a command is run with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Base {
    /// HDF5 files, on all cores
    #[default]
    Bypass,
    /// Zarr directories
    Zarr,
}

impl Base {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bypass => BYPASS,
            Self::Zarr => ZARR,
        }
    }

    /// The plugin's file.
    pub(crate) fn file(self) -> &'static str {
        match self {
            Self::Bypass => BYPASS_FILE,
            Self::Zarr => ZARR_FILE,
        }
    }

    fn number(self) -> u32 {
        match self {
            Self::Bypass => BYPASS_VALUE,
            Self::Zarr => ZARR_VALUE,
        }
    }
}

/// A value of the variable, parsed as libhdf5 parses it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Spec<'a> {
    /// The connector's name.
    pub(crate) name: &'a str,
    /// What follows it, if anything.
    pub(crate) info: Option<&'a str>,
}

impl<'a> Spec<'a> {
    /// Parses a value. `None` if it is empty, which libhdf5 treats as unset.
    pub(crate) fn parse(value: &'a str) -> Option<Self> {
        let value = value.trim_matches([' ', '\t', '\n', '\r']);
        let (name, info) = value.split_once([' ', '\t', '\n', '\r']).unwrap_or((value, ""));
        let info = info.trim();
        (!name.is_empty()).then_some(Self { name, info: (!info.is_empty()).then_some(info) })
    }

    /// Whether it is one of the connectors of this project.
    pub(crate) fn is_ours(&self) -> bool {
        [BYPASS, STATS, ZARR].contains(&self.name)
    }

    /// Whether it can be kept if this connector is wanted.
    pub(crate) fn agrees_with(&self, base: Base) -> bool {
        self.name == base.name() || self.name == STATS
    }

    /// The info string that the connector has in this stack of connectors, or would need.
    fn info_of(&self, base: Base) -> &'a str {
        let Some(info) = self.info else { return OVER_NATIVE };
        if self.name != STATS {
            return info;
        }
        let over = format!("under_vol={};under_info={{", base.number());
        match info.strip_prefix(&over).and_then(|rest| rest.strip_suffix('}')) {
            Some("") => OVER_NATIVE,
            Some(inner) => inner,
            // Statistics directly above something else: it goes in between.
            None => info,
        }
    }
}

/// The value to set. It keeps the info string of `existing` (one of our connectors), adds `settings` to it, and keeps a statistics
/// connector.
pub(crate) fn value(base: Base, settings: &[&str], existing: Option<&Spec<'_>>, stats: bool) -> String {
    let mut info = existing.map_or(OVER_NATIVE, |spec| spec.info_of(base)).to_owned();
    for setting in settings {
        if !info.split(';').any(|known| known == *setting) {
            info = format!("{};{setting}", info.trim_end_matches(';'));
        }
    }
    if stats || existing.is_some_and(|spec| spec.name == STATS) {
        format!("{STATS} under_vol={};under_info={{{info}}}", base.number())
    } else {
        format!("{} {info}", base.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "bypass under_vol=0;under_info={}";
    const STACKED: &str = "h5stats under_vol=518;under_info={under_vol=0;under_info={}}";

    #[test]
    fn without_an_existing_value() {
        assert_eq!(value(Base::Bypass, &[], None, false), PLAIN);
        assert_eq!(value(Base::Bypass, &[], None, true), STACKED);
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
            assert_eq!(value(Base::Bypass, &[], Some(&spec), stats), expected, "{existing:?}, stats {stats}");
        }
    }

    #[test]
    fn settings_are_added_once() {
        let with = |existing: Option<&str>| {
            let spec = existing.map(|existing| Spec::parse(existing).unwrap());
            value(Base::Zarr, &["all=1", "stub=1"], spec.as_ref(), false)
        };
        assert_eq!(with(None), "zarr under_vol=0;under_info={};all=1;stub=1");
        assert_eq!(with(Some("zarr transcode=zstd;stub=1")), "zarr transcode=zstd;stub=1;all=1");
        assert_eq!(with(Some("zarr")), "zarr under_vol=0;under_info={};all=1;stub=1");
        assert_eq!(
            with(Some("h5stats under_vol=520;under_info={stub=1}")),
            "h5stats under_vol=520;under_info={stub=1;all=1}"
        );
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
