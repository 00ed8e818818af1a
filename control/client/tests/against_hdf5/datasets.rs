//! Datasets: selections, chunks, prepared transfers, elements with pointers.

use std::rc::Rc;

use h5_client::{
    DatasetCreation, Dataspace, Datatype, Elements, Filter, Hyperslab, Location as _, MultiTransfer, Session,
    Transfer,
};

use crate::with_file;

pub(crate) fn int(h5: &Session) -> Rc<Datatype> {
    Rc::new(Datatype::predefined(h5, "NATIVE_INT32").unwrap())
}

pub(crate) fn bytes(numbers: &[i32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
}

#[test]
fn parts_are_read_and_written() {
    with_file(|h5, file| {
        let int = int(h5);
        let dataset = file.create_dataset("d", &int, &Dataspace::simple(h5, &[3, 4]).unwrap(), None).unwrap();
        dataset.write(&int, &bytes(&(0..12).collect::<Vec<_>>())).unwrap();
        assert!(dataset.write(&int, &[0; 47]).unwrap_err().message.contains("47 bytes instead of 48"));
        let mut columns = dataset.space().unwrap();
        columns.select(&Hyperslab::strided(&[0, 1], &[1, 2], &[3, 2])).unwrap();
        assert_eq!((columns.selected().unwrap(), columns.elements().unwrap()), (6, 12));
        assert!(columns.select(&Hyperslab::new(&[0], &[1])).is_err(), "too few dimensions");
        let memory = Dataspace::simple(h5, &[6]).unwrap();
        let mut read = vec![0; 24];
        dataset.read_part(&int, Some(&memory), Some(&columns), &mut read).unwrap();
        assert_eq!(read, bytes(&[1, 3, 5, 7, 9, 11]));
        assert!(dataset.read_part(&int, Some(&memory), Some(&columns), &mut read[..20]).is_err());

        let mut points = dataset.space().unwrap();
        points.select_points(&[2, 3, 0, 0]).unwrap();
        assert!(points.select_points(&[1, 1, 1]).is_err());
        dataset
            .write_part(&int, Some(&Dataspace::simple(h5, &[2]).unwrap()), Some(&points), &bytes(&[-1, -2]))
            .unwrap();
        let elements = dataset.read_elements(&int, Some(&points)).unwrap();
        assert_eq!(elements.bytes().unwrap(), bytes(&[-1, -2]));
        assert!(dataset.offset().unwrap().is_some());
        assert_eq!(dataset.storage_size().unwrap(), 48);
        dataset.flush().unwrap();
        dataset.refresh().unwrap();
        let null = Dataspace::null(h5).unwrap();
        assert!(null.is_null().unwrap() && !points.copy().unwrap().is_null().unwrap());
        let nothing = file.create_dataset("n", &int, &null, None).unwrap();
        assert_eq!(nothing.read_elements(&int, None).unwrap().count().unwrap(), 0);
    });
}

#[test]
fn chunks_as_they_are_stored() {
    with_file(|h5, file| {
        let int = int(h5);
        let filters = [Filter::new(2, &[]), Filter::new(1, &[4])];
        let creation = DatasetCreation::new(h5, Some(&[2, 4]), &filters).unwrap();
        let space = Dataspace::growing(h5, &[4, 4], &[Dataspace::UNLIMITED, 4]).unwrap();
        let dataset = file.create_dataset("d", &int, &space, Some(&creation)).unwrap();
        dataset.write(&int, &bytes(&[7; 16])).unwrap();
        dataset.flush().unwrap();
        let chunks = dataset.chunks().unwrap();
        assert_eq!(chunks.iter().map(|chunk| chunk.place.as_slice()).collect::<Vec<_>>(), [[0, 0], [2, 0]]);
        let (stored, mask) = dataset.read_chunk(&[2, 0]).unwrap();
        assert_eq!((stored.len() as u64, mask), (chunks[1].size, chunks[1].filter_mask));
        assert!(dataset.read_chunk(&[2]).is_err());
        // Without its filters.
        dataset.write_chunk(&[0, 0], 3, &bytes(&[9; 8])).unwrap();
        // HDF5 remembers the last chunk it looked up, with the mask it had then.
        dataset.close().unwrap();
        let dataset = file.open_dataset("d").unwrap();
        let mut read = vec![0; 64];
        dataset.read(&int, &mut read).unwrap();
        assert_eq!(read, bytes(&[[9; 8], [7; 8]].concat()));

        let stored = dataset.creation().unwrap();
        assert_eq!(stored.chunk().unwrap().as_deref(), Some(&[2, 4][..]));
        assert_eq!(stored.layout().unwrap(), h5_abi::H5D_CHUNKED);
        let numbers: Vec<_> = stored.filters().unwrap().iter().map(|filter| filter.number).collect();
        assert_eq!((numbers, stored.filters().unwrap()[1].options.as_slice()), (vec![2, 1], &[4][..]));
        assert_eq!(stored.external_files().unwrap(), 0);
        assert!(dataset.set_extent(&[6]).is_err());
        dataset.set_extent(&[6, 4]).unwrap();
        assert_eq!(dataset.space().unwrap().extents().unwrap(), (vec![6, 4], vec![Dataspace::UNLIMITED, 4]));
    });
}

#[test]
fn a_prepared_transfer_never_leaves_its_memory() {
    with_file(|h5, file| {
        let int = int(h5);
        let creation = DatasetCreation::new(h5, Some(&[4]), &[]).unwrap();
        let space = Dataspace::growing(h5, &[4], &[100]).unwrap();
        let dataset = file.create_dataset("d", &int, &space, Some(&creation)).unwrap();
        let transfer = Transfer::new(&dataset, &int, None, None).unwrap();
        let numbers = bytes(&[1, 2, 3, 4]);
        transfer.write(&numbers).unwrap();
        let mut memory = vec![0; 16];
        transfer.read(&mut memory).unwrap();
        assert_eq!((transfer.room(), &memory), (16, &numbers));
        assert!(transfer.read(&mut memory[..15]).unwrap_err().message.contains("15 bytes"));
        dataset.set_extent(&[8]).unwrap();
        assert!(transfer.read(&mut memory).unwrap_err().message.contains("grown"));
        assert!(transfer.set_extent(&[2, 2]).is_err());
        transfer.set_extent(&[2]).unwrap();
        transfer.read(&mut memory).unwrap();
        let failure = transfer.shared().err().unwrap();
        assert!(failure.message.contains("several threads"), "{failure}");

        let fixed = file.create_dataset("f", &int, &Dataspace::simple(h5, &[4]).unwrap(), None).unwrap();
        let mut other =
            Transfer::new(&dataset, &int, Some(&Rc::new(Dataspace::simple(h5, &[2]).unwrap())), None)
                .unwrap();
        other.read(&mut memory[..8]).unwrap();
        other.set_dataset(&fixed).unwrap();
        assert!(other.read(&mut memory).is_err(), "HDF5 compares the numbers of elements");
        let text = Rc::new(crate::files::text_type(h5));
        assert!(Transfer::new(&fixed, &text, None, None).is_err());
        dataset.close().unwrap();
        assert!(transfer.read(&mut memory).is_err(), "the dataset is closed");
    });
}

#[test]
fn several_threads_make_transfers_in_a_thread_safe_library() {
    with_file(|h5, file| {
        let int = int(h5);
        let dataset = file.create_dataset("d", &int, &Dataspace::simple(h5, &[1000]).unwrap(), None).unwrap();
        let numbers = bytes(&(0..1000).collect::<Vec<_>>());
        let transfer = Transfer::new(&dataset, &int, None, None).unwrap();
        transfer.write(&numbers).unwrap();
        let shared = match transfer.shared() {
            Ok(shared) => shared,
            Err(failure) => {
                assert_ne!(h5.is_thread_safe().unwrap(), Some(true), "{failure}");
                return;
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    shared.silence().unwrap();
                    let mut memory = vec![0; 4000];
                    for _ in 0..100 {
                        shared.read(&mut memory).unwrap();
                        assert_eq!(memory, numbers);
                        shared.write(&memory).unwrap();
                    }
                });
            }
        });
    });
}

