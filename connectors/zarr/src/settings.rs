//! The connector's own keys in its info string.

use h5_vol::Settings;
use zarr::StructSpelling;

use crate::filters::Unknown;

/// What the info string says.
#[derive(Debug, Clone)]
pub struct ZarrSettings {
    /// `all=1`: every new file is a container, whatever its name.
    pub(crate) all: bool,
    /// `stub=1`: every new file whose name does not end in `.zarr` is a container with a stub at the name.
    pub(crate) stub: bool,
    /// `transcode=zstd`: filters that Zarr does not have become Zstandard.
    pub(crate) unknown_filters: Unknown,
    /// `compound=structured`: the name that zarr-python 3.1 reads.
    pub(crate) structs: StructSpelling,
}

impl Default for ZarrSettings {
    fn default() -> Self {
        Self { all: false, stub: false, unknown_filters: Unknown::Refused, structs: StructSpelling::Struct }
    }
}

impl Settings for ZarrSettings {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match (key, value) {
            ("all", "0" | "1") => self.all = value == "1",
            ("stub", "0" | "1") => self.stub = value == "1",
            ("transcode", "none") => self.unknown_filters = Unknown::Refused,
            ("transcode", "zstd") => self.unknown_filters = Unknown::Zstd,
            ("compound", "struct") => self.structs = StructSpelling::Struct,
            ("compound", "structured") => self.structs = StructSpelling::Structured,
            ("all" | "stub", _) => return Err(format!("'{key}={value}': valid are 0 and 1")),
            ("transcode", _) => return Err(format!("'{key}={value}': valid are none and zstd")),
            ("compound", _) => return Err(format!("'{key}={value}': valid are struct and structured")),
            _ => {
                return Err(format!(
                    "unknown key '{key}' (value '{value}'): all, stub, transcode and compound are known"
                ));
            }
        }
        Ok(())
    }

    fn pairs(&self) -> Vec<(String, String)> {
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        let mut pairs = Vec::new();
        if self.all {
            pairs.push(pair("all", "1"));
        }
        if self.stub {
            pairs.push(pair("stub", "1"));
        }
        if self.unknown_filters == Unknown::Zstd {
            pairs.push(pair("transcode", "zstd"));
        }
        if self.structs == StructSpelling::Structured {
            pairs.push(pair("compound", "structured"));
        }
        pairs
    }
}
