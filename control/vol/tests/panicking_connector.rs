//! A connector with bugs: every panic becomes an HDF5 error, and everything goes on.

mod support;

use core::ffi::c_int;
use std::sync::{Mutex, PoisonError};

use h5_vol::calls::{DatasetClose, DatasetRead, FileClose, FileOpen, GroupClose};
use h5_vol::{BelowObject, Callback, NewObject, ObjectKind, Origin, PassThrough, Result};
use h5_vol_test::{Failure, FileAccess, Scratch, Session};
use support::{in_every_host, own_entry};

const CLASS: &str = "test_panicking";

/// Where the connector panics next.
static FUSE: Mutex<Option<&str>> = Mutex::new(None);

fn arm(place: &'static str) {
    *FUSE.lock().unwrap_or_else(PoisonError::into_inner) = Some(place);
}

/// Panics if this is the place, once.
fn reach(place: &str) {
    let mut fuse = FUSE.lock().unwrap_or_else(PoisonError::into_inner);
    if *fuse == Some(place) {
        *fuse = None;
        drop(fuse);
        panic!("boom in {place}");
    }
}

struct Panicking;

/// Data whose destructor may panic. Native has a file object for itself, which is not meant.
struct Fragile(ObjectKind, bool);

impl Drop for Fragile {
    fn drop(&mut self) {
        match self.0 {
            ObjectKind::File if self.1 => reach("drop of file"),
            ObjectKind::Group => reach("drop of group"),
            ObjectKind::Dataset => reach("drop of dataset"),
            _ => {}
        }
    }
}

support::connector!(Panicking, c"test_panicking", 621, pass_through {
    type Settings = ();
    type Data = Fragile;

    fn observe<R>(&self, callback: Callback, run: impl FnOnce() -> Result<R>) -> Result<R> {
        if callback == Callback::DatasetWrite {
            reach("observe");
        }
        run()
    }
});

impl PassThrough for Panicking {
    fn attach(&self, origin: &Origin<'_, Self>, kind: ObjectKind, _: &BelowObject) -> Fragile {
        match kind {
            ObjectKind::File => reach("attach of file"),
            ObjectKind::Dataset => reach("attach of dataset"),
            _ => {}
        }
        Fragile(kind, matches!(origin, Origin::Opened(_)))
    }

    fn file_open(&self, call: FileOpen<'_, Self>) -> Result<NewObject<Self>> {
        reach("file_open");
        let file = call.forward()?;
        reach("file_open, forwarded");
        Ok(file)
    }

    fn file_close(&self, call: FileClose<'_, Self>) -> Result<()> {
        reach("file_close");
        call.forward()?;
        reach("file_close, forwarded");
        Ok(())
    }

    fn group_close(&self, call: GroupClose<'_, Self>) -> Result<()> {
        reach("group_close");
        call.forward()
    }

    fn dataset_read(&self, call: DatasetRead<'_, Self>) -> Result<c_int> {
        reach("dataset_read");
        call.forward()
    }

    fn dataset_close(&self, call: DatasetClose<'_, Self>) -> Result<()> {
        reach("dataset_close");
        call.forward()
    }
}

#[track_caller]
fn expect_panic(failure: &Failure, place: &str, callback: &str) {
    let entry = own_entry(failure, CLASS);
    assert!(entry.description.contains(&format!("boom in {place}")), "{failure:?}");
    assert!(entry.description.contains(callback), "{failure:?}");
    assert_eq!((entry.function.as_str(), entry.minor.as_str()), (callback, "Internal fault"));
    assert!(entry.file.contains(".rs") && entry.line > 0, "{failure:?}");
    // HDF5 itself has seen the call fail.
    assert!(failure.of_class("HDF5").count() > 0, "{failure:?}");
    assert_eq!(*FUSE.lock().unwrap(), None, "the place was reached");
}

/// A file with a dataset, made through the connector.
fn prepare(h5: &Session<'_>, path: &str, access: &FileAccess) {
    let file = h5.create_file(path, access).unwrap();
    let group = h5.create_group(&file, "g").unwrap();
    let dataset = h5.create_dataset(&file, "d", &[2], None, false).unwrap();
    h5.write(&dataset, &[1, 2]).unwrap();
    dataset.close().unwrap();
    group.close().unwrap();
    file.close().unwrap();
}

