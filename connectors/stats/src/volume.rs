//! How many bytes a read or write moves, and whose they are.

use std::time::{Duration, Instant};

use h5_vol::calls::DatasetPart;

use crate::Stats;
use crate::counters::{Direction, nanoseconds};
use crate::registry::{DatasetEntry, Registry};

/// Bytes in memory that one dataset's part of a call moves; zero if HDF5 cannot tell, in which case the call
/// itself is about to fail.
pub(crate) fn of_part<M>(part: &DatasetPart<Stats, M>) -> u64 {
    part.host().ask(|questions| {
        let elements = match part.selection() {
            Some(selection) => questions.selected_elements(selection),
            None => part.dataset.below().and_then(|below| below.dataset_elements(questions)),
        };
        let size = questions.element_size(part.memory_type).and_then(|size| u64::try_from(size).ok());
        elements.zip(size).map_or(0, |(elements, size)| elements.saturating_mul(size))
    })
}

/// Counts a call for each of its datasets. The time of a call with many is divided by bytes.
pub(crate) fn record<'a>(
    entries: impl Iterator<Item = Option<&'a DatasetEntry>>,
    sizes: &[u64],
    direction: Direction,
    start: Instant,
    succeeded: bool,
) {
    let time = start.elapsed();
    if succeeded {
        let registry = Registry::current();
        for &bytes in sizes {
            registry.sizes.record(direction, bytes);
            registry.timeline.moved(direction, bytes, start);
        }
    }
    for (entry, (&bytes, share)) in entries.zip(sizes.iter().zip(shares(sizes, time))) {
        if let Some(entry) = entry {
            entry.counts().flow(direction).record(bytes, share, succeeded);
        }
    }
}

/// The time of a call divided among its parts in proportion to their bytes, evenly if there are none.
fn shares(sizes: &[u64], time: Duration) -> impl Iterator<Item = Duration> {
    let ns = u128::from(nanoseconds(time));
    let total: u128 = sizes.iter().map(|&bytes| u128::from(bytes)).sum();
    sizes.iter().map(move |&bytes| {
        let share = match total {
            0 => ns / sizes.len().max(1) as u128,
            total => ns * u128::from(bytes) / total,
        };
        Duration::from_nanos(u64::try_from(share).unwrap_or(u64::MAX))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nanos(sizes: &[u64], ns: u64) -> Vec<u64> {
        shares(sizes, Duration::from_nanos(ns)).map(nanoseconds).collect()
    }

    #[test]
    fn time_follows_bytes() {
        assert_eq!(nanos(&[100], 50), [50]);
        assert_eq!(nanos(&[300, 100], 40), [30, 10]);
        assert_eq!(nanos(&[0, 0], 40), [20, 20]);
        assert_eq!(nanos(&[], 40), [0_u64; 0]);
        assert_eq!(nanos(&[u64::MAX, u64::MAX], 40), [20, 20]);
    }
}
