//! JSON documents as Zarr's writers make them.
//!
//! zarr-python writes attributes that are not finite as `NaN` and `Infinity` without quotes, which no standard allows. They are
//! read as the strings that fill values have in their place.

use serde_json::{Map, Value};

use crate::error::Problem;

/// A JSON object. Keys keep their order.
pub type Object = Map<String, Value>;

/// Words that are not JSON, but found in documents.
const WORDS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];

/// Reads a document, which must be an object. Numbers that are not finite are read as strings: see [`crate::FillValue`].
pub fn parse(bytes: &[u8]) -> Result<Object, Problem> {
    let parsed = serde_json::from_slice(bytes).or_else(|error| match quoted_words(bytes) {
        Some(changed) => serde_json::from_slice(&changed),
        None => Err(error),
    });
    match parsed.map_err(|error| Problem::Json(error.to_string()))? {
        Value::Object(object) => Ok(object),
        _ => Err(Problem::Json("not an object".to_owned())),
    }
}

/// A document to store, indented by two as others do it.
pub(crate) fn print(object: &Object) -> Vec<u8> {
    // Maps with keys that are strings, and numbers that are finite, can always be printed.
    serde_json::to_vec_pretty(object).unwrap_or_default()
}

/// The document with quotes around words that are not JSON; `None` if there are none.
pub(crate) fn quoted_words(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut changed = Vec::with_capacity(bytes.len() + 64);
    let (mut rest, mut in_string, mut found) = (bytes, false, false);
    while let Some((&byte, after)) = rest.split_first() {
        if in_string {
            let length = if byte == b'\\' { rest.len().min(2) } else { 1 };
            in_string = byte != b'"';
            changed.extend_from_slice(&rest[..length]);
            rest = &rest[length..];
        } else if let Some(word) = WORDS.iter().find(|word| rest.starts_with(word.as_bytes())) {
            changed.push(b'"');
            changed.extend_from_slice(word.as_bytes());
            changed.push(b'"');
            rest = &rest[word.len()..];
            found = true;
        } else {
            in_string = byte == b'"';
            changed.push(byte);
            rest = after;
        }
    }
    found.then_some(changed)
}

/// A value's kind, for messages.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The value of a key that must be there.
pub(crate) fn required<'o>(object: &'o Object, key: &str) -> Result<&'o Value, Problem> {
    object.get(key).ok_or_else(|| Problem::invalid(key, "is missing"))
}

/// A list of numbers that are not negative.
pub(crate) fn sizes(value: &Value, key: &str) -> Result<Vec<u64>, Problem> {
    let list = value.as_array().ok_or_else(|| Problem::invalid(key, "is not a list"))?;
    let size =
        |value: &Value| value.as_u64().ok_or_else(|| Problem::invalid(key, format!("{value} is not a size")));
    list.iter().map(size).collect()
}

/// A name with a configuration, as codecs, grids and data types are given: an object, or the name alone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Named<'v> {
    pub(crate) name: &'v str,
    pub(crate) configuration: Option<&'v Object>,
}

impl<'v> Named<'v> {
    pub(crate) fn read(value: &'v Value, key: &str) -> Result<Self, Problem> {
        match value {
            Value::String(name) => Ok(Self { name, configuration: None }),
            Value::Object(object) => {
                let name = object.get("name").and_then(Value::as_str);
                let name = name.ok_or_else(|| Problem::invalid(key, "has no name"))?;
                let configuration = match object.get("configuration") {
                    None | Some(Value::Null) => None,
                    Some(Value::Object(configuration)) => Some(configuration),
                    Some(other) => {
                        return Err(Problem::invalid(key, format!("has {} as configuration", kind(other))));
                    }
                };
                Ok(Self { name, configuration })
            }
            other => Err(Problem::invalid(key, format!("is {}", kind(other)))),
        }
    }

    /// A part of the configuration.
    pub(crate) fn option(&self, key: &str) -> Option<&'v Value> {
        self.configuration?.get(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_not_json_are_read_as_strings() {
        let document = br#"{"a": NaN, "b": [-Infinity, Infinity, 1.5], "NaN": "x NaN \" NaN"}"#;
        let read = parse(document).unwrap();
        assert_eq!(
            Value::Object(read),
            serde_json::json!({"a": "NaN", "b": ["-Infinity", "Infinity", 1.5], "NaN": "x NaN \" NaN"})
        );
        for wrong in [&b"{\"a\": NaNs}"[..], b"{\"a\": \"\\", b"[1]", b"", b"{\"a\": nan}"] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn numbers_keep_their_last_bit_and_keys_their_order() {
        let text = r#"{"z": 0.1, "a": 5e-324, "m": 1.7976931348623157e308, "b": 18446744073709551615}"#;
        let read = parse(text.as_bytes()).unwrap();
        assert_eq!(read.keys().collect::<Vec<_>>(), ["z", "a", "m", "b"]);
        let again = parse(&print(&read)).unwrap();
        assert_eq!(read, again);
        assert_eq!(read["a"].as_f64().unwrap().to_bits(), 1);
    }
}
