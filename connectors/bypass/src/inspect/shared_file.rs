//! Files that processes share through MPI, and only read.
//!
//! HDF5 reads such a file through MPI, whose collective calls all processes must make together. We read it through a descriptor
//! of our own. What we do not read HDF5 reads independently (see [`crate::transfer::shared_read`]), so no process ever waits for
//! another one, whatever each of them finds out by itself. Whether a file is treated like this depends only on what all
//! processes share: how they open it, the environment, and the kind of file system.

use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::Source;
use h5_host::Questions;
use h5_vol::native::NativeFile;
use store::{Descriptor, Store, is_on_parallel_file_system};

use crate::configuration::MpiReads;
use crate::report::reason::Reason;

/// What MPI's libraries take from the beginning of a name: the kind of file system.
const PREFIXES: [&str; 12] = [
    "ufs:", "nfs:", "xfs:", "lustre:", "gpfs:", "panfs:", "pvfs2:", "ime:", "daos:", "quobyte:", "testfs:",
    "beegfs:",
];

/// A file that processes share to read it.
#[derive(Debug)]
pub(crate) struct SharedFile {
    /// A descriptor of our own, or why there is none: then HDF5 reads everything, in this process.
    own: Result<Arc<File>, String>,
    /// Collective reads of data without filters are left to HDF5, in which a few processes read for all.
    aggregates: bool,
}

impl SharedFile {
    /// A file that HDF5 has just opened under this name.
    pub(crate) fn open(name: &CStr, reads: MpiReads) -> Self {
        let own = path_of(name).and_then(|path| {
            // A pipe would be waited for.
            let is_file = std::fs::metadata(&path).map_err(|error| error.to_string())?.is_file();
            if !is_file {
                return Err("it is not a regular file".to_owned());
            }
            File::open(&path).map(Arc::new).map_err(|error| error.to_string())
        });
        let is_parallel =
            || path_of(name).is_ok_and(|path| is_on_parallel_file_system(&path).unwrap_or(false));
        let aggregates = match reads {
            MpiReads::Native | MpiReads::All => false,
            MpiReads::Filtered => true,
            MpiReads::Auto => is_parallel(),
        };
        Self { own, aggregates }
    }

    /// Whether collective reads of data without filters are left to HDF5.
    pub(crate) fn aggregates(&self) -> bool {
        self.aggregates
    }

    /// Its bytes. What was opened under the name must be as long as what HDF5 has open.
    pub(super) fn source(&self, questions: Questions, file: &NativeFile) -> Result<Source, Reason> {
        let own = self.own.as_ref().map_err(|cause| Reason::MpiUnreadable(cause.clone()))?;
        let size = file.size(questions).ok_or(Reason::Untold("file"))?;
        let store = Store::new(Descriptor::lent(Arc::clone(own) as _), size);
        if store.size() != Some(size) {
            return Err(Reason::MpiUnreadable("a file of another size has its name".to_owned()));
        }
        Ok(Source::File(Arc::new(store)))
    }
}

/// Where the file of a name is. MPI's libraries do not agree on what a colon means, except after a file system's name.
fn path_of(name: &CStr) -> Result<PathBuf, String> {
    let name = name.to_bytes();
    let prefix = PREFIXES.iter().find(|prefix| name.starts_with(prefix.as_bytes()));
    let path = &name[prefix.map_or(0, |prefix| prefix.len())..];
    if path.contains(&b':') {
        return Err("there is a colon in its name, which MPI may take for the end of a prefix".to_owned());
    }
    Ok(Path::new(OsStr::from_bytes(path)).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_file_system_is_not_a_part_of_the_name() {
        let path = |name: &CStr| path_of(name).ok();
        assert_eq!(path(c"a/b.h5"), Some("a/b.h5".into()));
        assert_eq!(path(c"ufs:a/b.h5"), Some("a/b.h5".into()));
        assert_eq!(path(c"lustre:/a/b.h5"), Some("/a/b.h5".into()));
        assert_eq!(path(c"ufs"), Some("ufs".into()));
        assert_eq!(path(c"other:a"), None);
        assert_eq!(path(c"a/ufs:b"), None);
        assert_eq!(path(c"ufs:a:b"), None);
    }

    #[test]
    fn only_regular_files_are_opened() {
        let open = |name| SharedFile::open(name, MpiReads::Auto);
        assert!(open(c"/proc/self/stat").own.is_ok());
        assert!(open(c"/proc/self").own.is_err());
        assert!(open(c"/dev/null").own.is_err());
        assert!(open(c"/nowhere/at/all").own.is_err());
        assert!(!open(c"/proc/self/stat").aggregates());
        assert!(SharedFile::open(c"/proc/self/stat", MpiReads::Filtered).aggregates());
    }
}
