//! The connector's own keys in its info string.
//!
//! ```text
//! a={under_vol=0;under_info={}};b={under_vol=0;under_info={};name={name}.bak};on_error=degrade;verify=close
//! ```

use std::collections::BTreeMap;

use h5_vol::{InfoString, Settings, in_braces};

use crate::names;

/// The label of the first side.
const FIRST: &str = "a";
/// The name of a side that says none.
const BESIDE: &str = "{name}.bak";

/// What a failure of a side other than the first one means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum OnError {
    /// The application's call fails.
    #[default]
    Fail,
    /// The side is left out from now on.
    Degrade,
}

/// What an incomplete side means when a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Incomplete {
    /// The file cannot be opened.
    #[default]
    Refuse,
    /// A line on stderr, and the side is left out.
    Warn,
}

/// When all of the sides are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Verify {
    pub(crate) open: bool,
    pub(crate) close: bool,
}

/// A side other than the first one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SideSetting {
    pub(crate) label: String,
    /// Value of its connector.
    pub(crate) connector: i32,
    /// Info string of its connector.
    pub(crate) info: String,
    /// Pattern of its name.
    pub(crate) name: String,
}

/// The connector's settings.
#[derive(Debug, Clone, Default)]
pub struct MirrorSettings {
    /// Connector and info string of the first side, if they were given as those of a side.
    first: Option<(i32, String)>,
    others: BTreeMap<String, SideSetting>,
    pub(crate) on_error: OnError,
    pub(crate) incomplete: Incomplete,
    pub(crate) verify: Verify,
    /// Whether reads that fail on the first side are tried on the others.
    pub(crate) falls_back: bool,
}

impl MirrorSettings {
    /// The sides other than the first one. If none is named, there is one of native HDF5 beside it.
    pub(crate) fn others(&self) -> Vec<SideSetting> {
        if self.others.is_empty() {
            let (label, info, name) = ("b".to_owned(), String::new(), BESIDE.to_owned());
            return vec![SideSetting { label, connector: 0, info, name }];
        }
        self.others.values().cloned().collect()
    }

    fn set_side(&mut self, key: &str, value: &str) -> Result<(), String> {
        let inside =
            in_braces(value).ok_or_else(|| format!("{key}={value} must be enclosed in matching braces"))?;
        let parsed = InfoString::parse(inside).map_err(|fault| format!("side {key}: {fault}"))?;
        let connector = parsed.under_vol.unwrap_or(0);
        let info = parsed.under_info.unwrap_or_default().to_owned();
        let mut name = None;
        for (own, value) in parsed.extra {
            match own {
                "name" if key != FIRST => {
                    names::check(value).map_err(|fault| format!("side {key}: {fault}"))?;
                    name = Some(value.to_owned());
                }
                "name" => return Err("side a: the first side has the name that the application gives".into()),
                _ => return Err(format!("side {key}: unknown key '{own}' (value '{value}')")),
            }
        }
        if key == FIRST {
            self.first = Some((connector, info));
        } else {
            let name = name.unwrap_or_else(|| BESIDE.to_owned());
            let label = key.to_owned();
            if let Some(other) = self.others.values().find(|other| other.name == name) {
                return Err(format!("sides {} and {key} have the same name {name}", other.label));
            }
            self.others.insert(label.clone(), SideSetting { label, connector, info, name });
        }
        Ok(())
    }
}

impl Settings for MirrorSettings {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let wrong = |allowed: &str| Err(format!("{key}={value}: must be {allowed}"));
        match key {
            "on_error" => match value {
                "fail" => self.on_error = OnError::Fail,
                "degrade" => self.on_error = OnError::Degrade,
                _ => return wrong("fail or degrade"),
            },
            "incomplete" => match value {
                "refuse" => self.incomplete = Incomplete::Refuse,
                "warn" => self.incomplete = Incomplete::Warn,
                _ => return wrong("refuse or warn"),
            },
            "verify" => match value {
                "never" => self.verify = Verify::default(),
                "open" => self.verify = Verify { open: true, close: false },
                "close" => self.verify = Verify { open: false, close: true },
                "both" => self.verify = Verify { open: true, close: true },
                _ => return wrong("never, open, close or both"),
            },
            "read" => match value {
                "first" => self.falls_back = false,
                "fallback" => self.falls_back = true,
                _ => return wrong("first or fallback"),
            },
            _ if key.len() == 1 && key.as_bytes()[0].is_ascii_lowercase() => self.set_side(key, value)?,
            _ => return Err(format!("unknown key '{key}' (value '{value}')")),
        }
        Ok(())
    }

    fn pairs(&self) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        for SideSetting { label, connector, info, name } in self.others.values() {
            let value = format!("{{under_vol={connector};under_info={{{info}}};name={name}}}");
            pairs.push((label.clone(), value));
        }
        let mut add = |key: &str, value: &str| pairs.push((key.to_owned(), value.to_owned()));
        if self.on_error == OnError::Degrade {
            add("on_error", "degrade");
        }
        if self.incomplete == Incomplete::Warn {
            add("incomplete", "warn");
        }
        match self.verify {
            Verify { open: false, close: false } => {}
            Verify { open: true, close: false } => add("verify", "open"),
            Verify { open: false, close: true } => add("verify", "close"),
            Verify { open: true, close: true } => add("verify", "both"),
        }
        if self.falls_back {
            add("read", "fallback");
        }
        pairs
    }

    fn below(&self) -> Option<(i32, String)> {
        self.first.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<MirrorSettings, String> {
        let mut settings = MirrorSettings::default();
        for (key, value) in InfoString::parse(text).map_err(|fault| fault.to_string())?.extra {
            settings.set(key, value)?;
        }
        Ok(settings)
    }

    #[test]
    fn without_a_word_there_is_a_copy_beside() {
        let others = MirrorSettings::default().others();
        assert_eq!(others.len(), 1);
        assert_eq!((others[0].connector, others[0].name.as_str()), (0, "{name}.bak"));
    }

    #[test]
    fn sides_have_connectors_and_names() {
        let text =
            "a={under_vol=518;under_info={}};b={under_vol=0;under_info={};name=x/{base}};c={};verify=both";
        let settings = read(text).unwrap();
        assert_eq!(settings.below(), Some((518, String::new())));
        let others = settings.others();
        assert_eq!(
            others.iter().map(|side| side.name.as_str()).collect::<Vec<_>>(),
            ["x/{base}", "{name}.bak"]
        );
        let again = settings.pairs().iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>();
        assert_eq!(read(&again.join(";")).unwrap().others(), others, "pairs say the same");
    }

    #[test]
    fn faults_name_key_and_value() {
        for (text, expected) in [
            ("b=x", "b=x must be enclosed"),
            ("b={name=one}", "side b: name=one gives every file the same name"),
            ("a={name={name}}", "the first side has the name that the application gives"),
            ("b={colour=blue}", "side b: unknown key 'colour'"),
            ("b={};c={}", "sides b and c have the same name"),
            ("on_error=ignore", "on_error=ignore: must be fail or degrade"),
            ("verify=always", "verify=always: must be"),
            ("side=b", "unknown key 'side'"),
        ] {
            let fault = read(text).unwrap_err();
            assert!(fault.contains(expected), "{text}: {fault}");
        }
    }
}
