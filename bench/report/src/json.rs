//! Results as JSON.

use serde::de::DeserializeOwned;
use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};

use crate::{FORMAT, Results};

/// Why a text is no results or no trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub(crate) String);

impl Results {
    /// From JSON. The error does not name the file: its path is the caller's.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        read(text, "the benchmark", FORMAT)
    }

    /// As JSON, with a line break at the end. Figures have seven digits.
    pub fn write(&self) -> serde_json::Result<String> {
        write(self)
    }
}

/// Results of `whose` from JSON, if they have this format.
pub(crate) fn read<T: DeserializeOwned>(text: &str, whose: &str, format: u32) -> Result<T, Unreadable> {
    /// Read first: the rest may have another form.
    #[derive(Deserialize)]
    struct Head {
        format: u32,
    }
    let head: Head = serde_json::from_str(text)
        .map_err(|cause| Unreadable(format!("these are no results of {whose}: {cause}")))?;
    if head.format != format {
        let which = if head.format > format { "a newer" } else { "an older" };
        return Err(Unreadable(format!(
            "these results of {whose} have format {}, that of {which} h5bypass; this one knows format {format} only",
            head.format
        )));
    }
    serde_json::from_str(text).map_err(|cause| Unreadable(format!("results of {whose}: {cause}")))
}

/// As JSON, with a line break at the end.
pub(crate) fn write(results: &impl Serialize) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(results)? + "\n")
}

/// A measured figure, to seven digits. JSON has neither infinities nor NaNs: these are an error.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
pub(crate) fn seven_digits<S: Serializer>(figure: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if !figure.is_finite() {
        return Err(S::Error::custom("a figure is not a number"));
    }
    let rounded = format!("{figure:.6e}").parse().unwrap_or(*figure);
    serializer.serialize_f64(rounded)
}
