//! Buffers that were used before: fresh memory costs a page fault for each page.

use std::sync::Mutex;

use crate::error::EngineError;

/// Bytes that are kept at most.
const MOST_BYTES: usize = 16 << 20;

/// Smaller ones are not worth keeping.
const SMALLEST: usize = 16 << 10;

/// Buffers that nobody needs any more, for those who need one. Nobody waits for another here, not even for a thread
/// that does not exist in a forked child.
#[derive(Debug, Default)]
pub struct Spares {
    buffers: Mutex<Vec<Vec<u8>>>,
}

impl Spares {
    /// None yet.
    pub const fn new() -> Self {
        Self { buffers: Mutex::new(Vec::new()) }
    }

    /// Gives a buffer back.
    pub fn give(&self, buffer: Vec<u8>) {
        if buffer.capacity() < SMALLEST {
            return;
        }
        let Ok(mut buffers) = self.buffers.try_lock() else { return };
        let kept: usize = buffers.iter().map(Vec::capacity).sum();
        if kept.saturating_add(buffer.capacity()) <= MOST_BYTES {
            buffers.push(buffer);
        }
    }

    /// One that fits; an empty one if there is none.
    fn find(&self, length: usize) -> Vec<u8> {
        let Ok(mut buffers) = self.buffers.try_lock() else { return Vec::new() };
        // Those that are given back were of the same length, most of the time. Others make room.
        let fits = |buffer: &Vec<u8>| buffer.capacity() >= length && buffer.capacity() / 2 <= length;
        if let Some(place) = buffers.iter().rposition(fits) {
            return buffers.swap_remove(place);
        }
        drop(buffers.pop());
        Vec::new()
    }

    /// A buffer of this length, of unspecified content.
    pub(crate) fn take(&self, length: usize) -> Result<Vec<u8>, EngineError> {
        let mut buffer = self.find(length);
        buffer.truncate(length);
        buffer.try_reserve_exact(length - buffer.len()).map_err(|_| EngineError::OutOfMemory(length))?;
        buffer.resize(length, 0);
        Ok(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_is_used_again_within_limits() {
        let spares = Spares::new();
        spares.give(vec![1; SMALLEST - 1]);
        assert!(spares.buffers.lock().unwrap().is_empty());
        let first = spares.take(SMALLEST).unwrap();
        let place = first.as_ptr();
        spares.give(first);
        let again = spares.take(SMALLEST).unwrap();
        assert_eq!(again.as_ptr(), place);
        for _ in 0..3 {
            spares.give(vec![1; MOST_BYTES / 2]);
        }
        assert_eq!(spares.buffers.lock().unwrap().len(), 2);
        assert_eq!(spares.take(10).unwrap(), [0; 10]);
        assert_eq!(spares.buffers.lock().unwrap().len(), 1, "one that does not fit makes room");
    }
}
