//! The counts as JSON.

use h5_vol::Callback;
use serde::Serialize;

use crate::counters::{CallCount, Direction};
use crate::registry::{DatasetCounts, Registry};
use crate::sizes::SizeClass;
use crate::timeline::Spans;

/// All counts, in the shape they are written in.
#[derive(Debug, Serialize)]
pub(crate) struct Document {
    pub(crate) pid: u32,
    pub(crate) hosts: Vec<HostRecord>,
    pub(crate) callbacks: Vec<CallbackRecord>,
    pub(crate) files: Vec<FileRecord>,
    pub(crate) timeline: Spans,
    pub(crate) sizes: SizesRecord,
}

#[derive(Debug, Serialize)]
pub(crate) struct HostRecord {
    pub(crate) library: String,
    pub(crate) version: String,
    pub(crate) thread_safe: bool,
}

/// How large reads and writes of datasets were.
#[derive(Debug, Serialize)]
pub(crate) struct SizesRecord {
    pub(crate) reads: Vec<SizeClass>,
    pub(crate) writes: Vec<SizeClass>,
}

/// One callback that was used.
#[derive(Debug, Serialize)]
pub(crate) struct CallbackRecord {
    pub(crate) callback: &'static str,
    pub(crate) calls: u64,
    pub(crate) failures: u64,
    pub(crate) total_ns: u64,
    pub(crate) longest_ns: u64,
}

/// One file.
#[derive(Debug, Serialize)]
pub(crate) struct FileRecord {
    pub(crate) file: String,
    pub(crate) opens: u64,
    pub(crate) datasets: Vec<DatasetRecord>,
}

/// One dataset.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct DatasetRecord {
    pub(crate) dataset: String,
    pub(crate) reads: u64,
    pub(crate) bytes_read: u64,
    pub(crate) read_ns: u64,
    pub(crate) failed_reads: u64,
    pub(crate) writes: u64,
    pub(crate) bytes_written: u64,
    pub(crate) write_ns: u64,
    pub(crate) failed_writes: u64,
}

impl Document {
    pub(crate) fn of(registry: &Registry) -> Self {
        let hosts = registry.hosts().into_iter().map(|host| HostRecord {
            library: host.path().to_string_lossy().into_owned(),
            version: host.version().to_string(),
            thread_safe: host.is_thread_safe(),
        });
        let callbacks = Callback::ALL.iter().filter_map(|&callback| {
            let CallCount { calls, failures, total_ns, longest_ns } = registry.callback(callback).get();
            (calls > 0).then(|| CallbackRecord {
                callback: callback.name(),
                calls,
                failures,
                total_ns,
                longest_ns,
            })
        });
        let files = registry
            .files()
            .iter()
            .map(|(name, file)| FileRecord {
                file: name.clone(),
                opens: file.opens,
                datasets: file
                    .datasets
                    .iter()
                    .map(|(name, counts)| DatasetRecord::of(name, counts))
                    .collect(),
            })
            .collect();
        Self {
            pid: std::process::id(),
            hosts: hosts.collect(),
            callbacks: callbacks.collect(),
            files,
            timeline: registry.timeline.get(),
            sizes: SizesRecord {
                reads: registry.sizes.get(Direction::Read),
                writes: registry.sizes.get(Direction::Write),
            },
        }
    }
}

impl DatasetRecord {
    fn of(name: &str, counts: &DatasetCounts) -> Self {
        let (reads, writes) = (counts.flow(Direction::Read), counts.flow(Direction::Write));
        Self {
            dataset: name.to_owned(),
            reads: reads.calls().calls,
            bytes_read: reads.bytes(),
            read_ns: reads.calls().total_ns,
            failed_reads: reads.calls().failures,
            writes: writes.calls().calls,
            bytes_written: writes.bytes(),
            write_ns: writes.calls().total_ns,
            failed_writes: writes.calls().failures,
        }
    }

    /// Bytes moved either way.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes_read.saturating_add(self.bytes_written)
    }
}
