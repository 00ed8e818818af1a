//! What files chunks are in.

use core::fmt::Write;

use serde_json::{Value, json};

use crate::error::Problem;
use crate::json::Named;

/// How the file of a chunk is named after its coordinates in the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkKeys {
    /// `c/0/1`, and `c` for an array without dimensions.
    Default(Separator),
    /// `0.1`, and `0` for an array without dimensions.
    V2(Separator),
}

/// What is between coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Separator {
    /// A slash: each dimension but the last is a folder.
    Slash,
    /// A period: all chunks are in one folder.
    Period,
}

impl Separator {
    /// The character.
    pub fn character(self) -> char {
        match self {
            Self::Slash => '/',
            Self::Period => '.',
        }
    }

    pub(super) fn from_json(value: Option<&Value>, default: Self, key: &str) -> Result<Self, Problem> {
        match value {
            None | Some(Value::Null) => Ok(default),
            Some(value) => match value.as_str() {
                Some("/") => Ok(Self::Slash),
                Some(".") => Ok(Self::Period),
                _ => Err(Problem::invalid(key, format!("the separator {value}"))),
            },
        }
    }
}

impl ChunkKeys {
    /// The name of a chunk's file, in the folder of its array.
    pub fn key(self, chunk: &[u64]) -> String {
        let (mut key, separator) = match self {
            Self::Default(separator) => (String::from("c"), separator),
            Self::V2(separator) => (String::new(), separator),
        };
        for coordinate in chunk {
            if !key.is_empty() {
                key.push(separator.character());
            }
            // Writing to a string does not fail.
            let _ = write!(key, "{coordinate}");
        }
        if key.is_empty() { String::from("0") } else { key }
    }

    /// The coordinates of a chunk whose file has this name; `None` if it is no chunk of an array of this rank.
    pub fn chunk(self, key: &str, rank: usize) -> Option<Vec<u64>> {
        let (rest, separator) = match self {
            Self::Default(separator) => {
                let rest = key.strip_prefix('c')?;
                let rest = if rank == 0 { rest } else { rest.strip_prefix(separator.character())? };
                (rest, separator)
            }
            Self::V2(_) if rank == 0 => return (key == "0").then(Vec::new),
            Self::V2(separator) => (key, separator),
        };
        if rank == 0 {
            return rest.is_empty().then(Vec::new);
        }
        let number = |text: &str| {
            let is_usual =
                text == "0" || !text.starts_with('0') && text.bytes().all(|digit| digit.is_ascii_digit());
            text.parse().ok().filter(|_| is_usual)
        };
        let chunk: Vec<u64> = rest.split(separator.character()).map(number).collect::<Option<_>>()?;
        (chunk.len() == rank).then_some(chunk)
    }

    pub(super) fn from_json(value: &Value) -> Result<Self, Problem> {
        let named = Named::read(value, "chunk_key_encoding")?;
        let separator =
            |default| Separator::from_json(named.option("separator"), default, "chunk_key_encoding");
        match named.name {
            "default" => Ok(Self::Default(separator(Separator::Slash)?)),
            "v2" => Ok(Self::V2(separator(Separator::Period)?)),
            name => Err(Problem::unsupported("chunk_key_encoding", format!("{name:?}"))),
        }
    }

    pub(super) fn to_json(self) -> Value {
        let (name, separator) = match self {
            Self::Default(separator) => ("default", separator),
            Self::V2(separator) => ("v2", separator),
        };
        json!({"name": name, "configuration": {"separator": separator.character().to_string()}})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_there_and_back() {
        use Separator::{Period, Slash};
        for (keys, chunk, key) in [
            (ChunkKeys::Default(Slash), vec![], "c"),
            (ChunkKeys::Default(Slash), vec![0, 12], "c/0/12"),
            (ChunkKeys::Default(Period), vec![3], "c.3"),
            (ChunkKeys::V2(Period), vec![], "0"),
            (ChunkKeys::V2(Period), vec![1, 0, 2], "1.0.2"),
            (ChunkKeys::V2(Slash), vec![7, 8], "7/8"),
        ] {
            assert_eq!(keys.key(&chunk), key);
            assert_eq!(keys.chunk(key, chunk.len()), Some(chunk));
        }
        for wrong in ["c/00", "c/+1", "c/-1", "c", "c/1/2", "c/", "d/1", "c.1", "c/99999999999999999999"] {
            assert_eq!(ChunkKeys::Default(Slash).chunk(wrong, 1), None, "{wrong}");
        }
    }
}
