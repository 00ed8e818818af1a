//! Links of a class that the application has registered.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr;

use h5_abi::{H5L_type_t, herr_t, hid_t};
use h5_client::{LinkTarget, Links as _, Location as _};
use libloading::os::unix::Library;

use crate::with_file;

const CLASS: H5L_type_t = H5L_type_t(200);

/// `H5L_class_t`
#[repr(C)]
struct Class {
    version: c_int,
    id: H5L_type_t,
    comment: *const c_char,
    create: *const c_void,
    relocate: *const c_void,
    copy: *const c_void,
    traverse: unsafe extern "C" fn(*const c_char, hid_t, *const c_void, usize, hid_t, hid_t) -> hid_t,
    delete: *const c_void,
    query: unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void, usize) -> isize,
}

/// Such links lead nowhere.
unsafe extern "C" fn traverse(
    _: *const c_char,
    _: hid_t,
    _: *const c_void,
    _: usize,
    _: hid_t,
    _: hid_t,
) -> hid_t {
    -1
}

/// Tells the value, as much of it as there is room for.
unsafe extern "C" fn query(
    _: *const c_char,
    value: *const c_void,
    length: usize,
    buffer: *mut c_void,
    room: usize,
) -> isize {
    if !buffer.is_null() {
        // SAFETY: HDF5 passes as many bytes of each as it says.
        unsafe { ptr::copy_nonoverlapping(value.cast::<u8>(), buffer.cast(), length.min(room)) };
    }
    isize::try_from(length).unwrap()
}

#[test]
fn a_user_defined_link_has_the_value_that_its_class_tells() {
    with_file(|h5, file| {
        // SAFETY: the library is loaded already, so that no initialiser runs.
        let library = unsafe { Library::new(h5.library().path()) }.unwrap();
        // SAFETY: the prototypes of HDF5's headers (H5Ldevelop.h).
        let (register, unregister) = unsafe {
            (
                library
                    .get::<unsafe extern "C" fn(*const Class) -> herr_t>(c"H5Lregister".to_bytes_with_nul()),
                library
                    .get::<unsafe extern "C" fn(H5L_type_t) -> herr_t>(c"H5Lunregister".to_bytes_with_nul()),
            )
        };
        let none = ptr::null();
        let comment: &CStr = c"a test's";
        let class = Class {
            version: 1,
            id: CLASS,
            comment: comment.as_ptr(),
            create: none,
            relocate: none,
            copy: none,
            traverse,
            delete: none,
            query,
        };
        // SAFETY: HDF5 copies the class; its functions and its comment are static.
        assert!(unsafe { register.unwrap()(&raw const class) } >= 0);

        let group = file.create_group("g").unwrap();
        group.create_user_link("long", CLASS.0, b"a value\0with a NUL").unwrap();
        group.create_user_link("none", CLASS.0, b"").unwrap();
        let target = |value: &[u8]| LinkTarget::UserDefined { class: CLASS.0, value: value.to_vec() };
        let targets: Vec<_> = group.links().unwrap().into_iter().map(|link| link.target).collect();
        assert_eq!(targets, [target(b"a value\0with a NUL"), target(b"")]);
        assert_eq!(group.link("long").unwrap().target, targets[0]);
        assert!(group.link_exists("long").unwrap());
        assert!(group.open_group("long").is_err(), "it leads nowhere");
        group.move_link("long", "moved").unwrap();
        assert_eq!(group.link("moved").unwrap().target, targets[0]);

        group.delete_link("none").unwrap();
        assert_eq!(group.link_count().unwrap(), 1);

        // Nobody can tell the value of a class that is not registered.
        // SAFETY: a number.
        assert!(unsafe { unregister.unwrap()(CLASS) } >= 0);
        assert_eq!(group.link("moved").unwrap().target, target(b""));
        assert!(group.create_user_link("another", CLASS.0, b"value").is_err());
        assert!(group.delete_link("moved").is_err());
    });
}
