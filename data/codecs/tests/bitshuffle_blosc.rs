//! Bitshuffle and both Blosc filters against chunks of the real ones, against themselves, and against damage.

#[path = "bitshuffle_blosc/vectors.rs"]
mod vectors;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use codecs::{Filter, Pipeline, PipelineError, Work};
use proptest::prelude::*;
use vectors::{VECTORS, Vector};

const BITSHUFFLE: i32 = 32008;
const BLOSC: i32 = 32001;
const BLOSC2: i32 = 32026;

fn filter(id: i32, parameters: &[u32]) -> Filter {
    Filter { id, name: id.to_string(), optional: true, parameters: parameters.to_vec() }
}

fn pipeline(id: i32, parameters: &[u32]) -> Pipeline {
    Pipeline::new(&[filter(id, parameters)]).expect("supported parameters")
}

fn decode(pipeline: &Pipeline, stored: &[u8], mask: u32, len: usize) -> Result<Vec<u8>, PipelineError> {
    let mut output = vec![0xee; len];
    pipeline.decode(stored, mask, true, &mut output, &mut Work::new())?;
    Ok(output)
}

fn supported(id: i32, parameters: &[u32]) -> bool {
    Pipeline::new(&[filter(id, parameters)]).is_ok()
}

#[test]
fn chunks_of_the_real_filters_are_read() {
    for vector in VECTORS {
        let elements = vector.elements.bytes();
        let read = decode(&pipeline(vector.id, vector.parameters), &vector.stored(), 0, elements.len());
        assert_eq!(read.as_ref(), Ok(&elements), "{}", vector.name);
    }
}

#[test]
fn what_is_written_is_as_long_as_what_the_real_filters_write() {
    for vector in VECTORS {
        let mut stored = Vec::new();
        let pipeline = pipeline(vector.id, vector.parameters);
        let mask = pipeline.encode(&vector.elements.bytes(), &mut stored, &mut Work::new()).expect("encodes");
        assert_eq!(mask, 0, "{}", vector.name);
        let theirs = vector.stored().len();
        assert!(stored.len() <= theirs + theirs / 4, "{}: {} instead of {theirs}", vector.name, stored.len());
    }
}

#[test]
fn senseless_parameters_are_not_supported() {
    assert!(!supported(BITSHUFFLE, &[0, 4]));
    assert!(!supported(BITSHUFFLE, &[0, 4, 0]), "elements of no size");
    assert!(!supported(BITSHUFFLE, &[0, 4, 4, 12]), "not a multiple of 8");
    assert!(!supported(BITSHUFFLE, &[0, 4, 4, 0, 1]), "no such compressor");
    assert!(!supported(BITSHUFFLE, &[0, 4, u32::MAX, 1 << 31]), "blocks of 2^63 bytes");
    assert!(!supported(BLOSC, &[2, 2, 4]));
    assert!(!supported(BLOSC, &[2, 2, 0, 100]));
    assert!(!supported(BLOSC, &[2, 2, 4, 100, 10]), "no such level");
    assert!(!supported(BLOSC, &[2, 2, 4, 100, 5, 3]), "no such shuffle");
    assert!(!supported(BLOSC, &[2, 2, 4, 100, 5, 1, 3]), "Snappy");
    assert!(!supported(BLOSC, &[2, 2, 4, 100, 5, 1, 6]), "no such compressor");
    assert!(!supported(BLOSC2, &[1, 0, 4]));
    assert!(!supported(BLOSC2, &[1, 0, 4, 100, 5, 1, 3]), "no such compressor");
    assert!(!supported(BLOSC2, &[1, 0, 4, 100, 5, 35, 1]), "a filter that is a plugin");
    assert!(!supported(BLOSC2, &[1, 0, 4, 100, 5, 1, 1, 1, 25]), "one dimension is no array");
    assert!(!supported(BLOSC2, &[1, 0, 4, 100, 5, 1, 1, 2, 25]), "one length for two dimensions");
    assert!(!supported(BLOSC2, &[1, 0, 4, 100, 5, 1, 1, 2, 25, 0]), "a length of 0");
    assert!(supported(BLOSC, &[2, 2, 4, 100]), "the rest has defaults");
    assert!(supported(BLOSC2, &[1, 0, 4, 100]), "the rest has defaults");
}

#[test]
fn blosc_leaves_out_what_it_does_not_make_shorter() {
    let noise = noise(1000, 1);
    for (level, elements) in [(5, noise.as_slice()), (0, &[0; 1000]), (5, &[0; 100])] {
        let mut stored = Vec::new();
        let pipeline = pipeline(BLOSC, &[2, 2, 4, 1000, level, 1, 1]);
        let mask = pipeline.encode(elements, &mut stored, &mut Work::new()).expect("left out");
        assert_eq!((mask, stored.as_slice()), (1, elements));
    }
}

#[test]
fn copied_blosc_chunks_are_read() {
    let mut stored = vec![2, 1, 0x13, 4, 5, 0, 0, 0, 5, 0, 0, 0, 21, 0, 0, 0];
    stored.extend(b"hello");
    assert_eq!(decode(&pipeline(BLOSC, &[2, 2, 4, 5]), &stored, 0, 5).as_deref(), Ok(b"hello".as_slice()));
}

