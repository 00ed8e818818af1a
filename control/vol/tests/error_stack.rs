//! The error stack: what native has said stays, what a connector says has its place.

mod support;

use core::sync::atomic::{AtomicU32, Ordering};

use h5_host::errors::preserve;
use h5_host::locate::host_containing;
use h5_vol::calls::{DatasetOpen, GroupOpen};
use h5_vol::views::copy_space;
use h5_vol::{BelowObject, Error, Id, NewObject, ObjectKind, Origin, PassThrough, Result};
use h5_vol_test::{File, Scratch, Session};
use support::{in_every_host, own_entry, through};

support::recording::recording_connector!(Plain, c"test_plain", 631);

/// Fails by itself, and cleans up after failures of the connector below.
struct Talkative;

/// The line where `group_open` fails.
static LINE: AtomicU32 = AtomicU32::new(0);

support::plain_connector!(Talkative, c"test_talkative", 632);

impl PassThrough for Talkative {
    fn attach(&self, _: &Origin<'_, Self>, _: ObjectKind, _: &BelowObject) {}

    fn group_open(&self, call: GroupOpen<'_, Self>) -> Result<NewObject<Self>> {
        let name = call.name.unwrap_or_default().to_string_lossy().into_owned();
        if name != "forbidden" {
            return call.forward();
        }
        LINE.store(line!() + 1, Ordering::Relaxed);
        Err(Error::failed(format_args!("group '{name}' is not for you: 100% sure")))
    }

    fn dataset_open(&self, call: DatasetOpen<'_, Self>) -> Result<NewObject<Self>> {
        let object = call.object.clone();
        let host = object.host();
        let outcome = call.forward();
        // Calls of our own, most of which fail or would clear the stack.
        assert!(copy_space(host, Id(12345)).is_err());
        assert!(host.ask(|questions| questions.extent_elements(Id(12345))).is_none());
        assert!(host.ask(|questions| questions.element_size(Id::DEFAULT)).is_none());
        assert!(host.ask_below(|questions| object.below()?.file_name(questions, object.kind())).is_some());
        outcome
    }
}

fn with_file(test: impl Fn(&Session<'_>, &File)) {
    through::<Talkative>("error-stack", |h5, access, scratch| {
        test(h5, &h5.create_file(&scratch.file("a.h5"), access).unwrap());
    });
}

#[test]
fn native_entries_of_a_failed_open_survive_with_errno() {
    in_every_host(|h5| {
        let plain = h5.register::<Plain>().unwrap();
        let scratch = Scratch::new("error-stack");
        let path = scratch.file("missing.h5");
        let native = h5.open_file(&path, false, &h5.native_access().unwrap()).unwrap_err();
        let access = h5.access_through(&plain, "").unwrap();
        let through = h5.open_file(&path, false, &access).unwrap_err();
        for failure in [&native, &through] {
            assert!(failure.mentions("errno = 2"), "{failure:?}");
            assert!(failure.mentions("No such file or directory"), "{failure:?}");
        }
        // The first cause is the same entry, and all of native's are there; the layers above differ.
        assert_eq!(native.entries[0], through.entries[0]);
        for entry in native.entries.iter().filter(|entry| !entry.function.starts_with("H5VL")) {
            let same = |found: &&h5_vol_test::Entry| found.function == entry.function;
            assert!(through.entries.iter().any(|found| same(&found)), "{entry:?} in {through:?}");
        }
        assert_eq!(through.of_class("test_plain").count(), 0, "the connector has nothing to add");
    });
}

#[test]
fn own_errors_have_file_function_and_line() {
    with_file(|h5, file| {
        let failure = h5.open_group(file, "forbidden").unwrap_err();
        let entry = own_entry(&failure, "test_talkative");
        assert_eq!(entry.description, "group 'forbidden' is not for you: 100% sure");
        assert_eq!((entry.major.as_str(), entry.minor.as_str()), ("VOL connector", "Operation failed"));
        assert!(entry.file.ends_with("tests/error_stack.rs"), "{entry:?}");
        assert_eq!((entry.function.as_str(), entry.line), ("group_open", LINE.load(Ordering::Relaxed)));
        assert_eq!(failure.entries[0], *entry, "nothing below it: native was not asked");
        assert!(failure.entries.len() > 1, "HDF5's own entries are above it");
    });
}

#[test]
fn calls_of_the_connector_after_a_failure_do_not_clear_it() {
    with_file(|h5, file| {
        let failure = h5.open_dataset(file, "missing").unwrap_err();
        assert!(failure.mentions("object 'missing' doesn't exist"), "{failure:?}");
        assert_eq!(failure.of_class("test_talkative").count(), 0, "{failure:?}");
        // Nor do they leave entries of their own.
        for entry in &failure.entries {
            assert!(!["H5Scopy", "H5Tget_size", "H5Sget_simple_extent_npoints"].contains(&&*entry.function));
        }
        // A success leaves none at all.
        drop(h5.create_dataset(file, "present", &[1], None, false).unwrap());
        let dataset = h5.open_dataset(file, "present").unwrap();
        assert_eq!(h5.failure_depth(), 0, "{:?}", h5.take_failure());
        drop(dataset);
    });
}

#[test]
fn preserve_keeps_what_is_there_and_drops_what_comes() {
    in_every_host(|h5| {
        // SAFETY: the address lies in an HDF5.
        let host = unsafe { host_containing(h5.host().address()) }.unwrap();
        // SAFETY: HDF5 verifies the identifier, and fails.
        let fail = || unsafe { (h5.api().H5Dget_space().unwrap())(12345) };

        // An empty stack stays empty.
        assert_eq!(h5.failure_depth(), 0);
        assert!(preserve(host, fail) < 0);
        assert_eq!(h5.failure_depth(), 0);

        // A full one stays as it is, also over a success and a panic.
        // SAFETY: HDF5 verifies the identifier, and fails.
        unsafe { (h5.api().H5Gopen2().unwrap())(12345, c"x".as_ptr(), 0) };
        let depth = h5.failure_depth();
        assert!(depth > 0);
        assert!(preserve(host, fail) < 0);
        preserve(host, || drop(h5.space(&[1], false).unwrap()));
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            preserve(host, || {
                fail();
                panic!("expected");
            })
        }));
        assert!(panicked.is_err());
        assert_eq!(h5.failure_depth(), depth);
        let kept = h5.take_failure();
        assert!(kept.entries.iter().any(|entry| entry.function == "H5Gopen2"), "{kept:?}");
        assert!(kept.entries.iter().all(|entry| entry.function != "H5Dget_space"), "{kept:?}");
    });
}
