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
mod lent;
mod plan;
mod references;
mod tree;
mod types;
mod whole;

use std::collections::{HashMap, VecDeque};
use std::ffi::{CStr, CString};
use std::rc::Rc;

use h5_client::{
    AnyLocation, AnyObject, CopyFlags, DatasetAccess, Datatype, Filter, Object as _, ObjectInfo, Session,
};
use serde::{Deserialize, Serialize};

pub use lent::{Target, Wanted, copy_lent};
pub use plan::{Step, Way, plan};
pub use whole::copy_bytes;

use crate::error::{At as _, Error, Result};
use crate::place::{Place, Side, is_plain, open_below};
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
    let file = AnyLocation::File(file::target(session, &side, destination, into_existing)?);
    let is_plain = file.connector().at(|| destination.shown())?.is_some_and(|name| is_plain(&name));
    let mut copying = Copying {
        source: &side,
        target: &file,
        destination,
        is_plain_target: is_plain,
        named_types: None,
        wanted: None,
        changes,
        progress,
        summary: Summary::default(),
        done: HashMap::new(),
        types: HashMap::new(),
        pending: VecDeque::new(),
        referenced: Vec::new(),
        there: None,
    };
    copying.tree()?;
    copying.references()?;
    let summary = copying.summary;
    drop(copying.types);
    // What could not be written before, such as on a full disk, is told now.
    file.flush_file().at(|| destination.shown())?;
    if let AnyLocation::File(file) = file {
        file.close().at(|| destination.shown())?;
    }
    file::finish(&side, destination)?;
    Ok(summary)
}

/// An object among all that are open: the number of its file, and its identity there.
type Known = (u64, Identity);

fn known(info: &ObjectInfo) -> Known {
    (info.fileno, info.token.into())
}

/// A copy under way.
struct Copying<'c> {
    source: &'c Side,
    /// What paths of the target are relative to.
    target: &'c AnyLocation,
    destination: &'c Place,
    is_plain_target: bool,
    /// If committed datatypes are known by their names only: names that they have until the end.
    named_types: Option<Vec<CString>>,
    /// How an application wants it; as completely as possible, if it is none's.
    wanted: Option<&'c Wanted>,
    changes: &'c Changes,
    progress: &'c mut dyn Progress,
    summary: Summary,
    /// Objects that are copied, and their paths in the target.
    done: HashMap<Known, CString>,
    /// Committed datatypes that are copied. They stay open until each has a name.
    types: HashMap<Known, Rc<Datatype>>,
    /// Where references are still to be put in.
    pending: VecDeque<references::Pending>,
    /// Objects of the source that only references lead to, and the names of their copies. Their paths begin with `//` and their number
    /// here.
    referenced: Vec<(AnyObject, CString)>,
    /// Committed datatypes that the target had before, once they were looked for.
    there: Option<Vec<Rc<Datatype>>>,
}

impl Copying<'_> {
    fn flags(&self) -> CopyFlags {
        self.wanted.map(|wanted| wanted.flags).unwrap_or_default()
    }

    /// Opens an object of the source by its path.
    ///
    /// External links are not followed in an application's call: HDF5 notes in the file behind one through which connector it was opened,
    /// and would close it through another.
    fn open_source(&self, path: &CStr) -> Result<AnyObject> {
        let within = match self.wanted {
            Some(_) => {
                let session = self.target.handle().session();
                Some(DatasetAccess::within_the_file(session).at(|| self.source.shown(path))?)
            }
            None => None,
        };
        let Some(rest) = path.to_bytes().strip_prefix(b"//") else {
            return open_below(&self.source.root, path, within.as_ref()).at(|| self.source.shown(path));
        };
        let end = rest.iter().position(|byte| *byte == b'/').unwrap_or(rest.len());
        let number = std::str::from_utf8(&rest[..end]).ok().and_then(|digits| digits.parse::<usize>().ok());
        let (Some((base, _)), Ok(below)) =
            (number.and_then(|number| self.referenced.get(number)), CString::new(&rest[end..]))
        else {
            return Err(Error::new(self.source.shown(path), "there is no such object"));
        };
        open_below(base, &below, within.as_ref()).at(|| self.source.shown(path))
    }

    /// An object of the target, for messages.
    fn target_shown(&self, path: &CStr) -> String {
        format!("{}:{}", self.destination.file.display(), path.to_string_lossy())
    }

    fn check_stopped(&self) -> Result<()> {
        if self.progress.is_stopped() {
            return Err(Error::new(self.source.place.shown(), "the copy was stopped"));
        }
        Ok(())
    }
}
