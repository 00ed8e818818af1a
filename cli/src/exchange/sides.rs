//! What the command line calls a side: a file, a Zarr directory, or an object in one of them, and the connector that it is opened
//! through.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::request::SideRequest;
use crate::connector::{BYPASS, Spec, ZARR};
use crate::explain::hdf5_file;
use crate::explain::wording::printable;
use crate::explain::zarr_directory;

/// A side as the user names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) file: PathBuf,
    /// The path of an object in it.
    pub(crate) object: Option<Vec<u8>>,
}

impl Named {
    /// Takes `file.h5:/group` apart. A file that has such a name comes first.
    pub(crate) fn parse(text: &OsStr) -> Self {
        let bytes = text.as_bytes();
        let split =
            bytes.windows(2).enumerate().filter(|(_, window)| *window == b":/").map(|(place, _)| place);
        let whole = Self { file: text.into(), object: None };
        if whole.file.symlink_metadata().is_ok() {
            return whole;
        }
        let at = |place: usize| Self {
            file: OsStr::from_bytes(&bytes[..place]).into(),
            object: Some(bytes[place + 1..].to_vec()),
        };
        let places: Vec<_> = split.filter(|place| *place > 0).collect();
        // Names in HDF5 may have colons, too: the shortest file that is there.
        let there = places.iter().map(|place| at(*place)).find(|named| named.file.symlink_metadata().is_ok());
        there.or_else(|| places.first().map(|place| at(*place))).unwrap_or(whole)
    }

    /// For messages.
    pub(crate) fn shown(&self) -> String {
        match &self.object {
            None => shown(&self.file),
            Some(object) => format!("{}:{}", shown(&self.file), printable(&String::from_utf8_lossy(object))),
        }
    }

    fn request(&self, connector: &str, info: Option<&str>) -> SideRequest {
        SideRequest {
            file: self.file.as_os_str().as_bytes().to_vec(),
            object: self.object.clone(),
            connector: Some(connector.to_owned()),
            info: info.map(str::to_owned),
        }
    }

    /// The side of something that exists. Fails, with the reason, if that can be told without HDF5.
    pub(crate) fn existing(&self, connector: Option<&str>) -> Result<SideRequest> {
        if let Some(named) = connector {
            return self.through(named);
        }
        match zarr_directory::find(&self.file) {
            Ok(Some(_)) => return Ok(self.request(ZARR, None)),
            Err(cause) => bail!("{}: {}", shown(&self.file), printable(&cause)),
            Ok(None) => {}
        }
        if let Some(cause) = hdf5_file::unusable(&self.file) {
            let hint = if self.file.is_dir() {
                ", and not a Zarr directory: it has no zarr.json, .zgroup or .zarray"
            } else {
                ""
            };
            bail!("{}: {cause}{hint}", shown(&self.file));
        }
        Ok(self.request(BYPASS, None))
    }

    /// The side of something that is to be made.
    pub(crate) fn to_make(&self, connector: Option<&str>) -> Result<SideRequest> {
        match connector {
            Some(named) => self.through(named),
            None if self.is_zarr() => Ok(self.request(ZARR, None)),
            None => Ok(self.request(BYPASS, None)),
        }
    }

    /// Whether the name says that it is a Zarr directory.
    pub(crate) fn is_zarr(&self) -> bool {
        self.file.extension().is_some_and(|extension| extension == "zarr")
    }

    fn through(&self, named: &str) -> Result<SideRequest> {
        let Some(spec) = Spec::parse(named) else { bail!("the connector of {} has no name", self.shown()) };
        if named.contains('\0') {
            bail!("the connector of {} has a NUL byte in its name", self.shown());
        }
        Ok(self.request(spec.name, spec.info))
    }
}

pub(crate) fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> (String, Option<String>) {
        let named = Named::parse(OsStr::new(text));
        (shown(&named.file), named.object.map(|object| String::from_utf8(object).unwrap()))
    }

    #[test]
    fn an_object_follows_a_colon() {
        let pair = |file: &str, object: Option<&str>| (file.to_owned(), object.map(str::to_owned));
        assert_eq!(parse("nowhere.h5"), pair("nowhere.h5", None));
        assert_eq!(parse("nowhere.h5:/a/b"), pair("nowhere.h5", Some("/a/b")));
        assert_eq!(parse("nowhere.h5:/a:/b"), pair("nowhere.h5", Some("/a:/b")));
        assert_eq!(parse("C:x"), pair("C:x", None));
        assert_eq!(parse(":/x"), pair(":/x", None));
        let scratch = crate::process::scratch::directory().unwrap();
        let file = scratch.path().join("odd:").join("name.h5");
        std::fs::create_dir(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "").unwrap();
        let text = file.to_str().unwrap().to_owned();
        assert_eq!(parse(&text), pair(&text, None));
        assert_eq!(parse(&format!("{text}:/x")), pair(&text, Some("/x")), "there is no folder 'odd'");
        std::fs::write(scratch.path().join("odd"), "").unwrap();
        assert_eq!(
            parse(&format!("{text}:/x")).1.as_deref(),
            Some("/name.h5:/x"),
            "the shortest that is there"
        );
    }
}