/// Everything works, and nothing was left open below: the file can be created anew.
fn expect_health(h5: &Session<'_>, path: &str, access: &FileAccess) {
    prepare(h5, path, access);
    let file = h5.open_file(path, true, access).unwrap();
    let dataset = h5.open_dataset(&file, "d").unwrap();
    h5.write(&dataset, &[3, 4]).unwrap();
    assert_eq!(h5.read(&dataset).unwrap(), [3, 4]);
    dataset.close().unwrap();
    file.close().unwrap();
}

fn run(test: impl Fn(&Session<'_>, &str, &FileAccess)) {
    in_every_host(|h5| {
        let connector = h5.register::<Panicking>().unwrap();
        let access = h5.access_through(&connector, "").unwrap();
        let scratch = Scratch::new("panicking");
        let path = scratch.file("a.h5");
        prepare(h5, &path, &access);
        test(h5, &path, &access);
        expect_health(h5, &path, &access);
    });
}

#[test]
fn in_open() {
    run(|h5, path, access| {
        for place in ["file_open", "file_open, forwarded", "attach of file"] {
            arm(place);
            let failure = h5.open_file(path, true, access).unwrap_err();
            expect_panic(&failure, place, "file_open");
        }
    });
}

#[test]
fn in_attach_of_a_dataset() {
    run(|h5, path, access| {
        let file = h5.open_file(path, true, access).unwrap();
        arm("attach of dataset");
        expect_panic(&h5.open_dataset(&file, "d").unwrap_err(), "attach of dataset", "dataset_open");
        let dataset = h5.open_dataset(&file, "d").unwrap();
        assert_eq!(h5.read(&dataset).unwrap(), [1, 2]);
    });
}

#[test]
fn in_read_and_observe() {
    run(|h5, path, access| {
        let file = h5.open_file(path, true, access).unwrap();
        let dataset = h5.open_dataset(&file, "d").unwrap();
        arm("dataset_read");
        expect_panic(&h5.read(&dataset).unwrap_err(), "dataset_read", "dataset_read");
        assert_eq!(h5.read(&dataset).unwrap(), [1, 2]);
        arm("observe");
        expect_panic(&h5.write(&dataset, &[5, 6]).unwrap_err(), "observe", "dataset_write");
        h5.write(&dataset, &[5, 6]).unwrap();
        assert_eq!(h5.read(&dataset).unwrap(), [5, 6]);
    });
}

#[test]
fn in_close_of_a_file() {
    run(|h5, path, access| {
        for place in ["file_close", "file_close, forwarded", "drop of file"] {
            let id = h5.open_file(path, true, access).unwrap().leave_open();
            arm(place);
            // SAFETY: an open file.
            assert!(unsafe { (h5.api().H5Fclose().unwrap())(id) } < 0, "{place}");
            expect_panic(&h5.take_failure(), place, "file_close");
            // HDF5 keeps a file whose close has failed. Closing it again must work, and not touch what is
            // closed already below.
            assert!(h5.is_valid(id), "{place}");
            // SAFETY: still open.
            assert!(unsafe { (h5.api().H5Fclose().unwrap())(id) } >= 0, "{place}: {:?}", h5.take_failure());
            assert!(!h5.is_valid(id), "{place}");
        }
    });
}

#[test]
fn in_close_of_a_group() {
    run(|h5, path, access| {
        let file = h5.open_file(path, true, access).unwrap();
        for place in ["group_close", "drop of group"] {
            let id = h5.open_group(&file, "g").unwrap().leave_open();
            arm(place);
            // SAFETY: an open group.
            assert!(unsafe { (h5.api().H5Gclose().unwrap())(id) } < 0, "{place}");
            expect_panic(&h5.take_failure(), place, "group_close");
            // SAFETY: HDF5 keeps it open.
            assert!(unsafe { (h5.api().H5Gclose().unwrap())(id) } >= 0, "{place}: {:?}", h5.take_failure());
        }
    });
}

/// Closes a dataset that panics at this place.
fn close_dataset(place: &'static str) {
    run(|h5, path, access| {
        let file = h5.open_file(path, true, access).unwrap();
        let dataset = h5.open_dataset(&file, "d").unwrap();
        arm(place);
        // HDF5 forgets a dataset even if closing it has failed.
        expect_panic(&dataset.close().unwrap_err(), place, "dataset_close");
        assert_eq!(h5.read(&h5.open_dataset(&file, "d").unwrap()).unwrap(), [1, 2]);
    });
}

#[test]
fn in_the_destructor_of_a_dataset() {
    close_dataset("drop of dataset");
}

#[test]
fn in_close_of_a_dataset() {
    // The framework closes it below, or the file could not be created anew.
    close_dataset("dataset_close");
}
