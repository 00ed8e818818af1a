//! Results as JSON.

use std::error::Error;
use std::fmt;

use serde::{Deserialize, Serializer};

use crate::{FORMAT, Measured, Results, Spread, Times};

/// Why a text is no results or no trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable(pub(crate) String);

/// Why results cannot be written: which figure of which row is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unwritable(String);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Unreadable {}
impl Error for Unwritable {}

/// What is looked at first: the rest may have another form.
#[derive(Deserialize)]
struct Head {
    format: u32,
}

impl Results {
    /// From JSON. The error does not name the file: its path is the caller's.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        let head: Head = serde_json::from_str(text)
            .map_err(|cause| Unreadable(format!("these are no results of the benchmark: {cause}")))?;
        known_format(head.format)?;
        serde_json::from_str(text).map_err(|cause| Unreadable(format!("results of the benchmark: {cause}")))
    }

    /// As JSON, with a line break at the end. Figures have seven digits.
    ///
    /// JSON has neither infinities nor NaNs; a figure that is one is named in the error.
    pub fn write(&self) -> Result<String, Unwritable> {
        self.check_figures()?;
        let mut text = serde_json::to_string_pretty(self).map_err(|cause| Unwritable(cause.to_string()))?;
        text.push('\n');
        Ok(text)
    }

    fn check_figures(&self) -> Result<(), Unwritable> {
        if !self.about.load.is_finite() {
            return Err(Unwritable("the machine's load is not a number".to_owned()));
        }
        for row in &self.rows {
            let asked = [row.asked.ratio, row.asked.share, row.asked.larger_percent];
            let wrong = if asked.into_iter().flatten().any(|figure| !figure.is_finite()) {
                Some("what is asked")
            } else {
                row.measured().and_then(not_a_number)
            };
            if let Some(figure) = wrong {
                return Err(Unwritable(format!("{}: {figure} is not a number", row.name)));
            }
        }
        let spans =
            self.timeline.iter().flat_map(|timeline| &timeline.threads).flat_map(|thread| &thread.spans);
        match spans.into_iter().find(|span| !(span.start.is_finite() && span.duration.is_finite())) {
            Some(span) => Err(Unwritable(format!("the time of a span '{}' is not a number", span.kind))),
            None => Ok(()),
        }
    }
}

/// A measured figure, to seven digits: more say nothing, and so many come back as they were.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
pub(crate) fn seven_digits<S: Serializer>(figure: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    let rounded = format!("{figure:.6e}").parse().unwrap_or(*figure);
    serializer.serialize_f64(rounded)
}

/// Whether a form of the JSON is the one that is known here.
pub(crate) fn known_format(format: u32) -> Result<(), Unreadable> {
    if format == FORMAT {
        return Ok(());
    }
    let which = if format > FORMAT { "a newer" } else { "an older" };
    Err(Unreadable(format!(
        "these results have format {format}, that of {which} h5bypass; this one knows format {FORMAT} only"
    )))
}

/// The figure that is none, if there is one.
fn not_a_number(measured: &Measured) -> Option<&'static str> {
    let is_figure =
        |spread: &Spread| [spread.median, spread.low, spread.high].iter().all(|figure| figure.is_finite());
    let are_times = |times: &Times| is_figure(&times.seconds) && is_figure(&times.cpu);
    [
        ("native time", are_times(&measured.native)),
        ("bypass time", are_times(&measured.bypass)),
        ("the limit's time", measured.limit.as_ref().is_none_or(are_times)),
        ("the ratio", is_figure(&measured.ratio)),
        ("the ratio of processor times", is_figure(&measured.cpu_ratio)),
        ("the share of the limit", measured.share.as_ref().is_none_or(is_figure)),
    ]
    .into_iter()
    .find_map(|(name, is_fine)| (!is_fine).then_some(name))
}
