//! Virtual datasets: parts of other datasets, which they grow with.

use std::rc::Rc;

use h5_client::{Dataset, DatasetCreation, Dataspace, File, Hyperslab, Location as _, Session, Transfer};

use crate::datasets::{bytes, int};
use crate::with_file;

const UNLIMITED: u64 = Dataspace::UNLIMITED;

/// Everything from the beginning, however long it becomes.
fn endless(h5: &Session) -> Dataspace {
    let mut space = Dataspace::growing(h5, &[4], &[UNLIMITED]).unwrap();
    space.select(&Hyperslab { block: Some(vec![1]), ..Hyperslab::new(&[0], &[UNLIMITED]) }).unwrap();
    space
}

/// A dataset of four elements that can grow, and a virtual one that grows with it.
fn source_and_view(h5: &Session, file: &File) -> [Dataset; 2] {
    let (int, growing) = (int(h5), Dataspace::growing(h5, &[4], &[UNLIMITED]).unwrap());
    let chunked = DatasetCreation::new(h5, Some(&[4]), &[]).unwrap();
    let source = file.create_dataset("source", &int, &growing, Some(&chunked)).unwrap();
    source.write(&int, &bytes(&[1, 2, 3, 4])).unwrap();
    let mut creation = DatasetCreation::new(h5, None, &[]).unwrap();
    creation.map(&endless(h5), ".", "source", &endless(h5)).unwrap();
    let view = file.create_dataset("view", &int, &growing, Some(&creation)).unwrap();
    assert_eq!(view.space().unwrap().dimensions().unwrap(), [4]);
    [source, view]
}

/// Makes a dataset longer as somebody else would: the client does not see it.
fn grow(dataset: &Dataset, length: u64) {
    let set_extent = dataset.session().functions().H5Dset_extent().unwrap();
    // SAFETY: a length for the one dimension.
    assert!(unsafe { set_extent(dataset.id(), &raw const length) } >= 0);
}

#[test]
fn parts_of_other_datasets_are_read_and_written() {
    with_file(|h5, file| {
        let (int, four) = (int(h5), Dataspace::simple(h5, &[4]).unwrap());
        let mut creation = DatasetCreation::new(h5, None, &[]).unwrap();
        for (number, name) in (0..).zip(["a", "b"]) {
            let part = file.create_dataset(name, &int, &four, None).unwrap();
            part.write(&int, &bytes(&[number; 4])).unwrap();
            let mut rows = Dataspace::simple(h5, &[2, 4]).unwrap();
            rows.select(&Hyperslab::new(&[number.unsigned_abs().into(), 0], &[1, 4])).unwrap();
            creation.map(&rows, ".", name, &four).unwrap();
        }
        let all = Dataspace::simple(h5, &[2, 4]).unwrap();
        let dataset = file.create_dataset("both", &int, &all, Some(&creation)).unwrap();
        let stored = dataset.creation().unwrap();
        assert_eq!((stored.layout().unwrap(), stored.mappings().unwrap()), (h5_abi::H5D_VIRTUAL, 2));
        assert!(stored.chunk().unwrap().is_none() && dataset.offset().unwrap().is_none());

        let mut read = vec![0; 32];
        dataset.read(&int, &mut read).unwrap();
        assert_eq!(read, bytes(&[0, 0, 0, 0, 1, 1, 1, 1]));
        dataset.write(&int, &bytes(&[8, 7, 6, 5, 4, 3, 2, 1])).unwrap();
        let elements = file.open_dataset("b").unwrap().read_elements(&int, None).unwrap();
        assert_eq!(elements.bytes().unwrap(), bytes(&[4, 3, 2, 1]));
    });
}

#[test]
fn a_dataset_that_grows_by_itself_never_leaves_the_memory() {
    with_file(|h5, file| {
        let int = int(h5);
        let [source, view] = source_and_view(h5, file);
        let fixed = file.create_dataset("f", &int, &Dataspace::simple(h5, &[4]).unwrap(), None).unwrap();
        let prepared = Transfer::new(&view, &int, None, None).unwrap();
        let mut changed = Transfer::new(&fixed, &int, None, None).unwrap();
        changed.set_dataset(&view).unwrap();

        let mut memory = [0xEE; 32];
        for transfer in [&prepared, &changed] {
            transfer.read(&mut memory[..16]).unwrap();
            assert_eq!(memory[..16], bytes(&[1, 2, 3, 4]));
        }
        grow(&source, 8);
        // HDF5 looks for the sources' extents when it is asked for the view's.
        assert_eq!(view.space().unwrap().dimensions().unwrap(), [8]);
        for (transfer, name) in [(&prepared, "prepared"), (&changed, "changed")] {
            assert!(transfer.read(&mut memory[..16]).is_err(), "{name}");
            assert!(transfer.write(&memory[..16]).is_err(), "{name}");
            assert_eq!(memory[16..], [0xEE; 16], "{name}: behind the memory");
        }
        let mut read = vec![0; 32];
        view.read(&int, &mut read).unwrap();
        assert_eq!(read, bytes(&[1, 2, 3, 4, 0, 0, 0, 0]));
    });
}

#[test]
fn a_transfer_of_one_that_grows_can_become_one_of_another_dataset() {
    with_file(|h5, file| {
        let int = int(h5);
        let [source, view] = source_and_view(h5, file);
        let mut transfer = Transfer::new(&view, &int, None, None).unwrap();
        let large = file.create_dataset("l", &int, &Dataspace::simple(h5, &[6]).unwrap(), None).unwrap();
        large.write(&int, &bytes(&[6; 6])).unwrap();
        transfer.set_dataset(&large).unwrap();
        let mut memory = vec![0; 24];
        transfer.read(&mut memory).unwrap();
        assert_eq!((transfer.room(), memory), (24, bytes(&[6; 6])));
        grow(&source, 5);
        transfer.set_dataset(&view).unwrap();
        assert_eq!(transfer.room(), 20);
        transfer.read(&mut [0; 20]).unwrap();
    });
}

#[test]
fn a_selection_brings_its_own_extent() {
    with_file(|h5, file| {
        let int = int(h5);
        let dataset = file.create_dataset("d", &int, &Dataspace::simple(h5, &[4]).unwrap(), None).unwrap();
        dataset.write(&int, &bytes(&[1, 2, 3, 4])).unwrap();
        // HDF5 takes the extent of the memory from the selection, not from the dataset.
        let mut wide = Dataspace::simple(h5, &[6]).unwrap();
        wide.select(&Hyperslab::new(&[2], &[2])).unwrap();
        let wide = Rc::new(wide);
        let failure = dataset.read_part(&int, None, Some(&wide), &mut [0; 16]).unwrap_err();
        assert!(failure.message.contains("16 bytes instead of 24"), "{failure}");
        assert_eq!(Transfer::new(&dataset, &int, None, Some(&wide)).unwrap().room(), 24);
    });
}
