//! Parallel `pread`.

use std::fs::File;
use std::io;
use std::num::NonZero;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Fills `buffer` from `offset` on with `threads` threads, the caller among them, each taking the next `piece`
/// bytes when it is done with its last ones.
///
/// The threads are started for every call: that takes some 30 microseconds, against milliseconds of reading.
///
/// # Errors
/// What the system says, or that the file is shorter.
pub fn read(
    file: &File,
    offset: u64,
    buffer: &mut [u8],
    threads: NonZero<usize>,
    piece: NonZero<usize>,
) -> io::Result<()> {
    let pieces = Mutex::new((offset..).step_by(piece.get()).zip(buffer.chunks_mut(piece.get())));
    let next = || pieces.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || -> io::Result<()> {
        while let Some((place, piece)) = next() {
            file.read_exact_at(piece, place)?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads.get()).map(|_| scope.spawn(work)).collect();
        let mut result = work();
        for helper in helpers {
            let panicked = |_| Err(io::Error::other("a reading thread panicked"));
            result = result.and(helper.join().unwrap_or_else(panicked));
        }
        result
    })
}

#[cfg(test)]
mod tests {
    use std::io::{ErrorKind, Write};

    use super::*;

    #[test]
    fn every_byte_is_read_once_and_in_place() {
        let path = std::env::temp_dir().join(format!("limit-test-{}", std::process::id()));
        let content: Vec<u8> = (0..10_000_u32).flat_map(u32::to_le_bytes).collect();
        File::create_new(&path).unwrap().write_all(&content).unwrap();
        let file = File::open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        for threads in [1, 2, 5].map(|threads| NonZero::new(threads).unwrap()) {
            for piece in [1, 4096, 7777, 1 << 20].map(|piece| NonZero::new(piece).unwrap()) {
                let mut buffer = vec![0; 30_000];
                read(&file, 123, &mut buffer, threads, piece).unwrap();
                assert_eq!(buffer, content[123..30_123]);
                let beyond = read(&file, 20_000, &mut buffer, threads, piece).unwrap_err();
                assert_eq!(beyond.kind(), ErrorKind::UnexpectedEof);
            }
        }
    }
}
