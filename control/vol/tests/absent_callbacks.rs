//! A terminal connector with almost no callbacks: HDF5 itself says that the others are not supported.

mod support;

use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicU32, Ordering};

use h5_abi::{H5E_DEFAULT, hid_t};
use h5_vol::calls::{FileCreate, GroupCreate};
use h5_vol::{Files, Groups, NewObject, ObjectKind, Result, Terminal, class_for};
use h5_vol_test::{Failure, FileAccess, Session, StockHost};
use support::in_every_host;

support::recording::recording_connector!(Above, c"test_above_sparse", 672);

/// Creates files and groups that have nothing in them.
struct Sparse;

support::connector!(Sparse, c"test_sparse", 671, terminal {
    type Settings = ();
    type Data = ();
});

impl Terminal for Sparse {
    const FILES: Files<Self> = Files { create: Some(create_file), close: Some(|_, _| Ok(())), ..Files::NONE };
    const GROUPS: Groups<Self> =
        Groups { create: Some(create_group), close: Some(|_, _| Ok(())), ..Groups::NONE };
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of the callback")]
fn create_file(_: &Sparse, _: FileCreate<'_, Sparse>) -> Result<NewObject<Sparse>> {
    Ok(NewObject::terminal(ObjectKind::File, ()))
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of the callback")]
fn create_group(_: &Sparse, _: GroupCreate<'_, Sparse>) -> Result<NewObject<Sparse>> {
    Ok(NewObject::terminal(ObjectKind::Group, ()))
}

#[test]
fn the_class_has_only_what_is_named() {
    for host in StockHost::all() {
        // SAFETY: the address lies in an HDF5.
        let class = unsafe { class_for::<Sparse>(host.address()) }.unwrap();
        assert!(class.wrap_cls.get_object.is_none() && class.wrap_cls.wrap_object.is_none());
        assert!(class.file_cls.create.is_some() && class.file_cls.close.is_some());
        assert!(class.file_cls.open.is_none() && class.file_cls.get.is_none());
        assert!(class.group_cls.create.is_some() && class.group_cls.specific.is_none());
        assert!(class.attr_cls.create.is_none() && class.attr_cls.close.is_none());
        assert!(class.dataset_cls.read.is_none() && class.dataset_cls.optional.is_none());
        assert!(class.link_cls.create.is_none() && class.object_cls.open.is_none());
        assert!(class.datatype_cls.commit.is_none() && class.request_cls.free.is_none());
        assert!(class.blob_cls.put.is_none() && class.token_cls.cmp.is_none() && class.optional.is_none());
        // The framework answers these for every connector.
        assert!(class.introspect_cls.get_conn_cls.is_some() && class.introspect_cls.opt_query.is_some());

        // SAFETY: as above.
        let class = unsafe { class_for::<Above>(host.address()) }.unwrap();
        assert!(class.wrap_cls.wrap_object.is_some() && class.dataset_cls.read.is_some());
        assert!(class.blob_cls.put.is_some() && class.request_cls.free.is_some() && class.optional.is_some());
    }
}

/// HDF5 refuses the call because the connector lacks the callback, and the connectors say nothing.
#[track_caller]
fn expect_absent<T>(outcome: Result<T, Failure>, callback: &str) {
    let Err(failure) = outcome else { panic!("'{callback}' is absent, and the call succeeded") };
    let text = format!("has no '{callback}' method");
    let entry = failure.entries.iter().find(|entry| entry.description.contains(&text));
    let entry = entry.unwrap_or_else(|| panic!("nothing says that '{callback}' is absent: {failure:?}"));
    assert_eq!((entry.class.as_str(), entry.minor.as_str()), ("HDF5", "Feature is unsupported"));
    for class in ["test_sparse", "test_above_sparse"] {
        assert_eq!(failure.of_class(class).count(), 0, "{failure:?}");
    }
}

/// Every sub-class that has absent callbacks.
fn call_what_is_absent(h5: &Session<'_>, access: &FileAccess) {
    expect_absent(h5.open_file("none", false, access), "file open");
    expect_absent(h5.delete_file("none", access), "file specific");
    let file = h5.create_file("some", access).unwrap();
    let group = h5.create_group(&file, "g").unwrap();
    expect_absent(h5.intent(&file), "file get");
    expect_absent(h5.flush(&file), "file specific");
    expect_absent(h5.open_group(&file, "g"), "group open");
    expect_absent(h5.link_count(&group), "group get");
    expect_absent(h5.create_dataset(&file, "d", &[2], None, false), "dataset create");
    expect_absent(h5.open_dataset(&file, "d"), "dataset open");
    expect_absent(h5.write_attribute(&group, "a", &[1]), "attr create");
    expect_absent(h5.attribute_exists(&group, "a"), "attr specific");
    expect_absent(h5.commit_integer_type(&file, "t"), "datatype commit");
    expect_absent(h5.create_soft_link(&file, "/x", "y"), "link create");
    expect_absent(h5.move_link(&file, "x", "y"), "link move");
    expect_absent(h5.link_exists(&group, "x"), "link specific");
    expect_absent(h5.open_object(&file, "x"), "object open");
    expect_absent(h5.object_info(&group), "object get");
    expect_absent(h5.copy_object(&file, "x", &group, "y"), "object copy");
    group.close().unwrap();
    file.close().unwrap();
}

#[test]
fn hdf5_says_that_a_callback_is_absent() {
    in_every_host(|h5| {
        let sparse = h5.register::<Sparse>().unwrap();
        call_what_is_absent(h5, &h5.access_through(&sparse, "").unwrap());
    });
}

#[test]
fn hdf5_says_so_through_a_pass_through_connector() {
    in_every_host(|h5| {
        let sparse = h5.register::<Sparse>().unwrap();
        let above = h5.register::<Above>().unwrap();
        call_what_is_absent(h5, &h5.access_through(&above, "under_vol=671").unwrap());
        assert_eq!(Above::record().live(), 0, "every object's data was dropped");
        drop(sparse);
    });
}

/// How often HDF5 would have printed an error stack.
static PRINTED: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn print(_: hid_t, _: *mut c_void) -> c_int {
    PRINTED.fetch_add(1, Ordering::Relaxed);
    0
}

#[test]
fn it_is_printed_once_however_many_connectors_there_are() {
    in_every_host(|h5| {
        let sparse = h5.register::<Sparse>().unwrap();
        let above = h5.register::<Above>().unwrap();
        for access in
            [h5.access_through(&sparse, "").unwrap(), h5.access_through(&above, "under_vol=671").unwrap()]
        {
            let file = h5.create_file("some", &access).unwrap();
            PRINTED.store(0, Ordering::Relaxed);
            // SAFETY: a function of the right type, taken back below.
            unsafe { (h5.api().H5Eset_auto2().unwrap())(H5E_DEFAULT, Some(print), core::ptr::null_mut()) };
            let failed = h5.create_soft_link(&file, "/x", "y");
            // SAFETY: a null function switches printing off.
            unsafe { (h5.api().H5Eset_auto2().unwrap())(H5E_DEFAULT, None, core::ptr::null_mut()) };
            expect_absent(failed, "link create");
            assert_eq!(PRINTED.load(Ordering::Relaxed), 1);
        }
    });
}
