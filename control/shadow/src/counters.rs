//! What was done, for tests and for who wonders: HDF5 goes on silently without a connector.

use core::sync::atomic::{AtomicU64, Ordering};
use std::ffi::CStr;
use std::io::Write as _;

macro_rules! counters {
    ($( $(#[$doc:meta])* $name:ident, )*) => {
        /// Counters of a process.
        #[derive(Default)]
        pub(crate) struct Counters {
            $( $(#[$doc])* pub(crate) $name: AtomicU64, )*
        }

        impl Counters {
            const fn new() -> Self {
                Self { $( $name: AtomicU64::new(0), )* }
            }

            fn all(&self) -> Vec<(&'static str, u64)> {
                vec![$( (stringify!($name), self.$name.load(Ordering::Relaxed)), )*]
            }
        }
    };
}

counters! {
    /// Containers opened.
    opened,
    /// Containers made.
    created,
    /// Files left to native HDF5.
    native_files,
    /// Groups whose links were put into a shadow.
    groups_filled,
    /// Objects that were put into a shadow.
    objects_filled,
    /// Changes told to the format.
    changes,
    /// Reads and writes of datasets whose elements the format has.
    reads,
    writes,
    /// Those of them that HDF5 has converted.
    host_conversions,
    /// Chunks that the format has given, and those it has stored.
    chunks_read,
    chunks_written,
    /// Chunks that had been read before and were still there.
    cache_hits,
    /// Datasets whose elements were put into a shadow.
    values_loaded,
}

/// Those of this process.
pub(crate) static COUNTERS: Counters = Counters::new();

/// Counts one more.
pub(crate) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// Writes them as JSON to the file that an environment variable names; `%p` in it becomes the process id.
pub(crate) fn report(connector: &CStr, variable: &str) {
    let Ok(name) = std::env::var(variable) else { return };
    if name.is_empty() {
        return;
    }
    let numbers: Vec<String> =
        COUNTERS.all().into_iter().map(|(name, count)| format!("  \"{name}\": {count}")).collect();
    let text =
        format!("{{\n  \"connector\": \"{}\",\n{}\n}}\n", connector.to_string_lossy(), numbers.join(",\n"));
    let name = name.replace("%p", &std::process::id().to_string());
    let written = std::fs::File::create(&name).and_then(|mut file| file.write_all(text.as_bytes()));
    if let Err(error) = written {
        eprintln!("{}: cannot write {variable}={name}: {error}", connector.to_string_lossy());
    }
}
