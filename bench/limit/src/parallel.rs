//! Parallel `pread` and `pwrite`.

use std::fs::File;
use std::io;
use std::num::NonZero;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Fills `buffer` from `offset` on with `threads` threads, the caller among them, each taking the next `piece`
/// bytes when it is done with its last ones.
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
    let pieces = (offset..).step_by(piece.get()).zip(buffer.chunks_mut(piece.get()));
    in_parallel(threads, pieces, || move |(place, piece): (u64, &mut [u8])| file.read_exact_at(piece, place))
}

/// Rows of a part of a matrix, which lie apart in the file and one behind the other in memory.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    /// Where the first one begins in the file.
    pub offset: u64,
    /// From the beginning of one to that of the next.
    pub distance: u64,
    /// Bytes of one.
    pub row: NonZero<usize>,
}

/// How many rows a thread takes at a time.
const ROWS: usize = 64;

/// Fills `buffer` with rows, each read by itself, with `threads` threads, the caller among them.
///
/// # Errors
/// What the system says, or that the file is shorter.
pub fn read_rows(file: &File, rows: Rows, buffer: &mut [u8], threads: NonZero<usize>) -> io::Result<()> {
    let Rows { offset, distance, row } = rows;
    let bands = buffer.chunks_mut(row.get().saturating_mul(ROWS));
    let bands = (0_u64..).step_by(ROWS).zip(bands);
    in_parallel(threads, bands, || {
        move |(first, band): (u64, &mut [u8])| {
            let mut rows = (first..).zip(band.chunks_mut(row.get()));
            rows.try_for_each(|(number, row)| file.read_exact_at(row, offset + number * distance))
        }
    })
}

/// Writes `buffer` from `offset` on with `threads` threads, in the same way.
///
/// # Errors
/// What the system says.
pub fn write(
    file: &File,
    offset: u64,
    buffer: &[u8],
    threads: NonZero<usize>,
    piece: NonZero<usize>,
) -> io::Result<()> {
    let pieces = (offset..).step_by(piece.get()).zip(buffer.chunks(piece.get()));
    in_parallel(threads, pieces, || move |(place, piece): (u64, &[u8])| file.write_all_at(piece, place))
}

/// Does `items` with `threads` threads, the caller among them, each taking the next one when it is done with its
/// last. `start` is called once in every thread and gives what does an item there.
///
/// The threads are started for every call: that takes some 30 microseconds, against milliseconds of reading or writing.
pub(crate) fn in_parallel<Item, Work>(
    threads: NonZero<usize>,
    items: impl Iterator<Item = Item> + Send,
    start: impl Fn() -> Work + Sync,
) -> io::Result<()>
where
    Work: FnMut(Item) -> io::Result<()>,
{
    let items = Mutex::new(items);
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || -> io::Result<()> {
        let mut done_by = start();
        while let Some(item) = next() {
            done_by(item)?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads.get()).map(|_| scope.spawn(work)).collect();
        let mut result = work();
        for helper in helpers {
            let panicked = |_| Err(io::Error::other("a thread panicked"));
            result = result.and(helper.join().unwrap_or_else(panicked));
        }
        result
    })
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;

    use super::*;
    use crate::testing::{content_of, file_of};

    #[test]
    fn every_byte_is_read_once_and_in_place() {
        let content: Vec<u8> = (0..10_000_u32).flat_map(u32::to_le_bytes).collect();
        let file = file_of(&content);
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

    #[test]
    fn rows_are_read_one_behind_the_other() {
        let content: Vec<u8> = (0..10_000_u32).flat_map(u32::to_le_bytes).collect();
        let file = file_of(&content);
        for threads in [1, 2, 5].map(|threads| NonZero::new(threads).unwrap()) {
            for (row, count) in [(1, 1), (7, 64), (7, 65), (100, 199)] {
                let rows = Rows { offset: 50, distance: 200, row: NonZero::new(row).unwrap() };
                let mut buffer = vec![0; row * count];
                read_rows(&file, rows, &mut buffer, threads).unwrap();
                let expected = content[50..].chunks(200).take(count).flat_map(|line| &line[..row]);
                assert!(buffer.iter().eq(expected), "{row} {count}");
            }
            let beyond = Rows { offset: 39_000, distance: 500, row: NonZero::new(100).unwrap() };
            assert_eq!(
                read_rows(&file, beyond, &mut [0; 300], threads).unwrap_err().kind(),
                ErrorKind::UnexpectedEof
            );
        }
    }

    #[test]
    fn every_byte_is_written_in_place() {
        let content: Vec<u8> = (0..10_000_u32).flat_map(u32::to_le_bytes).collect();
        for threads in [1, 2, 5].map(|threads| NonZero::new(threads).unwrap()) {
            for piece in [4096, 7777, 1 << 20].map(|piece| NonZero::new(piece).unwrap()) {
                let file = tempfile::tempfile().unwrap();
                write(&file, 3, &content, threads, piece).unwrap();
                assert_eq!(content_of(&file), [&[0; 3], &content[..]].concat());
            }
        }
    }
}