#[test]
fn several_datasets_by_one_call() {
    with_file(|h5, file| {
        let int = int(h5);
        let transfers = |names: [&str; 2]| {
            let space = Dataspace::simple(h5, &[2]).unwrap();
            let part = |(index, name): (usize, &str)| {
                let dataset = file.create_dataset(name, &int, &space, None).unwrap();
                let transfer = Transfer::new(&dataset, &int, None, None).unwrap();
                dataset.leave_open();
                (transfer, index * 8)
            };
            MultiTransfer::new(h5, names.into_iter().enumerate().map(part).collect()).unwrap()
        };
        let multi = transfers(["a", "b"]);
        let numbers = bytes(&[1, 2, 3, 4]);
        multi.write(&numbers).unwrap();
        let mut memory = vec![0; 16];
        multi.read(&mut memory, 2).unwrap();
        assert_eq!(memory, numbers);
        assert!(multi.read(&mut memory[..15], 1).is_err());
        assert!(multi.write(&memory[..4]).is_err());
    });
}

#[test]
fn elements_with_pointers_are_copied() {
    with_file(|h5, file| {
        let text = crate::files::text_type(h5);
        let space = Dataspace::simple(h5, &[3]).unwrap();
        let dataset = file.create_dataset("texts", &text, &space, None).unwrap();
        let strings = vec![c"one".to_owned(), c"two".to_owned(), c"".to_owned()];
        dataset.write_elements(&Elements::of_strings(&text, strings.clone()).unwrap(), None).unwrap();
        assert!(dataset.read(&text, &mut [0; 24]).unwrap_err().message.contains("pointers"));
        let read = dataset.read_elements(&text, None).unwrap();
        assert_eq!(read.strings().unwrap(), strings);
        let copy = file.create_dataset("copy", &text, &space, None).unwrap();
        copy.write_elements(&read, None).unwrap();
        drop(read);
        assert_eq!(copy.read_elements(&text, None).unwrap().strings().unwrap(), strings);
        let int = int(h5);
        assert!(Elements::of_strings(&int, strings).is_err());
        assert!(
            Elements::of_sequences(&int, Vec::new()).is_err()
                && Elements::of_pairs(&text, Vec::new()).is_err()
        );
    });
}
