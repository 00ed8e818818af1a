//! Files: which are containers, and what is asked of them.

use core::ffi::{CStr, c_int};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use h5_abi::{H5F_ACC_EXCL, H5F_ACC_RDWR};
use h5_host::{Driver, Id};
use h5_vol::calls::{FileClose, FileCreate, FileGet, FileOpen, FileSpecific};
use h5_vol::views::{FileOperation, FileQuestion};
use h5_vol::{BelowConnector, Error, NewObject, Result};

use crate::backend::{Backend, Failure, Mode, Outcome, Place, Store};
use crate::connector::Shadow;
use crate::container::Container;
use crate::counters::{COUNTERS, count};
use crate::hdf5::{Hdf5, aside};
use crate::master::Master;
use crate::opening::{Attached, Opening};
use crate::spec::FileSpec;
use crate::stubs;

impl<B: Backend> Shadow<B> {
    pub(crate) fn open_file(&self, call: FileOpen<'_, Self>) -> Result<NewObject<Self>> {
        self.registry.sweep();
        let Some(name) = self.name(call.name, call.access) else {
            count(&COUNTERS.native_files);
            return call.forward();
        };
        let settings = call.info.settings();
        let Some(place) = self.find(&name, settings)? else {
            count(&COUNTERS.native_files);
            return call.forward();
        };
        let writable = call.is_for_writing();
        if writable {
            stubs::require_writable(&place).map_err(|failure| refused(&name, &failure))?;
        }
        let container = match self.registry.find(&place.root) {
            Some(known) if writable && !known.is_writable() => {
                return Err(Error::failed(format_args!(
                    "unable to open file '{}': file is already open for read-only",
                    name.display()
                )));
            }
            Some(known) => {
                let locking = aside(self.host, || Hdf5::of(self.host).file_locking(call.access));
                if known.locking.get().is_some_and(|known| *known != locking) {
                    return Err(Error::failed(format_args!(
                        "unable to open file '{}': file locking flag values don't match",
                        name.display()
                    )));
                }
                known
            }
            None => self.open_container(&name, place, writable, call.access, settings)?,
        };
        let opening = self.opening(&container, &name, call.access, writable)?;
        let mut new = call.answer_with(container.master.file())?;
        new.data = Some(Attached::new(opening));
        Ok(new)
    }

    /// Opens a container that is not open yet.
    pub(super) fn open_container(
        &self,
        name: &Path,
        place: Place,
        writable: bool,
        access: Id,
        settings: &B::Settings,
    ) -> Result<Arc<Container<B::Store>>> {
        let mode = if writable { Mode::Write } else { Mode::Read };
        let place = Place { is_locked: self.wants_lock(access), ..place };
        let store = self.backend.open(&place, mode, settings).map_err(|failure| refused(name, &failure))?;
        let file = store.file().map_err(|failure| refused(name, &failure))?;
        let hdf5 = Hdf5::of(self.host);
        let creation = aside(self.host, || {
            if let Some(bytes) = &file.creation {
                return hdf5.decode_list(bytes);
            }
            let list = hdf5.new_list("H5P_CLS_FILE_CREATE_ID_g")?;
            hdf5.set_file_space(list.id(), file.space)?;
            hdf5.set_orders(list.id(), file.orders).map(|()| list)
        })?;
        let label = self.registry.label(&place.root);
        let master = Master::create(self.host, access, creation.id(), &label)?;
        let connector = BelowConnector::itself::<Self>(self.host)?;
        let container = Arc::new(Container::new(store, master, place, writable, connector));
        container.fill_root()?;
        self.registry.insert(&container);
        count(&COUNTERS.opened);
        Ok(container)
    }

    pub(crate) fn create_file(&self, call: FileCreate<'_, Self>) -> Result<NewObject<Self>> {
        self.registry.sweep();
        let Some(name) = self.name(call.name, call.access) else { return create_native(call) };
        let settings = call.info.settings();
        // What cannot be done, native HDF5 says best.
        let folder = name.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let is_there = name.symlink_metadata().is_ok();
        let is_exclusive = call.flags & H5F_ACC_EXCL != 0;
        if (is_exclusive && is_there) || !folder.is_dir() {
            return create_native(call);
        }
        let Some(place) = self.new_place(&name, settings)? else { return create_native(call) };
        if self.registry.find(&place.root).is_some() {
            return Err(Error::failed(format_args!(
                "unable to truncate a file which is already open: '{}'",
                name.display()
            )));
        }
        let place = Place { is_locked: self.wants_lock(call.access), ..place };
        let store = self.create_store(&place, is_exclusive, settings);
        let store = store.map_err(|failure| refused(&name, &failure))?;
        let label = self.registry.label(&place.root);
        let master = Master::create(self.host, call.access, call.creation, &label)?;
        let (encoded, orders, space) = aside(self.host, || {
            let hdf5 = master.hdf5();
            (
                hdf5.encode_list(call.creation),
                hdf5.orders(call.creation, true),
                hdf5.file_space(call.creation),
            )
        });
        let connector = BelowConnector::itself::<Self>(self.host)?;
        let container = Arc::new(Container::new(store, master, place, true, connector));
        container.state().file = Some(FileSpec {
            orders: orders.unwrap_or_default(),
            creation: encoded.ok(),
            space: space.unwrap_or_default(),
            has_shared_objects: false,
        });
        container.adopt_root()?;
        self.registry.insert(&container);
        count(&COUNTERS.created);
        let opening = self.opening(&container, &name, call.access, true)?;
        let mut new = call.answer_with(container.master.file())?;
        new.data = Some(Attached::new(opening));
        Ok(new)
    }

