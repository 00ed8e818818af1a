//! Names that are stubs: regular files that stand for containers.
//!
//! The bytes of a stub are those of the crate `stub`. Here is what a stub means to an application: it is the file, and the container
//! is where its data happens to be.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use h5_vol::{Error, Result};
use stub::{Stub, StubError};

use crate::backend::{Backend, Failure, Place};
use crate::connector::Shadow;

/// A stub that was found, and where it leads.
struct Found {
    /// The stub itself, without symbolic links.
    stub: PathBuf,
    container: PathBuf,
}

impl<B: Backend> Shadow<B> {
    /// The container that a name leads to, if one is there, directly or through a stub. Fails for a stub that leads to none.
    pub(crate) fn find(&self, name: &Path, settings: &B::Settings) -> Result<Option<Place>> {
        if let Some(place) = self.backend.existing(name, settings) {
            return Ok(Some(place));
        }
        let Some(found) = Self::stub(name).map_err(|error| broken(name, &error))? else { return Ok(None) };
        match self.backend.existing(&found.container, settings) {
            Some(place) => Ok(Some(Place { stub: Some(found.stub), ..place })),
            None => Err(Error::failed(format_args!(
                "unable to open file '{}': it is a stub of '{}', where nothing is that the connector '{}' can open. A stub and what \
                 it stands for must be moved and copied together",
                name.display(),
                found.container.display(),
                B::NAME.to_string_lossy()
            ))),
        }
    }

    /// Whether a name leads to a container, or claims to.
    pub(crate) fn is_ours(&self, name: &Path, settings: &B::Settings) -> bool {
        // Native HDF5 looks at the signature only, too: what is wrong is said when the file is opened.
        !matches!(self.find(name, settings), Ok(None))
    }

    /// Where the container of a new file will be. `None` if native HDF5 is to make the file.
    pub(crate) fn new_place(&self, name: &Path, settings: &B::Settings) -> Result<Option<Place>> {
        if let Some(place) = self.backend.existing(name, settings) {
            return Ok(Some(place));
        }
        // A file that is overwritten stays what it is. If it is broken, it is like any other file that is overwritten.
        if let Ok(Some(found)) = Self::stub(name) {
            match self.backend.existing(&found.container, settings) {
                Some(place) => return Ok(Some(Place { stub: Some(found.stub), ..place })),
                None if found.container.symlink_metadata().is_err()
                    && found.container.parent().is_some_and(Path::is_dir) =>
                {
                    return Ok(Some(Place { stub: Some(found.stub), ..Place::new(found.container) }));
                }
                None => {}
            }
        }
        let is_there = name.symlink_metadata().is_ok();
        if is_there && !name.is_file() {
            return Ok(None);
        }
        let real = real_name(name);
        let Some(container) = self.backend.behind_stub(&real, settings) else {
            return Ok(self.backend.new_place(name, settings));
        };
        let place = match self.backend.existing(&container, settings) {
            Some(place) => Place { stub: Some(real), ..place },
            None => Place { stub: Some(real), ..Place::new(&container) },
        };
        // What is left of a file whose stub was removed is overwritten with it, and nothing else.
        if container.symlink_metadata().is_ok() && !self.backend.belongs_to_stub(&place) {
            return Err(Error::failed(format_args!(
                "unable to create file '{}': its data would be in '{}', which is already there and was not made for this file",
                name.display(),
                container.display()
            )));
        }
        Ok(Some(place))
    }

    /// The stub at a name, if it is one of this format.
    fn stub(name: &Path) -> Result<Option<Found>, StubError> {
        let found = Stub::read(name)?.filter(|stub| stub.connector().as_bytes() == B::NAME.to_bytes());
        Ok(found.map(|stub| Found { container: stub.container(name), stub: real_name(name) }))
    }
}

/// Puts the stub of a container at its name.
pub(crate) fn make<B: Backend>(place: &Place, exclusive: bool) -> Result<(), Failure> {
    let Some(path) = &place.stub else { return Ok(()) };
    // One that leads there already stays as it is.
    let known = Stub::read(path).ok().flatten().filter(|_| !exclusive);
    if known.is_some_and(|stub| stub.container(path).canonicalize().is_ok_and(|root| root == place.root)) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    let container = place.root.strip_prefix(folder).unwrap_or(&place.root);
    let stub = Stub::new(&B::NAME.to_string_lossy(), container).map_err(|error| failure(&error))?;
    let made = if exclusive { stub.create(path) } else { stub.replace(path) };
    made.map_err(|error| failure(&error))
}

/// Removes the stub of a container.
pub(crate) fn remove(place: &Place) -> Result<(), Failure> {
    let Some(path) = &place.stub else { return Ok(()) };
    fs::remove_file(path).map_err(|error| Failure::of_system(path, "remove", &error))
}

/// Fails if the stub cannot be written: to the application it is the file.
pub(crate) fn require_writable(place: &Place) -> Result<(), Failure> {
    let Some(path) = &place.stub else { return Ok(()) };
    let opened = OpenOptions::new().write(true).open(path);
    opened.map(drop).map_err(|error| Failure::of_system(path, "write", &error))
}

/// Notes at the stub when its container has changed: whoever looks at the times of files looks there.
pub(crate) fn touch(place: &Place) {
    let Some(path) = &place.stub else { return };
    // A program may have removed it meanwhile. Nothing depends on it.
    let opened = OpenOptions::new().write(true).open(path);
    let _ = opened.and_then(|stub| stub.set_modified(SystemTime::now()));
}

/// The file that a name leads to. Its folder is there.
fn real_name(name: &Path) -> PathBuf {
    if let Ok(real) = name.canonicalize() {
        return real;
    }
    let folder = name.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (folder.canonicalize(), name.file_name()) {
        (Ok(folder), Some(file)) => folder.join(file),
        _ => name.to_owned(),
    }
}

fn broken(name: &Path, error: &StubError) -> Error {
    Error::failed(format_args!("unable to open file '{}': {error}", name.display()))
}

fn failure(error: &StubError) -> Failure {
    Failure { errno: error.errno(), ..Failure::new(error.to_string()) }
}
