//! Files: opened, created, flushed, deleted on every side.

use core::ffi::{CStr, c_int};
use std::ffi::CString;
use std::sync::Arc;

use h5_abi::{
    H5F_ACC_EXCL, H5F_ACC_SWMR_WRITE, H5F_ACC_TRUNC, H5VL_NATIVE_FILE_FORMAT_CONVERT,
    H5VL_NATIVE_FILE_INCR_FILESIZE, H5VL_NATIVE_FILE_SET_LIBVER_BOUNDS,
    H5VL_NATIVE_FILE_SET_MIN_DSET_OHDR_FLAG, H5VL_NATIVE_FILE_START_SWMR_WRITE,
};
use h5_sides::{Failure, Hdf5, Outcome};
use h5_vol::calls::{FileCreate, FileOpen, FileOptional, FileSpecific};
use h5_vol::views::FileOperation;
use h5_vol::{Error, Id, Info, NewObject, ObjectKind, OwnedId, Result, settings_of};

use crate::Mirror;
use crate::attached::{Attached, each_side};
use crate::journal;
use crate::opening::Opening;

/// Operations of native HDF5 that change a file.
const CHANGES: [c_int; 5] = [
    H5VL_NATIVE_FILE_START_SWMR_WRITE,
    H5VL_NATIVE_FILE_FORMAT_CONVERT,
    H5VL_NATIVE_FILE_INCR_FILESIZE,
    H5VL_NATIVE_FILE_SET_LIBVER_BOUNDS,
    H5VL_NATIVE_FILE_SET_MIN_DSET_OHDR_FLAG,
];

impl Mirror {
    fn opening(&self, name: &CStr, access: Id, info: &Info<Self>) -> Result<Opening> {
        let connector = info.below_in_words()?.unwrap_or_default();
        let hdf5 = Hdf5::of(self.host);
        Opening::new(hdf5, info.settings().clone(), (name, access), connector)
    }

    pub(crate) fn open_file(&self, call: FileOpen<'_, Self>) -> Result<NewObject<Self>> {
        let settings = call.info.settings();
        let to_write = call.is_for_writing();
        let wants_others = to_write || settings.falls_back || settings.verify.open;
        let Some(name) = call.name.filter(|_| wants_others) else { return call.forward() };
        if !Hdf5::of(self.host).has_named_files(call.access) {
            return if to_write { Err(no_second_file(name)) } else { call.forward() };
        }
        let opening = self.opening(name, call.access, &call.info)?;
        // What another handle of it has not flushed yet would look like a difference. It was compared when that was opened.
        let looks = (to_write || opening.settings.verify.open) && !self.is_open(&opening);
        let inspected: Vec<Outcome<()>> = (0..opening.sides.len())
            .map(|number| if looks { opening.inspect(number) } else { Ok(()) })
            .collect();
        let new = match call.forward_named(call.name) {
            Ok(new) => new,
            Err(error) if !to_write && opening.settings.falls_back => {
                return Self::open_other(&call, &opening).ok_or(error);
            }
            Err(error) => return Err(error),
        };
        let flags = call.flags;
        self.with_sides(new, opening, |opening, number| {
            inspected[number].clone().map_err(Refused::Incomplete)?;
            let side = &opening.sides[number];
            let opened = || -> Outcome<OwnedId> {
                let file = opening.hdf5.open_file(&side.name, flags, side.access.id())?;
                if to_write {
                    opening.begin_journal(number, false)?;
                }
                Ok(file)
            };
            // A file that is only read does not need all of its sides.
            opened().map_err(|failure| if to_write { Refused::Failed(failure) } else { Refused::NotNeeded })
        })
    }

    /// Opens another side in place of the first one, if that can be done through the same connector.
    fn open_other(call: &FileOpen<'_, Self>, opening: &Opening) -> Option<NewObject<Self>> {
        let same =
            opening.sides.iter().enumerate().filter(|(_, side)| side.connector == opening.first.connector);
        for (number, side) in same {
            if let Ok(new) = call.forward_named(Some(&side.name)) {
                opening.tell_of_fallback(number, "H5Fopen");
                call.host().forget_errors();
                return Some(new);
            }
        }
        None
    }

