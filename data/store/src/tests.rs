//! Reads and writes against files and against descriptors that misbehave.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// A thousand bytes 0, 1, 2 ... in a file without a name.
fn thousand() -> (Descriptor, Vec<u8>) {
    use std::io::Write;
    let bytes: Vec<u8> = (0..1000_u32).map(|value| u8::try_from(value % 251).unwrap()).collect();
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&bytes).unwrap();
    (Descriptor::new(OwnedFd::from(file)), bytes)
}

fn read<F: ReadAt>(store: &Store<F>, offset: u64, length: usize) -> Result<Vec<u8>, StoreError> {
    let mut buffer = vec![0xAA; length];
    store.read(offset, Target::from_slice(&mut buffer), &mut [0; 16384])?;
    Ok(buffer)
}

#[test]
fn ranges_inside_the_file() {
    let (file, bytes) = thousand();
    let store = Store::new(file, 1000);
    assert_eq!(read(&store, 0, 1000).unwrap(), bytes);
    assert_eq!(read(&store, 17, 5).unwrap(), bytes[17..22]);
    assert_eq!(read(&store, 1000, 0).unwrap(), []);
}

#[test]
fn allocated_but_absent_bytes_are_zero() {
    let (file, bytes) = thousand();
    let store = Store::new(file, 2000);
    let read = read(&store, 990, 1010).unwrap();
    assert_eq!(read[..10], bytes[990..]);
    assert!(read[10..].iter().all(|&byte| byte == 0));
}

#[test]
fn bytes_outside_the_allocated_space_are_an_error() {
    let (file, _) = thousand();
    let store = Store::new(file, 500);
    assert!(matches!(
        read(&store, 499, 2),
        Err(StoreError::OutsideFile { offset: 499, length: 2, end: 500 })
    ));
    assert!(matches!(read(&store, u64::MAX, 2), Err(StoreError::OutsideFile { .. })));
}

#[test]
fn the_slow_phase_gives_the_same_bytes() {
    use std::io::Write;
    let bytes: Vec<u8> = (0..300_000_u32).map(|value| u8::try_from(value * 7 % 253).unwrap()).collect();
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&bytes).unwrap();
    let store = Store::new(Descriptor::new(OwnedFd::from(file)), 400_000);
    let mut memory = vec![0_u8; 400_000 + 8192];
    for ahead in [0, 1, 16, 63, 64] {
        for offset in [0_u64, 5, 4096] {
            let start = memory.as_ptr().align_offset(4096) + usize::try_from(offset).unwrap() % 4096 + ahead;
            let length = 350_000 - usize::try_from(offset).unwrap();
            let target = Target::from_slice(&mut memory[start..start + length]);
            store.read(offset, target, &mut vec![0; 32768]).unwrap();
            let from = usize::try_from(offset).unwrap();
            assert_eq!(memory[start..start + 300_000 - from], bytes[from..]);
            assert!(memory[start + 300_000 - from..start + length].iter().all(|&byte| byte == 0));
        }
    }
}

/// Interrupts every second call and never reads or writes more than three bytes.
struct Grudging(Descriptor, AtomicUsize);

impl Grudging {
    fn turn(&self) -> io::Result<()> {
        if self.1.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
            return Err(ErrorKind::Interrupted.into());
        }
        Ok(())
    }
}

impl ReadAt for Grudging {
    fn read_at(&self, offset: u64, target: Target<'_>) -> io::Result<usize> {
        self.turn()?;
        let length = target.len().min(3);
        self.0.read_at(offset, target.part(Run { offset: 0, length }))
    }
}

impl WriteAt for Grudging {
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
        self.turn()?;
        self.0.write_at(offset, &bytes[..bytes.len().min(3)])
    }
}

#[test]
fn interrupted_and_short_reads_go_on() {
    let (file, bytes) = thousand();
    let store = Store::new(Grudging(file, AtomicUsize::new(0)), 1000);
    assert_eq!(read(&store, 1, 100).unwrap(), bytes[1..101]);
}

/// Fails from a position on.
struct Broken(Descriptor, u64);

impl ReadAt for Broken {
    fn read_at(&self, offset: u64, target: Target<'_>) -> io::Result<usize> {
        if offset >= self.1 {
            return Err(io::Error::from_raw_os_error(libc::EIO));
        }
        let length = target.len().min(usize::try_from(self.1 - offset).unwrap());
        self.0.read_at(offset, target.part(Run { offset: 0, length }))
    }
}

