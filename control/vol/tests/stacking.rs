//! Connectors on connectors: A over B over native.

mod support;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use core::ffi::c_int;
use h5_abi::H5I_DATASET;
use h5_vol::calls::{DatasetClose, DatasetOpen, DatasetSpecific};
use h5_vol::views::DatasetOperation;
use h5_vol::{BelowObject, Callback, Error, NewObject, ObjectKind, Origin, PassThrough, Result};
use h5_vol_test::{Scratch, Session, conformance};
use support::{in_every_host, own_entry, through};

support::recording::recording_connector!(Upper, c"test_upper", 611);
support::recording::recording_connector!(Lower, c"test_lower", 612);

const OVER_LOWER: &str = "under_vol=612;under_info={under_vol=0;under_info={}}";

#[test]
fn one_connector_changes_nothing() {
    in_every_host(|h5| {
        conformance::passes_through::<Upper>(h5, "");
        assert_eq!(Upper::record().live(), 0, "every object's data was dropped");
    });
}

#[test]
fn two_connectors_change_nothing() {
    in_every_host(|h5| {
        let lower = h5.register::<Lower>().unwrap();
        let calls = Lower::record().calls(Callback::DatasetRead);
        conformance::passes_through::<Upper>(h5, OVER_LOWER);
        assert!(Lower::record().calls(Callback::DatasetRead) > calls, "reads came through");
        assert_eq!(
            (Upper::record().live(), Lower::record().live()),
            (0, 0),
            "every object's data was dropped"
        );
        lower.close().unwrap();
    });
}

/// What both connectors have attached since the last time; they see the same.
#[track_caller]
fn attached(expected: &[&str]) {
    assert_eq!(Upper::record().take_attached(), expected, "upper");
    assert_eq!(Lower::record().take_attached(), expected, "lower");
}

fn with_both(h5: &Session<'_>, test: impl FnOnce(&h5_vol_test::FileAccess, &Scratch)) {
    let lower = h5.register::<Lower>().unwrap();
    let upper = h5.register::<Upper>().unwrap();
    let access = h5.access_through(&upper, OVER_LOWER).unwrap();
    let scratch = Scratch::new("stacking");
    Upper::record().take_attached();
    Lower::record().take_attached();
    test(&access, &scratch);
    drop(access);
    upper.close().unwrap();
    lower.close().unwrap();
}

#[test]
fn every_new_object_is_attached_with_its_kind_and_origin() {
    in_every_host(|h5| {
        with_both(h5, |access, scratch| {
            let file = h5.create_file(&scratch.file("a.h5"), access).unwrap();
            // Native keeps a wrapped file for itself (`H5F__post_open`).
            attached(&["File / opened", "File / from File"]);
            let group = h5.create_group(&file, "g").unwrap();
            attached(&["Group /g from File"]);
            let dataset = h5.create_dataset(&group, "d", &[2], None, false).unwrap();
            attached(&["Dataset /g/d from Group"]);
            h5.write_attribute(&dataset, "a", &[1]).unwrap();
            attached(&["Attribute /g/d from Dataset"]);
            drop(h5.open_attribute(&dataset, "a").unwrap());
            attached(&["Attribute /g/d from Dataset"]);
            h5.commit_integer_type(&file, "t").unwrap();
            attached(&["Datatype /t from File"]);
            drop(h5.open_object(&file, "t").unwrap());
            attached(&["Datatype /t from File"]);
            drop(h5.open_object(&file, "g/d").unwrap());
            attached(&["Dataset /g/d from File"]);
            drop(h5.reopen_file(&file).unwrap());
            attached(&["File / from File", "File / from File"]);
            drop(h5.open_by_reference(&file, "g/d").unwrap());
            // HDF5 opens the root group on the way; asking for a name inside `attach` changes the order.
            let mut both = [Upper::record().take_attached(), Lower::record().take_attached()];
            both[0].sort();
            both[1].sort();
            assert_eq!(both[0], both[1]);
            assert_eq!(both[0][0], "Dataset /g/d from File");
        });
    });
}

#[test]
fn identifiers_that_the_library_makes_are_wrapped() {
    in_every_host(|h5| {
        with_both(h5, |access, scratch| {
            let file = h5.create_file(&scratch.file("a.h5"), access).unwrap();
            let group = h5.create_group(&file, "g").unwrap();
            let dataset = h5.create_dataset(&group, "d", &[2], None, false).unwrap();
            h5.write(&dataset, &[5, 6]).unwrap();
            attached(&["File / opened", "File / from File", "Group /g from File", "Dataset /g/d from Group"]);

            // In an iteration: the group is wrapped by both, so opening from it comes through both.
            let opens = || {
                (Upper::record().calls(Callback::DatasetOpen), Lower::record().calls(Callback::DatasetOpen))
            };
            let before = opens();
            h5.iterate_links(&group, |id, name| {
                // SAFETY: a C string; HDF5 verifies the identifier.
                let opened = unsafe { (h5.api().H5Dopen2().unwrap())(id, c"d".as_ptr(), 0) };
                assert_eq!((name, h5.id_type(opened)), ("d", H5I_DATASET));
                // SAFETY: just opened.
                unsafe { (h5.api().H5Dclose().unwrap())(opened) };
                0
            })
            .unwrap();
            assert_eq!(opens(), (before.0 + 1, before.1 + 1));
            attached(&["Group /g from Group", "Dataset /g/d from Group"]);

            // The file of an object: known as long as it is open, a new one afterwards.
            assert_eq!(h5.file_of(&dataset).unwrap().id(), file.id());
            attached(&[]);
            file.close().unwrap();
            let revived = h5.file_of(&dataset).unwrap();
            attached(&["File / from Dataset"]);
            assert_eq!(h5.connector_of(&revived).unwrap(), "test_upper");
            assert_eq!(h5.links(&revived).unwrap(), ["g"]);

            // By reference.
            let referenced = h5.open_by_reference(&revived, "g/d").unwrap();
            assert_eq!(h5.connector_of(&referenced).unwrap(), "test_upper");
            assert_eq!(h5.read(&referenced).unwrap(), [5, 6]);
        });
    });
}

