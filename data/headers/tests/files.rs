//! Files that HDF5 has written (those of the fuzzer's corpus), as they are and damaged.

use std::fs;
use std::io;
use std::path::Path;

use headers::{PlainDataset, find};
use store::{ReadAt, Run, Store, Target};

/// A file in memory.
struct Memory(Vec<u8>);

impl ReadAt for Memory {
    fn read_at(&self, offset: u64, target: Target<'_>) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.0.get(offset..)).unwrap_or_default();
        let length = rest.len().min(target.len());
        target.part(Run { offset: 0, length }).copy_from(&rest[..length]);
        Ok(length)
    }
}

/// The bytes of a file.
fn seed(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/headers");
    fs::read(folder.join(format!("seed-{name}"))).unwrap()
}

fn store_of(bytes: Vec<u8>) -> Store<Memory> {
    let length = bytes.len() as u64;
    Store::new(Memory(bytes), length)
}

fn found_in(name: &str, dataset: &str) -> Option<PlainDataset> {
    find(&store_of(seed(name)), dataset.as_bytes(), 3)
}

#[test]
fn datasets_are_where_their_elements_are() {
    for name in ["old", "tree", "new"] {
        let found = found_in(name, "group/d").unwrap_or_else(|| panic!("{name}"));
        assert_eq!((found.extent.as_slice(), found.length), (&[40][..], 160), "{name}");
        let bytes = seed(name);
        let start = usize::try_from(found.offset).unwrap();
        let elements = (0..40).flat_map(|number: i32| (3 * number).to_le_bytes());
        assert!(elements.eq(bytes[start..][..160].iter().copied()), "{name}");
        // Fixed-point numbers of four bytes.
        assert_eq!((found.datatype[0] & 15, &found.datatype[4..8]), (0, &[4, 0, 0, 0][..]), "{name}");
    }
}

#[test]
fn names_are_split_as_hdf5_does() {
    for name in ["old", "tree", "new"] {
        assert!(found_in(name, "/group//d/").is_some(), "{name}");
        for other in
            ["d", "group", "group/e", "group/d/d", "group/./d", "", "grou/d", "group/dd", "group/other01"]
        {
            assert_eq!(found_in(name, other), None, "{name}: {other}");
        }
    }
}

#[test]
fn files_of_a_version_that_may_be_too_new_are_left_alone() {
    assert!(find(&store_of(seed("new")), b"group/d", 2).is_none());
    assert!(find(&store_of(seed("old")), b"group/d", 0).is_some());
}

/// A change of a byte is found, or it is not one that the search depends on. (In the old form there are no checksums.)
#[test]
fn damage_is_found_by_checksums() {
    let sound = seed("new");
    let expected = found_in("new", "group/d").unwrap();
    let mut refused = 0;
    for place in 0..sound.len() {
        let mut bytes = sound.clone();
        bytes[place] ^= 1 << (place % 8);
        match find(&store_of(bytes), b"group/d", 3) {
            None => refused += 1,
            Some(found) => assert_eq!(found, expected, "byte {place}"),
        }
    }
    assert!(refused > 300, "{refused} of {}", sound.len());
}

#[test]
fn short_files_are_refused() {
    let sound = seed("old");
    for length in (0..sound.len()).step_by(7) {
        assert!(find(&store_of(sound[..length].to_vec()), b"group/d", 3).is_none(), "{length} bytes");
    }
}

#[test]
fn arbitrary_changes_never_panic() {
    let mut random = fastrand::Rng::with_seed(5);
    for name in ["old", "tree", "new"] {
        let sound = seed(name);
        for _ in 0..2000 {
            let mut bytes = sound.clone();
            for _ in 0..random.usize(1..6) {
                let place = random.usize(..bytes.len().min(2000));
                bytes[place] = random.u8(..);
            }
            let store = store_of(bytes);
            if let Some(found) = find(&store, b"group/d", 3) {
                assert!(found.offset + found.length <= store.end());
            }
        }
    }
}