#[test]
fn an_error_of_the_device_fails_the_read_and_says_where() {
    let (file, _) = thousand();
    let store = Store::new(Broken(file, 100), 1000);
    let error = read(&store, 50, 100).unwrap_err();
    assert!(matches!(error, StoreError::Io { offset: 100, length: 50, .. }), "{error}");
    assert!(error.to_string().contains("at 100"), "{error}");
}

/// A device with room up to a position. What is left of it is written, as the system does.
struct Full(Descriptor, u64, i32);

impl ReadAt for Full {
    fn read_at(&self, offset: u64, target: Target<'_>) -> io::Result<usize> {
        self.0.read_at(offset, target)
    }
}

impl WriteAt for Full {
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
        let room = usize::try_from(self.1.saturating_sub(offset)).unwrap();
        match (room, self.2) {
            (0, 0) => Ok(0),
            (0, error) => Err(io::Error::from_raw_os_error(error)),
            _ => self.0.write_at(offset, &bytes[..bytes.len().min(room)]),
        }
    }
}

#[test]
fn what_was_written_is_read() {
    let (file, mut bytes) = thousand();
    let store = Store::new(file, 2000);
    store.write(10, b"hello").unwrap();
    bytes[10..15].copy_from_slice(b"hello");
    store.write(5, &[]).unwrap();
    store.write(2000, &[]).unwrap();
    assert_eq!(read(&store, 0, 1000).unwrap(), bytes);
    // Beyond the end of the file it grows, and what lies between is zeros.
    store.write(1990, &[7; 10]).unwrap();
    let end = read(&store, 995, 1005).unwrap();
    assert_eq!(end[..5], bytes[995..]);
    assert!(end[5..995].iter().all(|&byte| byte == 0) && end[995..] == [7; 10]);
}

#[test]
fn interrupted_and_short_writes_go_on() {
    let (file, mut bytes) = thousand();
    let store = Store::new(Grudging(file, AtomicUsize::new(0)), 1000);
    let written: Vec<u8> = (0..100).collect();
    store.write(201, &written).unwrap();
    bytes[201..301].copy_from_slice(&written);
    assert_eq!(read(&store, 0, 1000).unwrap(), bytes);
}

#[test]
fn a_full_device_fails_the_write_and_says_where() {
    let (file, mut bytes) = thousand();
    let store = Store::new(Full(file, 600, libc::ENOSPC), 1000);
    let error = store.write(550, &[9; 100]).unwrap_err();
    assert!(matches!(error, StoreError::Write { offset: 600, length: 50, .. }), "{error:?}");
    let said = error.to_string();
    assert_eq!(said, "cannot write 50 bytes at offset 600: No space left on device (os error 28)");
    bytes[550..600].fill(9);
    assert_eq!(read(&store, 0, 1000).unwrap(), bytes);
    let (file, _) = thousand();
    let store = Store::new(Full(file, 600, 0), 1000);
    let StoreError::Write { source, .. } = store.write(600, &[9]).unwrap_err() else { panic!() };
    assert_eq!(source.kind(), ErrorKind::WriteZero);
}

#[test]
fn nothing_is_written_outside_the_allocated_space() {
    let (file, bytes) = thousand();
    let store = Store::new(file, 500);
    for (offset, length) in [(499, 2), (500, 1), (501, 0), (u64::MAX, 2), (0, 501)] {
        let outcome = store.write(offset, &vec![1; length]);
        assert!(matches!(outcome, Err(StoreError::OutsideFile { end: 500, .. })), "{outcome:?}");
    }
    store.set_end(700);
    assert_eq!(store.end(), 700);
    assert_eq!(read(&store, 0, 700).unwrap(), bytes[..700]);
    store.write(699, &[1]).unwrap();
    store.set_end(600);
    assert!(store.write(599, &[1, 2]).is_err());
    assert!(read(&store, 599, 2).is_err());
    // Positions that the system does not know.
    store.set_end(u64::MAX);
    let error = store.write(i64::MAX as u64 + 1, &[1]).unwrap_err();
    assert!(matches!(error, StoreError::Write { .. }), "{error:?}");
}

#[test]
fn a_descriptor_that_cannot_be_written_to() {
    let file = std::fs::File::open("/dev/null").unwrap();
    let store = Store::new(Descriptor::new(OwnedFd::from(file)), 100);
    let StoreError::Write { source, .. } = store.write(0, &[1]).unwrap_err() else { panic!() };
    assert_eq!(source.raw_os_error(), Some(libc::EBADF));
}
