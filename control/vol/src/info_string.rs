//! The text form of a connector's info: `under_vol=0;under_info={...};key=value`.
//!
//! `under_info` is the info string of the connector below in braces, which may itself contain braces. A
//! missing `under_vol` means HDF5's native connector, a missing `under_info` an empty one. Nothing else is
//! guessed: an unknown key, a repeated one, an empty or malformed value is an error that names it.

/// A parsed info string; values are still text.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct InfoString<'a> {
    /// Value of the connector below.
    pub under_vol: Option<i32>,
    /// Info string of the connector below, without its braces.
    pub under_info: Option<&'a str>,
    /// Other pairs, in order.
    pub extra: Vec<(&'a str, &'a str)>,
}

/// What is wrong with an info string.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum InfoStringError {
    /// Something that is no `key=value`.
    #[error("info string '{text}': expected key=value, found '{found}'")]
    NotAPair {
        /// The whole string.
        text: String,
        /// What was found.
        found: String,
    },
    /// A key without a value.
    #[error("info string '{text}': key '{key}' has no value")]
    NoValue {
        /// The whole string.
        text: String,
        /// The key.
        key: String,
    },
    /// A key that is there twice.
    #[error("info string '{text}': key '{key}' is given twice")]
    Repeated {
        /// The whole string.
        text: String,
        /// The key.
        key: String,
    },
    /// A bad number of a connector.
    #[error("info string '{text}': under_vol={value} is not a connector value (a number from 0 to 65535)")]
    BadConnectorValue {
        /// The whole string.
        text: String,
        /// The value.
        value: String,
    },
    /// An info that is not in braces.
    #[error("info string '{text}': under_info={value} must be enclosed in matching braces")]
    BadBraces {
        /// The whole string.
        text: String,
        /// The value.
        value: String,
    },
}

impl<'a> InfoString<'a> {
    /// Reads an info string.
    pub fn parse(text: &'a str) -> Result<Self, InfoStringError> {
        let mut parsed = Self::default();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (pair, tail) = split_pair(rest);
            rest = tail;
            let Some((key, value)) = pair.split_once('=') else {
                return Err(InfoStringError::NotAPair { text: text.into(), found: pair.into() });
            };
            let (key, value) = (key.trim(), value.trim());
            if key.is_empty() {
                return Err(InfoStringError::NotAPair { text: text.into(), found: pair.into() });
            }
            if value.is_empty() {
                return Err(InfoStringError::NoValue { text: text.into(), key: key.into() });
            }
            parsed.add(text, key, value)?;
        }
        Ok(parsed)
    }

    fn add(&mut self, text: &str, key: &'a str, value: &'a str) -> Result<(), InfoStringError> {
        let repeated = || InfoStringError::Repeated { text: text.into(), key: key.into() };
        match key {
            "under_vol" => {
                if self.under_vol.is_some() {
                    return Err(repeated());
                }
                self.under_vol = Some(connector_value(value).ok_or_else(|| {
                    InfoStringError::BadConnectorValue { text: text.into(), value: value.into() }
                })?);
            }
            "under_info" => {
                if self.under_info.is_some() {
                    return Err(repeated());
                }
                self.under_info =
                    Some(in_braces(value).ok_or_else(|| InfoStringError::BadBraces {
                        text: text.into(),
                        value: value.into(),
                    })?);
            }
            _ => {
                if self.extra.iter().any(|&(known, _)| known == key) {
                    return Err(repeated());
                }
                self.extra.push((key, value));
            }
        }
        Ok(())
    }
}

/// Splits at the first semicolon outside braces.
fn split_pair(text: &str) -> (&str, &str) {
    let mut depth = 0_usize;
    for (position, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => return (&text[..position], text[position + 1..].trim_start()),
            _ => {}
        }
    }
    (text, "")
}

/// A connector value as HDF5 allows it: 0 to 65535.
fn connector_value(value: &str) -> Option<i32> {
    if !value.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    value.parse::<u16>().ok().map(i32::from)
}

/// The inside of `{...}` if the first brace closes with the last.
pub fn in_braces(value: &str) -> Option<&str> {
    let inside = value.strip_prefix('{')?.strip_suffix('}')?;
    let mut depth = 0_usize;
    for character in inside.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    (depth == 0).then_some(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> InfoString<'_> {
        InfoString::parse(text).unwrap()
    }

    #[test]
    fn the_usual_string() {
        let info = parse("under_vol=0;under_info={}");
        assert_eq!(info, InfoString { under_vol: Some(0), under_info: Some(""), extra: vec![] });
    }

    #[test]
    fn nested_infos_keep_their_braces() {
        let info = parse("under_vol=518;under_info={under_vol=0;under_info={};a=b};colour=blue;");
        assert_eq!(info.under_vol, Some(518));
        assert_eq!(info.under_info, Some("under_vol=0;under_info={};a=b"));
        assert_eq!(info.extra, [("colour", "blue")]);
    }

    #[test]
    fn absent_parts_are_absent() {
        assert_eq!(parse(""), InfoString::default());
        assert_eq!(parse("under_vol=0").under_info, None);
        assert_eq!(parse("under_info={}").under_vol, None);
    }

    #[test]
    fn faults_name_key_and_value() {
        for (text, expected) in [
            ("nonsense", "expected key=value, found 'nonsense'"),
            ("=3", "expected key=value, found '=3'"),
            ("under_vol=;under_info={}", "key 'under_vol' has no value"),
            ("under_vol=abc;under_info={}", "under_vol=abc is not a connector value"),
            ("under_vol=-1;under_info={}", "under_vol=-1 is not a connector value"),
            ("under_vol=+1", "under_vol=+1 is not a connector value"),
            ("under_vol=70000", "under_vol=70000 is not a connector value"),
            ("under_vol=0;under_info={", "under_info={ must be enclosed"),
            ("under_vol=0;under_info={}}", "under_info={}} must be enclosed"),
            ("under_vol=0;under_info={}{}", "under_info={}{} must be enclosed"),
            ("under_vol=0;under_info=x", "under_info=x must be enclosed"),
            ("under_vol=0;under_vol=0", "key 'under_vol' is given twice"),
            ("under_info={};under_info={}", "key 'under_info' is given twice"),
            ("a=1;a=2", "key 'a' is given twice"),
            (";", "expected key=value, found ''"),
        ] {
            let message = InfoString::parse(text).unwrap_err().to_string();
            assert!(message.contains(expected), "{text}: {message}");
            assert!(message.contains(text), "the whole string is shown: {message}");
        }
    }
}
