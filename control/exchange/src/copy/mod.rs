//! Copies a file, or an object with everything below it, into another file or container.
//!
//! `tree` makes groups, links and objects, each object once. `datasets` decides how each dataset is copied: chunks as they are
//! stored if nothing about them changes, and elements otherwise. References are put in last (`references`): only then is everything
//! there that they can lead to.

mod attributes;
mod chunks;
mod datasets;
mod elements;
mod file;
mod plan;
mod references;
mod tree;
mod types;
mod whole;

use std::collections::HashMap;
use std::ffi::CString;
use std::rc::Rc;

use h5_client::{Datatype, File, Filter, Object as _, Session};
use serde::{Deserialize, Serialize};

pub use plan::{Step, Way, plan};
pub use whole::copy_bytes;

use crate::error::{At as _, Error, Result};
use crate::place::{Place, Side};
use crate::progress::Progress;
use crate::walk::Identity;

/// What is changed on the way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// The filters of all datasets, in the order of writing; none at all if empty.
    pub filters: Option<Vec<Filter>>,
    /// The shape of chunks of datasets with as many dimensions.
    pub chunk: Option<Vec<u64>>,
    /// Chunks are decoded and encoded again even if nothing about them changes.
    pub again: bool,
}

/// What was copied.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Groups, datasets and committed datatypes.
    pub objects: u64,
    /// Datasets among them.
    pub datasets: u64,
    /// Attributes.
    pub attributes: u64,
    /// Bytes of elements, or of the file if its bytes were copied.
    pub bytes: u64,
    /// Chunks that were copied as they are stored.
    pub chunks_as_stored: u64,
    /// Whether the bytes of the file were copied.
    pub as_bytes: bool,
    /// References that lead out of what was copied, and lead nowhere now.
    pub lost_references: u64,
}

/// Copies the source. The destination's file is made, or it is opened if `into_existing`; its object must not exist.
pub fn copy(
    session: &Session,
    source: &Place,
    destination: &Place,
    into_existing: bool,
    changes: &Changes,
    progress: &mut dyn Progress,
) -> Result<Summary> {
    let side = source.open(session)?;
    progress.expects(plan::plan_open(&side, destination, changes)?.iter().map(|step| step.bytes).sum());
    let file = file::target(session, &side, destination, into_existing)?;
    let is_plain = file.connector().at(|| destination.shown())?.is_some_and(|name| is_plain(&name));
    let mut copying = Copying {
        source: &side,
        target: &file,
        destination,
        is_plain_source: is_plain_connector(&side)?,
        is_plain_target: is_plain,
        changes,
        progress,
        summary: Summary::default(),
        done: HashMap::new(),
        types: HashMap::new(),
        pending: Vec::new(),
    };
    copying.tree()?;
    copying.references()?;
    let summary = copying.summary;
    drop(copying.types);
    // What could not be written before, such as on a full disk, is told now.

    file.flush_file().at(|| destination.shown())?;
    file.close().at(|| destination.shown())?;
    file::finish(&side, destination)?;
    Ok(summary)
}

/// Whether datasets are stored as in HDF5 files.
fn is_plain(connector: &str) -> bool {
    connector == "bypass" || connector == "native"
}

fn is_plain_connector(side: &Side) -> Result<bool> {
    Ok(is_plain(&side.connector()?))
}

/// A copy under way.
struct Copying<'c> {
    source: &'c Side,
    target: &'c File,
    destination: &'c Place,
    is_plain_source: bool,
    is_plain_target: bool,
    changes: &'c Changes,
    progress: &'c mut dyn Progress,
    summary: Summary,
    /// Objects that are copied, and their paths in the target.
    done: HashMap<Identity, CString>,
    /// Committed datatypes that are copied. They stay open until each has a name.
    types: HashMap<Identity, Rc<Datatype>>,
    /// Where references are still to be put in.
    pending: Vec<references::Pending>,
}

impl Copying<'_> {
    /// An object of the target, for messages.
    fn target_shown(&self, path: &std::ffi::CStr) -> String {
        format!("{}:{}", self.destination.file.display(), path.to_string_lossy())
    }

    fn check_stopped(&self) -> Result<()> {
        if self.progress.is_stopped() {
            return Err(Error::new(self.source.place.shown(), "the copy was stopped"));
        }
        Ok(())
    }
}
