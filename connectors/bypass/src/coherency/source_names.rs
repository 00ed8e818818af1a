//! Where the file of a source may be, by HDF5's rules.

use std::ffi::{CStr, CString, OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The folders that relative names of source files may start from.
#[derive(Debug)]
pub(crate) struct Folders {
    /// What the dataset was opened with.
    prefix: OsString,
    /// That of the file with the virtual dataset, when it was opened.
    own: PathBuf,
    /// The same, if links are followed.
    actual: PathBuf,
}

impl Folders {
    /// `name` is what the file with the virtual dataset was opened by, and `identity` tells which file that is. `None` if it
    /// is not there any more: then it cannot be told where the process was when it was opened.
    pub(crate) fn new(prefix: &CStr, name: &OsStr, identity: (u64, u64)) -> Option<Self> {
        let path = std::env::current_dir().ok()?.join(name);
        let found = fs::metadata(&path).ok()?;
        if (found.dev(), found.ino()) != identity {
            return None;
        }
        let actual = if fs::symlink_metadata(&path).ok()?.is_symlink() {
            fs::canonicalize(&path).ok()?.parent()?.to_path_buf()
        } else {
            Path::new(name).parent()?.to_path_buf()
        };
        let prefix = OsStr::from_bytes(prefix.to_bytes()).to_owned();
        Some(Self { prefix, own: path.parent()?.to_path_buf(), actual })
    }

    /// The names to try, in this order. `environment` is what the environment says now.
    pub(crate) fn names(&self, file: &CStr, environment: Option<OsString>) -> Vec<CString> {
        let name = OsStr::from_bytes(file.to_bytes());
        let is_absolute = file.to_bytes().starts_with(b"/");
        // If an absolute name leads nowhere, its last part is looked for in all other places.
        let relative = if is_absolute {
            OsStr::from_bytes(file.to_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default())
        } else {
            name
        };
        let mut paths = Vec::new();
        if is_absolute {
            paths.push(name.to_owned());
        }
        let environment = environment.unwrap_or_default().into_vec();
        let prefixes = environment.split(|byte| *byte == b':').filter(|prefix| !prefix.is_empty());
        paths.extend(prefixes.map(|prefix| joined(OsStr::from_bytes(prefix), relative)));
        if !self.prefix.is_empty() {
            paths.push(joined(&self.prefix, relative));
        }
        paths.push(joined(self.own.as_os_str(), relative));
        paths.push(relative.to_owned());
        paths.push(joined(self.actual.as_os_str(), relative));
        paths.into_iter().filter_map(|path| CString::new(path.into_vec()).ok()).collect()
    }
}

/// A folder and a name in it, as text: HDF5 does not care whether the name is absolute.
fn joined(folder: &OsStr, name: &OsStr) -> OsString {
    let mut path = folder.to_owned();
    if !folder.is_empty() && !folder.as_bytes().ends_with(b"/") {
        path.push("/");
    }
    path.push(name);
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folders: &Folders, file: &CStr, environment: Option<&str>) -> Vec<String> {
        let names = folders.names(file, environment.map(OsString::from));
        names.into_iter().map(|name| name.into_string().unwrap()).collect()
    }

    #[test]
    fn names_are_tried_in_the_order_of_hdf5() {
        let folders = Folders { prefix: "pre".into(), own: "/data/own".into(), actual: "/real".into() };
        assert_eq!(
            names(&folders, c"a/b.h5", Some("/one::two/")),
            ["/one/a/b.h5", "two/a/b.h5", "pre/a/b.h5", "/data/own/a/b.h5", "a/b.h5", "/real/a/b.h5"]
        );
        let folders = Folders { prefix: OsString::new(), own: "/".into(), actual: PathBuf::new() };
        assert_eq!(names(&folders, c"/x/b.h5", None), ["/x/b.h5", "/b.h5", "b.h5", "b.h5"]);
    }

    #[test]
    fn the_file_must_still_be_there() {
        let found = fs::metadata("/usr/bin/env").unwrap();
        let identity = (found.dev(), found.ino());
        let folders = Folders::new(c"", OsStr::new("/usr/bin/env"), identity).unwrap();
        assert_eq!(folders.own, Path::new("/usr/bin"));
        assert!(Folders::new(c"", OsStr::new("/usr/bin/env"), (identity.0, identity.1 + 1)).is_none());
        assert!(Folders::new(c"", OsStr::new("/usr/bin/nowhere"), identity).is_none());
    }
}
