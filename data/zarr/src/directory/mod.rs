//! A folder whose files are read and replaced as a whole.
//!
//! A file is written under a temporary name beside its own and then renamed, so that others see the old content or the new, and
//! so does who comes after the process was killed. A temporary file is locked while it is written. One that is not locked was
//! left behind, and whoever lists its folder removes it.

mod replace;

pub(crate) use replace::is_temporary;

use std::collections::HashSet;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use crate::error::ZarrError;

/// Folders that are remembered to be in the container, at most: an array may have very many.
const REMEMBERED: usize = 10_000;

/// When what was written is sure to survive a failure of the machine. It always survives the end of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// When the system writes it out.
    #[default]
    System,
    /// When the call that wrote it returns: the file is written out before it is renamed, and its folder after that.
    EachFile,
}

/// The folder of a container.
#[derive(Debug)]
pub(crate) struct Directory {
    /// As it was given, for messages.
    root: PathBuf,
    /// Without links.
    real_root: PathBuf,
    durability: Durability,
    /// Folders, without links, that are known to be in the container.
    inside: RwLock<HashSet<PathBuf>>,
}

/// What is in a folder.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) is_folder: bool,
}

impl Directory {
    pub(crate) fn open(root: &Path, durability: Durability) -> Result<Self, ZarrError> {
        let real_root = root.canonicalize().map_err(ZarrError::io("open", root))?;
        if !real_root.is_dir() {
            return Err(ZarrError::NotZarr { path: root.to_owned() });
        }
        Ok(Self { root: root.to_owned(), real_root, durability, inside: RwLock::default() })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The file or folder of this name. The name is one that was checked, or made of numbers.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        if name.is_empty() { self.root.clone() } else { self.root.join(name) }
    }

    /// Fails if links lead from this folder out of the container.
    pub(crate) fn check_inside(&self, folder: &Path) -> Result<(), ZarrError> {
        let known = self.inside.read().unwrap_or_else(PoisonError::into_inner).contains(folder);
        if known {
            return Ok(());
        }
        let escape = || ZarrError::Escape { path: folder.to_owned(), container: self.root.clone() };
        if folder.components().any(|component| component == Component::ParentDir)
            && !self.root.components().any(|component| component == Component::ParentDir)
        {
            return Err(escape());
        }
        match folder.canonicalize() {
            Ok(real) if real.starts_with(&self.real_root) => {
                let mut inside = self.inside.write().unwrap_or_else(PoisonError::into_inner);
                if inside.len() >= REMEMBERED {
                    inside.clear();
                }
                inside.insert(folder.to_owned());
                Ok(())
            }
            Ok(_) => Err(escape()),
            // What does not exist leads nowhere. Its parents may.
            Err(error) if error.kind() == ErrorKind::NotFound => match folder.parent() {
                Some(parent) if folder != self.root => self.check_inside(parent),
                _ => Ok(()),
            },
            Err(error) => Err(ZarrError::io("open", folder)(error)),
        }
    }

    /// Forgets what is known about folders, because one was moved or removed.
    pub(crate) fn forget(&self) {
        self.inside.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Opens a file to read; `None` if there is none.
    pub(crate) fn open_file(&self, path: &Path) -> Result<Option<(File, Metadata)>, ZarrError> {
        if let Some(parent) = path.parent() {
            self.check_inside(parent)?;
        }
        let fail = |error| ZarrError::io("open", path)(error);
        // Whoever made the container may have put anything in place of a file: a pipe must not make us wait.
        let open = |flags| OpenOptions::new().read(true).custom_flags(flags | libc::O_NONBLOCK).open(path);
        let file = match open(libc::O_NOFOLLOW) {
            Ok(file) => file,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) if error.raw_os_error() == Some(libc::ELOOP) => match path.canonicalize() {
                Ok(real) if real.starts_with(&self.real_root) => open(0).map_err(fail)?,
                Ok(_) => {
                    return Err(ZarrError::Escape { path: path.to_owned(), container: self.root.clone() });
                }
                Err(error) if is_missing(&error) => return Ok(None),
                Err(error) => return Err(fail(error)),
            },
            Err(error) => return Err(fail(error)),
        };
        let found = file.metadata().map_err(fail)?;
        if !found.is_file() {
            return Err(fail(io::Error::new(ErrorKind::InvalidInput, "it is not a file")));
        }
        Ok(Some((file, found)))
    }

