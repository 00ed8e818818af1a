//! Collections made by hand, whole and damaged.

use std::io;

use heap::{fetch, neighbours};
use store::{ReadAt, Store, Target};

/// A file in memory.
struct Bytes(Vec<u8>);

impl ReadAt for Bytes {
    fn read_at(&self, offset: u64, target: Target<'_>) -> io::Result<usize> {
        let offset = usize::try_from(offset).unwrap();
        let rest = self.0.get(offset..).unwrap_or_default();
        let length = rest.len().min(target.len());
        target.part(store::Run { offset: 0, length }).copy_from(&rest[..length]);
        Ok(length)
    }
}

fn store(bytes: Vec<u8>) -> Store<Bytes> {
    let end = bytes.len() as u64;
    Store::new(Bytes(bytes), end)
}

/// A collection of this size with these objects.
fn collection(size: usize, objects: &[(u16, &[u8])]) -> Vec<u8> {
    let mut bytes = b"GCOL\x01\0\0\0".to_vec();
    bytes.extend((size as u64).to_le_bytes());
    for (index, object) in objects {
        bytes.extend(index.to_le_bytes());
        bytes.extend([1, 0, 0, 0, 0, 0]);
        bytes.extend((object.len() as u64).to_le_bytes());
        bytes.extend(*object);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
    }
    let free = size - bytes.len();
    if free >= 16 {
        bytes.extend([0; 8]);
        bytes.extend((free as u64).to_le_bytes());
    }
    bytes.resize(size, 0);
    bytes
}

#[test]
fn objects_are_found_by_their_index() {
    let first = collection(4096, &[(3, b"three"), (1, b""), (2, &[7; 1000])]);
    let second = collection(8192, &[(1, b"other")]);
    let mut file = vec![0xff; 512];
    file.extend(first);
    file.extend([0xff; 100]);
    file.extend(second);
    let found = fetch(&store(file), 512, &[0, 4196]).unwrap();
    assert_eq!(found[0].object(3), Some(b"three".as_slice()));
    assert_eq!(found[0].object(1), Some([].as_slice()));
    assert_eq!(found[0].object(2), Some([7; 1000].as_slice()));
    assert_eq!([found[0].object(0), found[0].object(4), found[0].object(65_536 + 3)], [None; 3]);
    assert_eq!(found[1].object(1), Some(b"other".as_slice()));
}

#[test]
fn a_collection_may_be_full() {
    let full = collection(4096, &[(1, &[1; 4096 - 32])]);
    assert_eq!(fetch(&store(full), 0, &[0]).unwrap()[0].object(1).map(<[u8]>::len), Some(4064));
    // Or have eight bytes to spare, which is too little for a header.
    let nearly = collection(4096, &[(1, &[1; 4096 - 40])]);
    assert_eq!(fetch(&store(nearly), 0, &[0]).unwrap()[0].object(1).map(<[u8]>::len), Some(4056));
}

#[test]
fn damage_is_named() {
    let message = |bytes: Vec<u8>| fetch(&store(bytes), 0, &[0]).unwrap_err().to_string();
    let good = collection(4096, &[(1, b"one")]);
    let with = |place: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[place] = byte;
        message(bytes)
    };
    assert_eq!(with(0, b'X'), "the heap collection at address 0 is not one: its signature is missing");
    assert_eq!(with(4, 9), "the heap collection at address 0 has version 9, which is unknown");
    assert_eq!(with(9, 1), "the heap collection at address 0 has a size of 256 bytes, which is too small");
    assert!(with(10, 1).contains("cannot be read: bytes 0 to 0+69632 lie outside"));
    assert!(with(26, 1).ends_with("has an object at its byte 16 that does not fit in"));
    // Free space of no size would never end, and free space that is not aligned is refused by HDF5.
    assert!(with(49, 0).contains("that does not fit in"));
    assert!(message(good[..4000].to_vec()).contains("outside the file's allocated space"));
}

#[test]
fn whatever_is_there_is_an_error_or_lies_inside() {
    let good = collection(4096, &[(1, b"one"), (2, &[2; 200]), (9, b"nine")]);
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..20_000 {
        let mut bytes = good.clone();
        for _ in 0..random.usize(1..4) {
            let place = random.usize(..300);
            bytes[place] = random.u8(..);
        }
        if let Ok(found) = fetch(&store(bytes), 0, &[0]) {
            for index in 0..20 {
                assert!(found[0].object(index).is_none_or(|object| object.len() < 4096));
            }
        }
    }
}

#[test]
fn neighbours_are_read_together() {
    assert_eq!(neighbours(&[]), []);
    assert_eq!(neighbours(&[5]).len(), 1);
    let groups = neighbours(&[0, 4096, 8192, 1 << 20, (1 << 20) + 4096, 1 << 40]);
    assert_eq!(groups, [0..3, 3..5, 5..6]);
    let many: Vec<u64> = (0..1000).map(|number| number * 4096).collect();
    let groups = neighbours(&many);
    assert!(groups.len() > 2 && groups.iter().all(|group| group.len() <= 256));
    assert_eq!(groups.iter().map(ExactSizeIterator::len).sum::<usize>(), 1000);
}
