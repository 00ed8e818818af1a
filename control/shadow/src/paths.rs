//! Names of other files that a container has.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Where native HDF5 looks for the file of a source of a virtual dataset. The dataset may have been opened with a prefix
/// (`H5Pset_virtual_prefix`).
pub(crate) fn source_candidates(root: &Path, file: &[u8], prefix: &[u8]) -> Vec<PathBuf> {
    let file = Path::new(OsStr::from_bytes(file));
    let (folder, mut all) = (root.parent(), Vec::new());
    // What follows an absolute name that leads nowhere is its last part.
    let (first, rest) = match file.file_name().filter(|_| file.is_absolute()) {
        Some(last) => (Some(file.to_owned()), Path::new(last)),
        None => (None, file),
    };
    all.extend(first);
    let in_prefix = |prefix: &Path| match (prefix.strip_prefix("${ORIGIN}"), folder) {
        (Ok(inside), Some(folder)) => folder.join(inside).join(rest),
        _ => prefix.join(rest),
    };
    if let Some(prefixes) = std::env::var_os("HDF5_VDS_PREFIX") {
        all.extend(std::env::split_paths(&prefixes).map(|prefix| in_prefix(&prefix)));
    }
    if !prefix.is_empty() {
        all.push(in_prefix(Path::new(OsStr::from_bytes(prefix))));
    }
    all.extend(folder.map(|folder| folder.join(rest)));
    all.push(rest.to_owned());
    all
}

/// Where native HDF5 looks for a file that a link names: beside the file that has the link, and in the present folder.
pub(crate) fn candidates(root: &Path, file: &[u8]) -> Vec<PathBuf> {
    let file = Path::new(OsStr::from_bytes(file));
    if file.is_absolute() {
        let beside = root.parent().zip(file.file_name()).map(|(folder, name)| folder.join(name));
        return [Some(file.to_owned()), beside].into_iter().flatten().collect();
    }
    let mut all = Vec::new();
    if let Some(prefixes) = std::env::var_os("HDF5_EXT_PREFIX") {
        all.extend(std::env::split_paths(&prefixes).map(|prefix| prefix.join(file)));
    }
    all.extend(root.parent().map(|folder| folder.join(file)));
    all.push(file.to_owned());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_comes_before_the_folder_of_the_dataset() {
        let found = source_candidates(Path::new("/data/v.zarr"), b"s.zarr", b"/other");
        assert_eq!(found, ["/other/s.zarr", "/data/s.zarr", "s.zarr"].map(PathBuf::from));
        let found = source_candidates(Path::new("/data/v.zarr"), b"/gone/s.zarr", b"${ORIGIN}/in");
        assert_eq!(found, ["/gone/s.zarr", "/data/in/s.zarr", "/data/s.zarr", "s.zarr"].map(PathBuf::from));
    }
}