#[test]
fn snappy_in_a_chunk_is_named() {
    let stored =
        [2, 1, 0x51, 4, 200, 0, 0, 0, 200, 0, 0, 0, 30, 0, 0, 0, 20, 0, 0, 0, 6, 0, 0, 0, 1, 2, 3, 4, 5, 6];
    let error = decode(&pipeline(BLOSC, &[2, 2, 4, 200]), &stored, 0, 200).expect_err("not supported");
    assert!(error.to_string().contains("Snappy"), "{error}");
}

/// Some parameters of one of the filters, and the size of an element.
fn any_filter() -> impl Strategy<Value = (i32, Vec<u32>, usize)> {
    let compressor = prop::sample::select(vec![0_u32, 1, 2, 4, 5]);
    let size = prop::sample::select(vec![1_u32, 2, 3, 4, 5, 8, 12, 16, 33, 300]);
    (0_usize..3, size, 0_u32..10, 0_u32..3, compressor, 0_u32..5).prop_map(
        |(kind, size, level, shuffle, compressor, block)| {
            let parameters = match kind {
                0 => vec![0, 4, size, block * 24, [0, 2, 3][shuffle as usize], level],
                1 => vec![2, 2, size, 0, level, shuffle, compressor],
                _ => vec![1, block * 100, size, 0, level, shuffle + u32::from(level == 3), compressor],
            };
            ([BITSHUFFLE, BLOSC, BLOSC2][kind], parameters, size as usize)
        },
    )
}

/// Data that is partly the same again and again, partly noise.
fn any_data(len: usize, seed: u64, sameness: u8) -> Vec<u8> {
    let mut data = noise(len, seed);
    for (at, byte) in data.iter_mut().enumerate() {
        match at / 700 % 4 {
            0 => *byte = sameness,
            1 => *byte = (at / 16 % 256).try_into().expect("a byte"),
            2 => *byte &= 1,
            _ => {}
        }
    }
    data
}

fn noise(len: usize, seed: u64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..len).map(|_| random.u8(..)).collect()
}

proptest! {
    #[test]
    fn what_is_encoded_comes_back((id, parameters, size) in any_filter(), count in 0_usize..3000, seed: u64, same: u8) {
        let data = any_data(size * count, seed, same);
        let pipeline = pipeline(id, &parameters);
        let mut stored = Vec::new();
        let mask = pipeline.encode(&data, &mut stored, &mut Work::new()).expect("optional");
        prop_assert_eq!(decode(&pipeline, &stored, mask, data.len()), Ok(data));
    }

    #[test]
    fn arrays_come_back(shape in prop::collection::vec(1_u32..12, 2..5), size in 1_u32..9, block in 0_u32..600, delta: bool, seed: u64) {
        let len = shape.iter().product::<u32>() * size;
        let mut parameters = vec![1, block, size, len, 5, if delta { 3 } else { 1 }, 1, u32::try_from(shape.len()).expect("few")];
        parameters.extend(&shape);
        let data = any_data(len as usize, seed, 0);
        let pipeline = pipeline(BLOSC2, &parameters);
        let mut stored = Vec::new();
        prop_assert_eq!(pipeline.encode(&data, &mut stored, &mut Work::new()), Ok(0));
        prop_assert_eq!(decode(&pipeline, &stored, 0, data.len()), Ok(data));
    }

    #[test]
    fn damage_is_an_error_or_data(number in 0..VECTORS.len(), flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4), room in 0_usize..3000) {
        let mut stored = VECTORS[number].stored();
        for (at, byte) in flips {
            let at = at.index(stored.len());
            stored[at] = byte;
        }
        harmless(&VECTORS[number], &stored, room);
    }

    #[test]
    fn cut_chunks_are_errors_or_data(number in 0..VECTORS.len(), at: prop::sample::Index) {
        let vector = &VECTORS[number];
        let stored = vector.stored();
        harmless(vector, &stored[..at.index(stored.len())], vector.elements.bytes().len());
    }

    #[test]
    fn noise_is_an_error(number in 0..VECTORS.len(), stored in prop::collection::vec(any::<u8>(), 0..400)) {
        harmless(&VECTORS[number], &stored, 1000);
    }
}

/// Decodes without asking for more memory than the size of a chunk explains. A chunk may say that it is 64 KiB longer than there
/// is room for, and a filter may need three times as much as that for its blocks.
fn harmless(vector: &Vector, stored: &[u8], room: usize) {
    let pipeline = pipeline(vector.id, vector.parameters);
    LARGEST.set(0);
    let _ = decode(&pipeline, stored, 0, room);
    let largest = LARGEST.get();
    assert!(largest <= 20 * room + 3 * (64 << 10), "{largest} bytes at once for a chunk of {room}");
}

thread_local! {
    /// The most memory this thread asked for at once.
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

struct Watched;

// SAFETY: All is done by the system's allocator.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.set(LARGEST.get().max(layout.size()));
        // SAFETY: As promised by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: As promised by the caller.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watched = Watched;