#[test]
fn mounted_files_are_unwrapped() {
    in_every_host(|h5| {
        with_both(h5, |access, scratch| {
            let file = h5.create_file(&scratch.file("a.h5"), access).unwrap();
            let child = h5.create_file(&scratch.file("b.h5"), access).unwrap();
            h5.create_group(&file, "here").unwrap();
            h5.create_group(&child, "inside").unwrap();
            h5.mount(&file, "here", &child).unwrap();
            let inside = h5.open_group(&file, "here/inside").unwrap();
            assert_eq!(h5.file_name(&inside).unwrap(), scratch.file("b.h5"));
            drop(inside);
            h5.unmount(&file, "here").unwrap();
            h5.open_group(&file, "here/inside").unwrap_err();
        });
    });
}

/// Looks at objects after the connector below has closed them.
struct Curious;

static REFRESHED: AtomicU32 = AtomicU32::new(0);
static EXTENTS: Mutex<Vec<Vec<u64>>> = Mutex::new(Vec::new());

support::plain_connector!(Curious, c"test_curious", 613);

impl PassThrough for Curious {
    fn attach(&self, _: &Origin<'_, Self>, _: ObjectKind, _: &BelowObject) {}

    fn dataset_specific(&self, mut call: DatasetSpecific<'_, Self>) -> Result<c_int> {
        match call.arguments.view() {
            DatasetOperation::SetExtent => {
                EXTENTS.lock().unwrap().push(call.new_extent()?);
                call.forward()
            }
            DatasetOperation::Refresh(id) => {
                assert!(id.is_valid());
                let object = call.object.clone();
                let below = object.below().expect("open");
                let name = |kind| object.host().ask_below(|questions| below.name(questions, kind));
                assert_eq!(name(ObjectKind::Dataset).as_deref(), Some("/d"));
                assert_eq!(name(ObjectKind::Group), None, "it is no group");
                let outcome = call.forward()?;
                // Native has closed the object meanwhile; the identifier has a new one.
                assert!(below.is_closed());
                assert!(object.below().is_none());
                assert_eq!(name(ObjectKind::Dataset), None);
                object.host().ask(|questions| {
                    assert_eq!(below.file_name(questions, ObjectKind::Dataset), None);
                    assert_eq!(below.dataset_elements(questions), None);
                });
                assert!(call.forward().is_err(), "forwarding again is refused");
                REFRESHED.fetch_add(1, Ordering::Relaxed);
                Ok(outcome)
            }
            _ => call.forward(),
        }
    }

    fn dataset_close(&self, call: DatasetClose<'_, Self>) -> Result<()> {
        let object = call.object.clone();
        call.forward()?;
        assert!(object.below().is_none(), "closed below");
        Ok(())
    }
}

#[test]
fn a_refreshed_dataset_is_not_used_after_it_was_closed() {
    through::<Curious>("refresh", |h5, access, scratch| {
        let file = h5.create_file(&scratch.file("a.h5"), access).unwrap();
        let dataset = h5.create_dataset(&file, "d", &[3], Some(&[2]), false).unwrap();
        h5.write(&dataset, &[1, 2, 3]).unwrap();
        h5.set_extent(&dataset, &[4]).unwrap();
        assert_eq!(EXTENTS.lock().unwrap().drain(..).collect::<Vec<_>>(), [[4]]);
        drop(dataset);
        file.close().unwrap();

        let file = h5.open_file(&scratch.file("a.h5"), false, access).unwrap();
        let dataset = h5.open_dataset(&file, "d").unwrap();
        let before = REFRESHED.load(Ordering::Relaxed);
        h5.refresh_dataset(&dataset).unwrap();
        assert_eq!(REFRESHED.load(Ordering::Relaxed), before + 1, "the check has run");
        assert_eq!(h5.read(&dataset).unwrap(), [1, 2, 3, 0]);
        assert_eq!(h5.connector_of(&dataset).unwrap(), "test_curious");
        h5.refresh_dataset(&dataset).unwrap();
        dataset.close().unwrap();
    });
}

/// Fails after the connector below has succeeded.
struct Fickle;

support::plain_connector!(Fickle, c"test_fickle", 614);

impl PassThrough for Fickle {
    fn attach(&self, _: &Origin<'_, Self>, _: ObjectKind, _: &BelowObject) {}

    fn dataset_open(&self, call: DatasetOpen<'_, Self>) -> Result<NewObject<Self>> {
        call.forward()?;
        Err(Error::failed("changed my mind"))
    }
}

#[test]
fn an_object_given_up_after_forwarding_is_closed_below() {
    through::<Fickle>("fickle", |h5, access, scratch| {
        let path = scratch.file("a.h5");
        let file = h5.create_file(&path, access).unwrap();
        h5.create_dataset(&file, "d", &[3], None, false).unwrap();
        let failure = h5.open_dataset(&file, "d").unwrap_err();
        assert_eq!(own_entry(&failure, "test_fickle").description, "changed my mind");
        file.close().unwrap();
        // A dataset left open would keep the file open, and it could not be created anew.
        h5.create_file(&path, access).unwrap();
    });
}
