//! The temporary name of a copy. What is there is removed, unless it gets the final name.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::exchange::sides::shown;

/// Something under a temporary name, beside the final one.
#[derive(Debug)]
pub(super) struct Temporary {
    path: PathBuf,
    is_kept: bool,
}

impl Temporary {
    /// A name beside the final one that nothing has. Names of Zarr directories end as such.
    pub(super) fn beside(name: &Path, is_zarr: bool) -> Result<Self> {
        let Some(last) = name.file_name() else { bail!("{}: is not the name of a file", shown(name)) };
        let folder = name.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            bail!("{}: there is no directory {}", shown(name), shown(folder));
        }
        let mut hidden = OsString::from(".");
        hidden.push(last);
        hidden.push(format!(".h5bypass-{}", std::process::id()));
        if is_zarr {
            hidden.push(".zarr");
        }
        let path = folder.join(hidden);
        if path.symlink_metadata().is_ok() {
            bail!("{}: the temporary name {} is taken", shown(name), shown(&path));
        }
        Ok(Self { path, is_kept: false })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it the final name. What has that name is replaced if that is allowed.
    pub(super) fn rename(mut self, name: &Path, replace: bool) -> Result<()> {
        // It may have come to exist meanwhile.
        let old = name.symlink_metadata().ok();
        if old.is_some() && !replace {
            bail!("{}: exists now; use --force to replace it", shown(name));
        }
        let failed = || format!("{}: renaming the copy", shown(name));
        if !old.is_some_and(|old| old.is_dir()) && self.path.is_file() {
            fs::rename(&self.path, name).with_context(failed)?;
        } else {
            // A directory takes no place that is not empty: the old one is put aside first.
            let aside = Self { path: self.path.with_extension("old"), is_kept: false };
            match fs::rename(name, &aside.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(error).with_context(failed);
                }
                _ => {}
            }
            if let Err(error) = fs::rename(&self.path, name) {
                let _ = fs::rename(&aside.path, name);
                return Err(error).with_context(failed);
            }
        }
        self.is_kept = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.is_kept {
            // It may never have been made.
            let _ =
                if self.path.is_dir() { fs::remove_dir_all(&self.path) } else { fs::remove_file(&self.path) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::scratch;

    #[test]
    fn files_and_directories_are_replaced_or_removed() {
        let scratch = scratch::directory().unwrap();
        let name = scratch.path().join("x.h5");
        let left = || fs::read_dir(scratch.path()).unwrap().count();
        let temporary = Temporary::beside(&name, false).unwrap();
        fs::write(temporary.path(), "new").unwrap();
        drop(temporary);
        assert_eq!(left(), 0, "removed");
        fs::write(&name, "old").unwrap();
        let temporary = Temporary::beside(&name, false).unwrap();
        fs::write(temporary.path(), "new").unwrap();
        assert!(temporary.rename(&name, false).is_err() && fs::read(&name).unwrap() == b"old");
        let temporary = Temporary::beside(&name, false).unwrap();
        fs::write(temporary.path(), "new").unwrap();
        temporary.rename(&name, true).unwrap();
        assert!(fs::read(&name).unwrap() == b"new" && left() == 1);
        let directory = scratch.path().join("x.zarr");
        for text in ["first", "second"] {
            let temporary = Temporary::beside(&directory, true).unwrap();
            assert_eq!(temporary.path().extension().unwrap(), "zarr");
            fs::create_dir(temporary.path()).unwrap();
            fs::write(temporary.path().join("zarr.json"), text).unwrap();
            temporary.rename(&directory, true).unwrap();
            assert!(fs::read(directory.join("zarr.json")).unwrap() == text.as_bytes() && left() == 2);
        }
        assert!(Temporary::beside(Path::new("/no/such/place"), false).is_err());
    }
}
