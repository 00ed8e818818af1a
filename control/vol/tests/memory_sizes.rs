//! How large a connector takes the application's memory to be.

mod support;

use core::ffi::c_int;
use std::sync::Mutex;

use h5_client::{Dataspace, Datatype, Hyperslab, Location as _};
use h5_vol::calls::{DatasetRead, DatasetWrite};
use h5_vol::{BelowObject, ObjectKind, Origin, PassThrough, Result};
use support::through;

/// The sizes of the calls so far.
static SIZES: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// Asks for the memory of each call, and forwards the call.
struct Measuring;

support::plain_connector!(Measuring, c"test_measuring", 692);

impl PassThrough for Measuring {
    fn attach(&self, _: &Origin<'_, Self>, _: ObjectKind, _: &BelowObject) {}

    fn dataset_read(&self, mut call: DatasetRead<'_, Self>) -> Result<c_int> {
        let size = call.parts[0].target_bytes()?.len();
        SIZES.lock().unwrap().push(size);
        call.forward()
    }

    fn dataset_write(&self, call: DatasetWrite<'_, Self>) -> Result<c_int> {
        SIZES.lock().unwrap().push(call.parts[0].source_bytes()?.len());
        call.forward()
    }
}

#[test]
fn the_memory_is_as_large_as_the_dataspace_that_hdf5_uses_for_it() {
    through::<Measuring>("memory-sizes", |h5, access, scratch| {
        let file = h5.create_file(&scratch.file("a.h5"), access).unwrap();
        let session = file.session();
        let int = Datatype::predefined(session, "NATIVE_INT32").unwrap();
        let simple = |length| Dataspace::simple(session, &[length]).unwrap();
        let dataset = file.create_dataset("d", &int, &simple(4), None).unwrap();
        let half = |length| {
            let mut space = simple(length);
            space.select(&Hyperslab::new(&[0], &[2])).unwrap();
            space
        };
        SIZES.lock().unwrap().clear();
        dataset.write(&int, &[1; 16]).unwrap();
        dataset.read(&int, &mut [0; 16]).unwrap();
        // Without a dataspace of its own, the memory has the extent of the file's, not that of the dataset.
        for length in [2, 3, 4, 5] {
            let bytes = usize::try_from(length).unwrap() * 4;
            dataset.read_part(&int, None, Some(&half(length)), &mut vec![0; bytes]).unwrap();
            dataset.write_part(&int, None, Some(&half(length)), &vec![0; bytes]).unwrap();
        }
        dataset.read_part(&int, Some(&half(7)), Some(&half(4)), &mut [0; 28]).unwrap();
        let sizes = std::mem::take(&mut *SIZES.lock().unwrap());
        assert_eq!(sizes, [16, 16, 8, 8, 12, 12, 16, 16, 20, 20, 28]);
    });
}
