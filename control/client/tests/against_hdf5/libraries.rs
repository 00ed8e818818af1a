//! Loading, versions, failures, and turns.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use h5_client::{Failure, File, FileAccess, Library, Location as _, Object as _, stock};

use crate::{in_every_library, with_file};

#[test]
fn libraries_tell_their_version() {
    in_every_library(|h5, _| {
        let version = h5.version().unwrap();
        assert!(version.major == 2 || (version.major, version.minor) == (1, 14), "{version}");
        assert!(h5.is_thread_safe().unwrap().is_some());
        assert!(h5.has_filter(h5_abi::H5Z_FILTER_DEFLATE).unwrap());
        assert!(!h5.has_filter(60000).unwrap());
    });
}

#[test]
fn a_library_without_hdf5_lacks_its_functions() {
    let failure = Library::load("/no/such/libhdf5.so".as_ref()).err().unwrap();
    assert!(failure.message.contains("/no/such/libhdf5.so"), "{failure}");
    // Any other shared library can be loaded, and says what it lacks.
    let other = Library::load("libc.so.6".as_ref()).unwrap();
    other.require("malloc").unwrap();
    let failure = other.enter().err().unwrap();
    assert_eq!(failure.message, format!("{}H5open", Failure::LACKS));
    // The turn was given back.
    std::thread::spawn(move || assert!(other.enter().is_err())).join().unwrap();
}

#[test]
fn failures_carry_the_error_stack() {
    with_file(|h5, file| {
        let failure = file.open_group("missing").unwrap_err();
        assert_eq!(failure.message, "H5Gopen2 failed");
        assert!(failure.mentions("object 'missing' doesn't exist"), "{failure:?}");
        let first = &failure.entries[0];
        assert_eq!((first.class.as_str(), first.major.as_str()), ("HDF5", "Symbol table"));
        assert!(!first.minor.is_empty() && !first.function.is_empty() && first.line > 0, "{first:?}");
        assert_eq!(failure.entries.last().unwrap().function, "H5Gopen2");
        assert!(failure.to_string().starts_with("H5Gopen2 failed: "), "{failure}");
        assert_eq!(h5.failure_depth().unwrap(), 0, "the stack is empty afterwards");
        assert!(file.open_group("a\0b").unwrap_err().message.contains("NUL"));
    });
}

#[test]
fn other_threads_wait_until_the_last_handle_is_gone() {
    static ENTERED: AtomicBool = AtomicBool::new(false);
    let library = stock::all()[0].library;
    let folder = tempfile::tempdir().unwrap();
    let h5 = library.enter().unwrap();
    let file = File::create(&h5, &folder.path().join("a.h5"), &FileAccess::native(&h5).unwrap()).unwrap();
    drop(h5);
    let other = std::thread::spawn(move || {
        let _h5 = library.enter().unwrap();
        ENTERED.store(true, Ordering::SeqCst);
    });
    std::thread::sleep(Duration::from_millis(50));
    assert!(!ENTERED.load(Ordering::SeqCst), "the file still holds the turn");
    // The thread that has the turn may enter again.
    assert!(library.enter().unwrap().is_valid(file.id()).unwrap());
    drop(file);
    other.join().unwrap();
}

#[test]
fn a_library_restarts_only_if_nothing_of_it_is_in_use() {
    in_every_library(|h5, folder| {
        let access = FileAccess::native(h5).unwrap();
        let failure = h5.restart().unwrap_err();
        assert!(failure.message.contains("in use"), "{failure}");
        let file = File::create(h5, &folder.path().join("a.h5"), &access).unwrap();
        let left = file.leave_open();
        access.leave_open();
        h5.restart().unwrap();
        assert!(!h5.is_valid(left).unwrap());
        let access = FileAccess::native(h5).unwrap();
        let file = File::open(h5, &folder.path().join("a.h5"), &access).unwrap();
        assert_eq!(file.path().unwrap(), "/");
    });
}

#[test]
fn identifiers_of_another_library_are_refused() {
    let [one, other, ..] = stock::all() else { panic!("two libraries are needed") };
    let (one, other) = (one.library.enter().unwrap(), other.library.enter().unwrap());
    let access = FileAccess::native(&one).unwrap();
    let failure = File::open(&other, "a.h5", &access).unwrap_err();
    assert!(failure.message.contains("two libraries"), "{failure}");
}
