//! Reads against files and against descriptors that misbehave.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// A thousand bytes 0, 1, 2 ... in a file without a name.
fn thousand() -> (Descriptor, Vec<u8>) {
    use std::io::Write;
    let bytes: Vec<u8> = (0..1000_u32).map(|value| u8::try_from(value % 251).unwrap()).collect();
    let path = std::env::temp_dir().join(format!("store-test-{}-{:p}", std::process::id(), &raw const bytes));
    let mut file = std::fs::OpenOptions::new().create(true).truncate(true).read(true).write(true).open(&path);
    let file = file.as_mut().unwrap();
    file.write_all(&bytes).unwrap();
    std::fs::remove_file(&path).unwrap();
    (Descriptor::new(OwnedFd::from(file.try_clone().unwrap())), bytes)
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
    let path = std::env::temp_dir().join(format!("store-test-slow-{}", std::process::id()));
    std::fs::File::create(&path).unwrap().write_all(&bytes).unwrap();
    let file = std::fs::File::open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
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

/// Interrupts every second call and never reads more than three bytes.
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
