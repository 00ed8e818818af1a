//! What a chunk becomes depends on its own elements only: not on the chunks before it, nor on who encodes it.

mod common;

use codecs::{Filter, Pipeline, Work};
use common::*;

/// Elements of four bytes of all kinds that levels and compressors tell apart.
fn chunks(bytes: usize) -> Vec<Vec<u8>> {
    let mut random = fastrand::Rng::with_seed(1);
    let mut random = || random.u32(..);
    let mut walk = 0_u32;
    let mut kinds: Vec<Vec<u8>> = Vec::new();
    for kind in 0..6 {
        let element = |number: usize| {
            let number = u32::try_from(number).unwrap_or(0);
            walk = walk.wrapping_add(random() % 9).wrapping_sub(4);
            match kind {
                0 => random(),
                1 => walk,
                2 => (f32::from(u16::try_from(walk & 0xFFFF).unwrap_or(0)) * 0.01 + 50.0).to_bits(),
                3 => random() % 100,
                4 => number / 50 * 7,
                _ => 0,
            }
        };
        kinds.push((0..bytes / 4).map(element).flat_map(u32::to_le_bytes).collect());
    }
    kinds
}

/// All filters that encode, alone and behind a shuffle, for chunks of so many bytes.
fn pipelines(bytes: usize) -> Vec<Vec<Filter>> {
    let chunk = u32::try_from(bytes).unwrap();
    let alone = [
        optional(DEFLATE, &[1]),
        optional(DEFLATE, &[4]),
        optional(DEFLATE, &[6]),
        optional(DEFLATE, &[9]),
        optional(FLETCHER32, &[]),
        optional(4, &[4 | 32, 16, 32, 256]),
        optional(BZIP2, &[2]),
        optional(LZF, &[4, 261, chunk]),
        optional(32001, &[2, 2, 4, chunk, 5, 1, 0]),
        optional(32001, &[2, 2, 4, chunk, 5, 2, 1]),
        optional(32001, &[2, 2, 4, chunk, 9, 1, 4]),
        optional(32001, &[2, 2, 4, chunk, 5, 1, 5]),
        optional(LZ4, &[0]),
        optional(32008, &[0, 4, 4, 0, 2]),
        optional(32008, &[0, 4, 4, 0, 3, 3]),
        optional(ZSTD, &[3]),
        optional(ZSTD, &[9]),
        optional(32026, &[1, 0, 4, chunk, 5, 1, 0]),
        optional(32026, &[1, 0, 4, chunk, 5, 1, 5]),
    ];
    let shuffled = alone.iter().map(|filter| vec![optional(SHUFFLE, &[4]), filter.clone()]);
    let shuffled: Vec<_> = shuffled.collect();
    alone.into_iter().map(|filter| vec![filter]).chain(shuffled).collect()
}

fn encoded(pipeline: &Pipeline, elements: &[u8], work: &mut Work) -> (Vec<u8>, u32) {
    let mut stored = Vec::new();
    let mask = pipeline.encode(elements, &mut stored, work).unwrap();
    (stored, mask)
}

#[test]
fn every_thread_and_every_order_give_the_same_bytes() {
    for bytes in [20_000, 300_000] {
        let chunks = chunks(bytes);
        // What other pipelines leave in a thread's memory must not matter either.
        let mut used = Work::new();
        let is_deflate = |filters: &Vec<Filter>| filters.iter().any(|filter| filter.id == DEFLATE);
        for filters in pipelines(bytes).into_iter().filter(|filters| bytes < 100_000 || is_deflate(filters)) {
            let shared = pipeline(&filters);
            let alone: Vec<_> =
                chunks.iter().map(|chunk| encoded(&pipeline(&filters), chunk, &mut Work::new())).collect();
            for (chunk, alone) in chunks.iter().zip(&alone).rev() {
                assert!(encoded(&shared, chunk, &mut used) == *alone, "one after another: {filters:?}");
            }
            let one_thread = |first: usize| {
                let mut work = Work::new();
                for number in (0..chunks.len()).map(|number| (number + first) % chunks.len()) {
                    let same = encoded(&shared, &chunks[number], &mut work) == alone[number];
                    assert!(same, "chunk {number} beginning with {first}: {filters:?}");
                }
            };
            std::thread::scope(|scope| {
                for first in [0, 2, 5] {
                    let one_thread = &one_thread;
                    scope.spawn(move || one_thread(first));
                }
            });
        }
    }
}