    /// What the system says of a file; `None` if there is none.
    pub(crate) fn examine(&self, path: &Path) -> Result<Option<Metadata>, ZarrError> {
        if let Some(parent) = path.parent() {
            self.check_inside(parent)?;
        }
        match path.symlink_metadata() {
            Ok(found) if found.is_file() => Ok(Some(found)),
            // Links, and what should not be there.
            Ok(_) => Ok(self.open_file(path)?.map(|(_, found)| found)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(ZarrError::io("examine", path)(error)),
        }
    }

    /// All of a file; `None` if there is none. Fails before it takes memory if there are more than `most` bytes.
    pub(crate) fn read(&self, path: &Path, most: u64) -> Result<Option<Vec<u8>>, ZarrError> {
        let mut bytes = Vec::new();
        let length = self.read_into(path, most, &mut bytes)?;
        Ok(length.map(|length| {
            bytes.truncate(length);
            bytes
        }))
    }

    /// The same into a buffer that is used again and again; how many bytes of it are the file's.
    pub(crate) fn read_into(
        &self,
        path: &Path,
        most: u64,
        bytes: &mut Vec<u8>,
    ) -> Result<Option<usize>, ZarrError> {
        let Some((mut file, found)) = self.open_file(path)? else { return Ok(None) };
        let length = found.len();
        let too_large = || {
            let reason = format!("it has {length} bytes, more than make sense");
            ZarrError::io("read", path)(io::Error::new(ErrorKind::InvalidData, reason))
        };
        if length > most {
            return Err(too_large());
        }
        let room = usize::try_from(length).map_err(|_| too_large())?;
        if let Some(more) = room.checked_sub(bytes.len()) {
            let reserved = bytes.try_reserve_exact(more);
            reserved.map_err(|_| ZarrError::io("read", path)(ErrorKind::OutOfMemory.into()))?;
            bytes.resize(room, 0);
        }
        // Files are replaced, not changed: what there is has this length. One that was cut short has less.
        let mut done = 0;
        while done < room {
            match file.read(&mut bytes[done..room]) {
                Ok(0) => break,
                Ok(count) => done += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(ZarrError::io("read", path)(error)),
            }
        }
        Ok(Some(done))
    }

    /// What is in a folder, except temporary files; nothing if there is no such folder. Removes what other processes have
    /// left behind, if it may.
    pub(crate) fn list(&self, folder: &Path, clean: bool) -> Result<Vec<Entry>, ZarrError> {
        self.check_inside(folder)?;
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if is_missing(&error) => return Ok(Vec::new()),
            Err(error) => return Err(ZarrError::io("list", folder)(error)),
        };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry.map_err(ZarrError::io("list", folder))?;
            // Names that are not text are nobody's nodes or chunks.
            let Ok(name) = entry.file_name().into_string() else { continue };
            if is_temporary(&name) {
                if clean {
                    replace::clean(&entry.path());
                }
                continue;
            }
            let is_folder = match entry.file_type() {
                Ok(kind) if kind.is_symlink() => entry.path().is_dir(),
                Ok(kind) => kind.is_dir(),
                Err(error) => return Err(ZarrError::io("examine", &entry.path())(error)),
            };
            found.push(Entry { name, is_folder });
        }
        Ok(found)
    }

    /// Replaces a file, and makes its folder if there is none.
    pub(crate) fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), ZarrError> {
        if let Some(parent) = path.parent() {
            self.check_inside(parent)?;
        }
        replace::replace(path, bytes, self.durability)
    }

    /// Removes a file; whether there was one.
    pub(crate) fn remove_file(&self, path: &Path) -> Result<bool, ZarrError> {
        if let Some(parent) = path.parent() {
            self.check_inside(parent)?;
        }
        match fs::remove_file(path) {
            Ok(()) => Ok(true),
            Err(error) if is_missing(&error) => Ok(false),
            Err(error) => Err(ZarrError::io("remove", path)(error)),
        }
    }

    /// Removes a folder with all that is in it. It is renamed first, so that others see all of it or nothing.
    pub(crate) fn remove_folder(&self, path: &Path) -> Result<(), ZarrError> {
        self.check_inside(path)?;
        self.forget();
        replace::remove_folder(path)
    }

    /// Moves a folder to a name that is not in use.
    pub(crate) fn rename(&self, from: &Path, to: &Path) -> Result<(), ZarrError> {
        self.check_inside(from)?;
        if to.symlink_metadata().is_ok() {
            return Err(ZarrError::Exists { path: to.to_owned() });
        }
        if let Some(parent) = to.parent() {
            self.check_inside(parent)?;
        }
        self.forget();
        fs::rename(from, to).map_err(ZarrError::io("rename", from))
    }

    /// Fails if nothing can be written to the folder, as HDF5 fails to open a file: not only when something is written.
    pub(crate) fn check_writable(&self) -> Result<(), ZarrError> {
        // A file without a name, which nobody sees. File systems that do not have such files do not tell.
        let opened = OpenOptions::new().write(true).custom_flags(libc::O_TMPFILE).open(&self.root);
        match opened {
            Err(error) if matches!(error.raw_os_error(), Some(libc::EACCES | libc::EPERM | libc::EROFS)) => {
                Err(ZarrError::io("write to", &self.root)(error))
            }
            _ => Ok(()),
        }
    }

    /// Locks the container, for as long as the result lives. Nothing is locked where the file system has no locks.
    pub(crate) fn lock(&self, exclusive: bool) -> Result<File, ZarrError> {
        let folder = File::open(&self.root).map_err(ZarrError::io("open", &self.root))?;
        match store::try_lock(&folder, exclusive) {
            Ok(false) => Err(ZarrError::Locked { path: self.root.clone() }),
            // Network file systems may refuse to lock folders. HDF5 goes on without a lock there, too.
            Ok(true) | Err(_) => Ok(folder),
        }
    }
}

/// Whether there is nothing of that name.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