    /// Whether an access list wants files to be locked.
    fn wants_lock(&self, access: Id) -> bool {
        aside(self.host, || Hdf5::of(self.host).file_locking(access)).is_none_or(|(locks, _)| locks)
    }

    /// Makes a container, and its stub if it has one.
    fn create_store(&self, place: &Place, is_exclusive: bool, settings: &B::Settings) -> Outcome<B::Store> {
        if !is_exclusive {
            let store = self.backend.open(place, Mode::Create, settings)?;
            stubs::make::<B>(place, false)?;
            return Ok(store);
        }
        // Of several processes one makes the stub, and only that one the container.
        stubs::make::<B>(place, true)?;
        self.backend.open(place, Mode::Create, settings).inspect_err(|_| {
            let _ = stubs::remove(place);
        })
    }

    /// The name of a file that may be a container. Files with other drivers than the usual one are not.
    fn name(&self, name: Option<&CStr>, access: Id) -> Option<PathBuf> {
        let is_usual = self.host.ask(|questions| matches!(questions.driver(access), Driver::Posix(_)));
        name.filter(|name| is_usual && !name.is_empty())
            .map(|name| PathBuf::from(OsStr::from_bytes(name.to_bytes())))
    }

    pub(super) fn opening(
        &self,
        container: &Arc<Container<B::Store>>,
        name: &Path,
        access: Id,
        writable: bool,
    ) -> Result<Arc<Opening<B::Store>>> {
        container.locking.get_or_init(|| aside(self.host, || Hdf5::of(self.host).file_locking(access)));
        let access = aside(self.host, || Hdf5::of(self.host).copy_list(access))?;
        let name = name.display().to_string();
        Ok(Opening::new(Arc::clone(container), name, access, writable, &self.registry.leaving))
    }

    pub(crate) fn ask_file(&self, mut call: FileGet<'_, Self>) -> Result<c_int> {
        let object = Arc::clone(&call.object);
        let Some(attached) = Self::attached(&object) else { return call.forward() };
        if Self::token(&object).is_none() {
            return call.forward();
        }
        match call.arguments.view() {
            FileQuestion::Name { mut name, .. } => name.write(&attached.opening.name),
            FileQuestion::Intent(mut flags) => {
                flags.set(if attached.opening.is_writable() { H5F_ACC_RDWR } else { 0 });
            }
            FileQuestion::AccessList(mut list) => {
                let access = attached.opening.access.id();
                list.give(aside(self.host, || Hdf5::of(self.host).copy_list(access))?);
            }
            _ => return call.forward(),
        }
        Ok(0)
    }

    pub(crate) fn change_file(&self, mut call: FileSpecific<'_, Self>) -> Result<c_int> {
        let object = call.object.clone();
        let attached = object.as_ref().and_then(|object| Self::attached(object));
        match call.arguments.view() {
            FileOperation::IsAccessible { name, access, mut accessible } => {
                let settings = h5_vol::settings_of::<Self>(self.host, access)?;
                if self.name(name, access).is_some_and(|name| self.is_ours(&name, &settings)) {
                    accessible.set(true);
                    return Ok(0);
                }
            }
            FileOperation::Delete { name, access } => {
                self.registry.sweep();
                let settings = h5_vol::settings_of::<Self>(self.host, access)?;
                let name = self.name(name, access);
                // A stub that leads nowhere is like any other file that is deleted.
                let place = name.as_ref().and_then(|name| self.find(name, &settings).ok().flatten());
                if let (Some(name), Some(place)) = (name, place) {
                    return self.delete(&name, &place, &settings);
                }
            }
            FileOperation::Flush { .. } => {
                if let Some(attached) = attached {
                    attached.container().flush()?;
                }
            }
            FileOperation::Reopen => {
                if let Some(attached) = attached {
                    return call.reopen_with(attached.container().master.file());
                }
            }
            _ => {}
        }
        call.forward()
    }

    fn delete(&self, name: &Path, place: &Place, settings: &B::Settings) -> Result<c_int> {
        if self.registry.find(&place.root).is_some() {
            return Err(Error::failed(format_args!("cannot delete '{}': it is open", name.display())));
        }
        // The name goes first: a stub that leads nowhere is worse than a container without one.
        let gone = stubs::remove(place).and_then(|()| self.backend.delete(place, settings));
        gone.map(|()| 0).map_err(|failure| refused(name, &failure))
    }

    pub(crate) fn close_file(&self, call: FileClose<'_, Self>) -> Result<()> {
        let Some(attached) = Self::attached(&call.object) else { return call.forward() };
        let container = Arc::clone(attached.container());
        // As natively, a file that cannot be stored stays open, and can be closed later.
        container.persist()?;
        // Another thread may have opened something while this one waited for it.
        let is_last = attached.is_last();
        call.forward()?;
        if is_last {
            container.store.close();
        }
        drop(container);
        self.registry.sweep();
        Ok(())
    }
}

/// Leaves a new file to native HDF5.
fn create_native<B: Backend>(call: FileCreate<'_, Shadow<B>>) -> Result<NewObject<Shadow<B>>> {
    count(&COUNTERS.native_files);
    call.forward()
}

/// A container that cannot be opened, made or deleted. Clients look for the system's error number in the words that native HDF5 uses.
fn refused(name: &Path, failure: &Failure) -> Error {
    let name = name.display();
    match failure.errno {
        Some(errno) => Error::failed(format_args!(
            "unable to open file: name = '{name}', errno = {errno}, error message = '{failure}'"
        )),
        None => Error::failed(format_args!("unable to open file '{name}': {failure}")),
    }
}
