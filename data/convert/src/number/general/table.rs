//! All results of a slow conversion from small elements, once there are enough of them to be worth it.

use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::OnceLock;

use crate::conversion::Kernel;

/// The bytes of the largest elements with few enough values.
pub(super) const LARGEST: usize = 2;

/// A kernel, and later what it gives for each value.
#[derive(Debug)]
struct Table {
    slow: Box<dyn Kernel>,
    from: usize,
    to: usize,
    /// Elements converted without the table. As many again cost as much as the table does.
    converted: AtomicUsize,
    /// Results one after another, by the bytes of the element as a number.
    results: OnceLock<Vec<u8>>,
}

/// A faster kernel that gives the same as the one for elements of at most [`LARGEST`] bytes.
pub(super) fn kernel(slow: Box<dyn Kernel>, from: usize, to: usize) -> Box<dyn Kernel> {
    Box::new(Table { slow, from, to, converted: AtomicUsize::new(0), results: OnceLock::new() })
}

impl Table {
    fn build(&self) -> Vec<u8> {
        let values: Vec<u8> = match self.from {
            1 => (0..=u8::MAX).collect(),
            _ => (0..=u16::MAX).flat_map(u16::to_le_bytes).collect(),
        };
        let mut results = vec![0; values.len() / self.from * self.to];
        self.slow.convert(&values, &mut results);
        results
    }

    /// The results, if there are any yet or `count` more elements make it worth to have them.
    fn results(&self, count: usize) -> Option<&[u8]> {
        if let Some(results) = self.results.get() {
            return Some(results);
        }
        let before = self.converted.fetch_add(count, Ordering::Relaxed);
        let values = 1_usize << (8 * self.from);
        (before.saturating_add(count) > values).then(|| self.results.get_or_init(|| self.build()).as_slice())
    }
}

impl Kernel for Table {
    fn convert(&self, source: &[u8], destination: &mut [u8]) {
        let Some(results) = self.results(source.len() / self.from) else {
            return self.slow.convert(source, destination);
        };
        if self.from == 1 {
            look_up(results, self.to, source.iter().map(|byte| usize::from(*byte)), destination);
        } else {
            let elements = source.as_chunks().0.iter();
            let elements = elements.map(|bytes| usize::from(u16::from_le_bytes(*bytes)));
            look_up(results, self.to, elements, destination);
        }
    }

    fn writes_all(&self) -> bool {
        true
    }
}

fn look_up(results: &[u8], size: usize, elements: impl Iterator<Item = usize>, destination: &mut [u8]) {
    match size {
        2 => look_up_sized::<2>(results, elements, destination),
        4 => look_up_sized::<4>(results, elements, destination),
        8 => look_up_sized::<8>(results, elements, destination),
        _ => {
            for (element, destination) in elements.zip(destination.chunks_exact_mut(size)) {
                destination.copy_from_slice(&results[element * size..][..size]);
            }
        }
    }
}

fn look_up_sized<const SIZE: usize>(
    results: &[u8],
    elements: impl Iterator<Item = usize>,
    destination: &mut [u8],
) {
    let results = results.as_chunks::<SIZE>().0;
    for (element, destination) in elements.zip(destination.as_chunks_mut::<SIZE>().0) {
        *destination = results[element];
    }
}
