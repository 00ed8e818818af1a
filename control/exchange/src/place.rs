//! A side of a comparison or copy: a file or container, the object in it, and the connector that it is opened through.

use std::ffi::{CStr, CString};
use std::path::{Path, PathBuf};

use h5_client::{AnyObject, Connector, DatasetAccess, File, FileAccess, Object as _, Session};

use crate::error::{At as _, Error, Result};

/// What a side is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file or container.
    pub file: PathBuf,
    /// The path of an object in it; the whole file, if absent.
    pub object: Option<CString>,
    /// The name of the connector; HDF5's default, if absent.
    pub connector: Option<CString>,
    /// The connector's info.
    pub info: Option<CString>,
}

impl Place {
    /// A whole file, through the default connector.
    pub fn file(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into(), object: None, connector: None, info: None }
    }

    /// The same through this connector.
    ///
    /// # Panics
    /// If the name has a NUL byte.
    #[must_use]
    pub fn through(self, connector: &str) -> Self {
        Self { connector: Some(CString::new(connector).expect("a name without a NUL byte")), ..self }
    }

    /// For messages.
    pub fn shown(&self) -> String {
        let file = self.file.display();
        match &self.object {
            None => file.to_string(),
            Some(object) => format!("{file}:{}", object.to_string_lossy()),
        }
    }

    /// How the file is opened.
    pub(crate) fn access(&self, session: &Session) -> Result<FileAccess> {
        let Some(name) = &self.connector else { return Ok(FileAccess::default_of(session)) };
        let shown = || format!("{}: connector '{}'", self.shown(), name.to_string_lossy());
        // HDF5's cache of plugins keeps the pointer to the name.
        let name: &'static CStr = Box::leak(name.clone().into_boxed_c_str());
        let connector =
            if name == c"native" { Connector::native(session) } else { Connector::by_name(session, name) }
                .at(shown)?;
        let info = match &self.info {
            None => None,
            Some(info) => Some(connector.info(info).at(shown)?),
        };
        FileAccess::through(&connector, info.as_ref()).at(shown)
    }

    /// Opens it for reading.
    pub(crate) fn open(&self, session: &Session) -> Result<Side> {
        let access = self.access(session)?;
        let file = File::open(session, &self.file, &access).at(|| self.file.display().to_string())?;
        Side::new(self.clone(), file)
    }
}

/// An open side.
pub struct Side {
    /// What it is called.
    pub place: Place,
    /// The object that it is about. It is closed before its file.
    pub root: AnyObject,
    /// Its file. Nothing if an application has it open, and only lends the object.
    pub file: Option<File>,
    /// Whether datasets are stored as in HDF5 files.
    pub(crate) is_plain: bool,
}

impl Side {
    pub(crate) fn new(place: Place, file: File) -> Result<Self> {
        let name = place.object.clone().unwrap_or_else(|| c"/".to_owned());
        let root = AnyObject::open(&file, &name).at(|| place.shown())?;
        let is_plain = file.connector().at(|| place.shown())?.is_some_and(|name| is_plain(&name));
        Ok(Self { place, root, file: Some(file), is_plain })
    }

    /// An object that an application lends. `is_plain`: datasets are stored as in HDF5 files.
    pub fn lent(root: AnyObject, is_plain: bool) -> Result<Self> {
        let place = Place::file(root.file_name().at(|| "what is copied".to_owned())?);
        Ok(Self { place, root, file: None, is_plain })
    }

    /// An object below the root, for messages.
    pub fn shown(&self, path: &CStr) -> String {
        format!("{}:{}", self.place.file.display(), self.absolute(path).to_string_lossy())
    }

    /// The path in the file of an object with this path below the root.
    pub fn absolute(&self, path: &CStr) -> CString {
        let top = self.place.object.as_deref().unwrap_or(c"/").to_bytes();
        let top: &[u8] = top.strip_suffix(b"/").unwrap_or(top);
        let below = path.to_bytes().strip_prefix(b"/").unwrap_or(path.to_bytes());
        let joined =
            if below.is_empty() && !top.is_empty() { top.to_vec() } else { [top, b"/", below].concat() };
        CString::new(joined).unwrap_or_default()
    }

    /// Opens an object by its path below the root.
    pub(crate) fn open(&self, path: &CStr) -> Result<AnyObject> {
        open_below(&self.root, path, None).at(|| self.shown(path))
    }

    /// Name of the connector that it really goes through.
    fn connector(&self) -> Result<String> {
        Ok(self.root.connector().at(|| self.place.shown())?.unwrap_or_default())
    }

    /// The file itself, if addresses that HDF5 tells are places in it: it is a regular file that HDF5 reads without a driver of
    /// its own, and begins without a user block.
    pub(crate) fn plain_file(&self) -> Result<Option<std::fs::File>> {
        let Some(open) = self.file.as_ref().filter(|_| self.is_plain) else { return Ok(None) };
        let block = open.creation().and_then(|list| list.user_block()).at(|| self.place.shown())?;
        if block != 0 {
            return Ok(None);
        }
        let file = std::fs::File::open(&self.place.file)
            .map_err(|error| Error::new(self.place.shown(), error.to_string()))?;
        Ok(file.metadata().is_ok_and(|metadata| metadata.is_file()).then_some(file))
    }

    /// Whether both are the same object of the same file.
    pub(crate) fn is_same(&self, other: &Self) -> Result<bool> {
        let same_file = is_same_file(&self.place.file, &other.place.file);
        let token = |side: &Self| side.root.info().map(|info| info.token).at(|| side.place.shown());
        Ok(same_file && self.connector()? == other.connector()? && token(self)? == token(other)?)
    }
}

/// Opens an object by its path below another one. `/` is that one itself. A list may say that external links are not followed.
pub(crate) fn open_below(
    object: &AnyObject,
    path: &CStr,
    access: Option<&DatasetAccess>,
) -> h5_client::Result<AnyObject> {
    let below: &[u8] = path.to_bytes().strip_prefix(b"/").unwrap_or(path.to_bytes());
    let below = CString::new(below).ok().filter(|below| !below.is_empty());
    AnyObject::open_with(object, below.as_deref().unwrap_or(c"."), access)
}

/// Whether datasets are stored as in HDF5 files by the connector of this name.
pub(crate) fn is_plain(connector: &str) -> bool {
    connector == "bypass" || connector == "native"
}

/// Whether two names are of the same file.
pub(crate) fn is_same_file(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (a.metadata(), b.metadata()) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}
