//! Values that lead to something outside of themselves, as JSON.

use h5_shadow::spec::Cell;
use serde_json::{Value, json};

use crate::regions;
use crate::tree::Key;
use crate::type_words::{hex, unhex};

/// The path of an object.
pub(crate) type PathOf<'p> = &'p dyn Fn(Key) -> Option<String>;
/// The object of a path.
pub(crate) type KeyOf<'p> = &'p dyn Fn(&str) -> Option<Key>;

/// A value as JSON, from which it can be made again.
pub(crate) fn to_json(cell: &Cell<Key>, path_of: PathOf<'_>) -> Value {
    match cell {
        Cell::Bytes(bytes) => json!({"b": hex(bytes)}),
        Cell::Text(None) => Value::Null,
        Cell::Text(Some(text)) => match core::str::from_utf8(text) {
            Ok(text) => json!(text),
            Err(_) => json!({"t": hex(text)}),
        },
        Cell::List(cells) => Value::Array(cells.iter().map(|cell| to_json(cell, path_of)).collect()),
        Cell::Object(key) => json!({"o": key.and_then(path_of)}),
        Cell::Region(region) => match region {
            Some((key, part)) => json!({"r": [path_of(*key), regions::to_words(part)]}),
            None => json!({"r": null}),
        },
    }
}

/// The value again; `None` if the JSON makes no sense.
pub(crate) fn from_json(value: &Value, key_of: KeyOf<'_>) -> Option<Cell<Key>> {
    Some(match value {
        Value::Null => Cell::Text(None),
        Value::String(text) => Cell::Text(Some(text.clone().into_bytes())),
        Value::Array(cells) => {
            Cell::List(cells.iter().map(|cell| from_json(cell, key_of)).collect::<Option<_>>()?)
        }
        Value::Object(object) => {
            let (kind, value) = object.iter().next()?;
            match (kind.as_str(), value) {
                ("b", Value::String(text)) => Cell::Bytes(unhex(text)?),
                ("t", Value::String(text)) => Cell::Text(Some(unhex(text)?)),
                ("o", Value::String(path)) => Cell::Object(key_of(path)),
                ("o", Value::Null) => Cell::Object(None),
                ("r", Value::Null) => Cell::Region(None),
                ("r", Value::Array(parts)) => {
                    let part = regions::from_words(parts.get(1)?)?;
                    let key = parts.first()?.as_str().and_then(key_of);
                    Cell::Region(key.map(|key| (key, part)))
                }
                _ => return None,
            }
        }
        _ => return None,
    })
}

/// A value as other tools of Zarr are to see it.
pub(crate) fn to_plain(cell: &Cell<Key>, path_of: PathOf<'_>) -> Value {
    let reference = |path: Option<String>| match path {
        Some(path) => json!({"_REFERENCE": {"source": ".", "path": path}}),
        None => Value::Null,
    };
    match cell {
        Cell::Bytes(bytes) => json!(hex(bytes)),
        Cell::Text(None) => json!(""),
        Cell::Text(Some(text)) => json!(String::from_utf8_lossy(text)),
        Cell::List(cells) => Value::Array(cells.iter().map(|cell| to_plain(cell, path_of)).collect()),
        Cell::Object(key) => reference(key.and_then(path_of)),
        Cell::Region(region) => reference(region.as_ref().and_then(|(key, _)| path_of(*key))),
    }
}
