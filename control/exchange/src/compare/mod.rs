//! Compares two files, or two objects with everything below them.
//!
//! `objects` walks both sides at once, along hard links. Each pair of objects is compared once: what has one identity on one side must
//! have one on the other. What is missing, or cannot be compared, is a difference.

mod attributes;
mod datasets;
mod elements;
mod leads;
mod objects;
mod properties;
mod report;
mod stored;

use std::collections::HashMap;
use std::ffi::{CStr, CString};

use h5_client::Session;

pub use report::{Difference, ElementDifference, Kind, Report, Statistics};

use crate::error::{Error, Result};
use crate::place::{Place, Side};
use crate::progress::Progress;
use crate::values::Tolerance;
use crate::walk::Identity;
use leads::Names;

/// What is compared, and how.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct Options {
    /// Types may differ if their elements can be compared: numbers with numbers, strings with strings.
    pub convertible: bool,
    /// How far numbers may be apart.
    pub tolerance: Tolerance,
    /// How objects are stored is compared, too.
    pub properties: bool,
    /// The order of creation is compared, too.
    pub order: bool,
    /// Objects (with everything below them) and attributes (`/object@name`) that are left out.
    pub excluded: Vec<CString>,
    /// Differing elements that are listed of a dataset or attribute.
    pub most_elements: usize,
    /// The first difference is enough.
    pub first_only: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            convertible: false,
            tolerance: Tolerance::default(),
            properties: false,
            order: false,
            excluded: Vec::new(),
            most_elements: 10,
            first_only: false,
        }
    }
}

impl Options {
    fn excludes(&self, path: &CStr) -> bool {
        self.excluded.iter().any(|excluded| {
            let (path, excluded) = (path.to_bytes(), excluded.to_bytes());
            let excluded = excluded.strip_suffix(b"/").unwrap_or(excluded);
            path.strip_prefix(excluded).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
        })
    }

    fn excludes_attribute(&self, path: &CStr, name: &CStr) -> bool {
        let full = [path.to_bytes(), b"@", name.to_bytes()].concat();
        self.excluded.iter().any(|excluded| excluded.to_bytes() == full)
    }
}

/// Compares two sides. Fails only if one cannot be opened, or the work was stopped; everything else is a difference.
pub fn compare(
    session: &Session,
    a: &Place,
    b: &Place,
    options: &Options,
    progress: &mut dyn Progress,
) -> Result<Report> {
    let (a, b) = (a.open(session)?, b.open(session)?);
    compare_open(&a, &b, options, progress)
}

/// Compares two sides that are open.
pub fn compare_open(a: &Side, b: &Side, options: &Options, progress: &mut dyn Progress) -> Result<Report> {
    let mut report = Report::default();
    if a.is_same(b)? {
        return Ok(report);
    }
    let mut comparison = Comparison {
        a,
        b,
        options,
        progress,
        report: &mut report,
        partners: HashMap::new(),
        partners_of_b: HashMap::new(),
        names: (Names::new(a), Names::new(b)),
    };
    comparison.run()?;
    Ok(report)
}

/// A comparison under way.
struct Comparison<'c> {
    a: &'c Side,
    b: &'c Side,
    options: &'c Options,
    progress: &'c mut dyn Progress,
    report: &'c mut Report,
    /// Each object of the first side that was met, its partner and their name.
    partners: HashMap<Identity, (Identity, CString)>,
    /// The same from the other side.
    partners_of_b: HashMap<Identity, CString>,
    /// What references lead to.
    names: (Names<'c>, Names<'c>),
}

impl Comparison<'_> {
    fn found(&mut self, path: &CStr, attribute: Option<&CStr>, difference: Difference) {
        self.report.differences.push(Difference {
            path: path.to_string_lossy().into_owned(),
            attribute: attribute.map(|name| name.to_string_lossy().into_owned()),
            ..difference
        });
    }

    /// Whether nothing more needs to be compared.
    fn is_done(&self) -> bool {
        self.options.first_only && !self.report.differences.is_empty()
    }

    fn check_stopped(&self) -> Result<()> {
        if self.progress.is_stopped() {
            return Err(Error::new(self.a.place.shown(), "the comparison was stopped"));
        }
        Ok(())
    }
}