    pub(crate) fn create_file(&self, call: FileCreate<'_, Self>) -> Result<NewObject<Self>> {
        let Some(name) = call.name else { return call.forward() };
        if !Hdf5::of(self.host).has_named_files(call.access) {
            return Err(no_second_file(name));
        }
        let mut opening = self.opening(name, call.access, &call.info)?;
        let new = call.forward_named(call.name)?;
        opening.identify();
        // HDF5 adds flags of its own to those that an application may give.
        let flags = call.flags & (H5F_ACC_TRUNC | H5F_ACC_EXCL | H5F_ACC_SWMR_WRITE);
        let creation = call.creation;
        let created = self.with_sides(new, opening, |opening, number| {
            let side = &opening.sides[number];
            let created = || -> Outcome<OwnedId> {
                let file = opening.hdf5.create_file(&side.name, flags, creation, side.access.id())?;
                opening.begin_journal(number, true)?;
                Ok(file)
            };
            created().map_err(Refused::Failed)
        });
        if created.is_err() && flags & H5F_ACC_EXCL != 0 {
            // The file is new, and its side is not there: as if it had never been made. There is nobody to tell about a failure.
            let _ = std::fs::remove_file(journal::path_of(name));
        }
        created
    }

    /// Opens the other sides of a file whose first side is open.
    fn with_sides(
        &self,
        mut new: NewObject<Self>,
        opening: Opening,
        open: impl Fn(&Opening, usize) -> Result<OwnedId, Refused>,
    ) -> Result<NewObject<Self>> {
        let number = |questions| new.below()?.file_number(questions, ObjectKind::File);
        opening.add(self.host.ask_below(number));
        let mut ids = Vec::new();
        for number in 0..opening.sides.len() {
            let opened = match open(&opening, number) {
                Ok(id) => Some(id),
                Err(Refused::NotNeeded) => {
                    opening.sides[number].leave_out();
                    None
                }
                Err(Refused::Incomplete(failure)) => {
                    opening.refuse(number, &failure)?;
                    None
                }
                Err(Refused::Failed(failure)) => {
                    opening.failed(number, None, "opening", &failure)?;
                    None
                }
            };
            ids.push(opened);
        }
        opening.set_files(&ids);
        let opening = Arc::new(opening);
        self.remember(&opening);
        new.data = Some(Attached::new(opening, ids));
        Ok(new)
    }

    pub(crate) fn change_file(&self, mut call: FileSpecific<'_, Self>) -> Result<c_int> {
        let mut deleted: Option<(CString, Id)> = None;
        let mut flushed = None;
        match call.arguments.view() {
            FileOperation::Flush { global, .. } => flushed = Some(global),
            FileOperation::Delete { name: Some(name), access } => deleted = Some((name.to_owned(), access)),
            _ => {}
        }
        let status = call.forward();
        if let (Some(global), Some(object)) = (flushed, &call.object) {
            let others = each_side(object, "H5Fflush", |hdf5, _, id| hdf5.flush_file(id, global));
            return status.and_then(|status| others.map(|()| status));
        }
        let status = status?;
        if let Some((name, access)) = deleted {
            self.delete_others(&name, access)?;
        }
        Ok(status)
    }

    fn delete_others(&self, name: &CStr, access: Id) -> Result<()> {
        let settings = settings_of::<Self>(self.host, access)?;
        let opening = Opening::new(Hdf5::of(self.host), settings, (name, access), (0, String::new()))?;
        for side in &opening.sides {
            // A file that was never mirrored has no other sides.
            if journal::path_of(&side.name).exists() {
                let deleted = opening.hdf5.delete_file(&side.name, side.access.id());
                deleted.map_err(|failure| {
                    Error::failed(format_args!("{}: {failure}", side.name.to_string_lossy()))
                })?;
                journal::forget(&side.name);
            }
        }
        Ok(())
    }
}

/// Why a side is not opened.
enum Refused {
    /// It is incomplete, or has another content.
    Incomplete(Failure),
    /// It could not be opened.
    Failed(Failure),
    /// It could not be opened, but nobody wants to write to it.
    NotNeeded,
}

fn no_second_file(name: &CStr) -> Error {
    Error::unsupported(format_args!(
        "'{}' is opened with a driver that does not find files by their names, so there can be no other side",
        name.to_string_lossy()
    ))
}

pub(crate) fn optional(mut call: FileOptional<'_, Mirror>) -> Result<c_int> {
    let status = call.forward()?;
    call.object.call_before_library_closes();
    if call.operation.number().is_some_and(|number| CHANGES.contains(&number)) {
        each_side(&call.object, "H5Fset", |hdf5, _, id| hdf5.optional_on_file(id, &call.operation))?;
    }
    Ok(status)
}
