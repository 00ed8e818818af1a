//! Which thread this is, as the operating system and as people know it.

use std::fs;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// A thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ThreadName {
    /// Its number in the operating system.
    pub(crate) number: u64,
    pub(crate) name: String,
    /// For the order in which they are shown: the application's first, then the pool's.
    pub(crate) rank: u32,
}

impl ThreadName {
    /// The thread that asks; `worker` is its number in the pool, or 0.
    pub(crate) fn here(worker: u32) -> Self {
        let number = number_here();
        if worker > 0 {
            return Self { number, name: format!("h5bypass pool {worker}"), rank: worker.saturating_add(1) };
        }
        if number == u64::from(process::id()) {
            return Self { number, name: "application, main thread".to_owned(), rank: 0 };
        }
        let given = fs::read("/proc/thread-self/comm").unwrap_or_default();
        let name = format!("application, thread {}", String::from_utf8_lossy(&given).trim_end());
        Self { number, name: name.trim_end().to_owned(), rank: 1 }
    }
}

/// The number of this thread. Where the system does not tell, one that no thread of this process is likely to have.
fn number_here() -> u64 {
    static UNTOLD: AtomicU64 = AtomicU64::new(1 << 32);
    let told = fs::read_link("/proc/thread-self").ok();
    told.as_deref()
        .and_then(|link| link.file_name()?.to_str()?.parse().ok())
        .unwrap_or_else(|| UNTOLD.fetch_add(1, Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_have_numbers_and_names() {
        let one = std::thread::Builder::new().name("reader é".to_owned());
        let one = one.spawn(|| ThreadName::here(0)).unwrap().join().unwrap();
        assert_eq!(one.name, "application, thread reader é");
        let other = std::thread::spawn(|| ThreadName::here(3)).join().unwrap();
        assert_eq!(other.name, "h5bypass pool 3");
        assert!(other.rank > one.rank);
        assert!(one.number != 0 && one.number != u64::from(process::id()));
    }
}
