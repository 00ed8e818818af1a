//! Chunks that will probably be wanted next, decoded into the cache by threads that have nothing else to do.
//!
//! That goes on after the read which announces them has returned. It is speculation: whoever has come for data of their own
//! comes first, what fails fails again in the read that wants it, and what is not begun can be dropped at any time. A read
//! that finds one of its chunks being decoded in this way decodes another of them meanwhile ([`Ahead::decode_next`]).

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use codecs::Pipeline;
use pool::{Class, Job, Pool, Scratch};
use selection::ChunkGrid;
use trace::Kind;

use crate::request::{Kept, StoredChunk};
use crate::source::Source;
use crate::unpack::{Encoded, Unpacker};

/// Chunks of one dataset to decode ahead. It owns what that takes.
#[derive(Debug)]
pub struct Ahead {
    /// Where they are.
    pub source: Source,
    /// Their filters.
    pub pipeline: Arc<Pipeline>,
    /// The grid.
    pub grid: ChunkGrid,
    /// Bytes of each when it is decoded.
    pub chunk_bytes: usize,
    /// Where they go.
    pub kept: Kept,
    /// Their numbers in the grid and what is stored of them, in the order in which they will be wanted.
    pub chunks: Vec<(u64, StoredChunk)>,
    /// Is told of each one that was decoded.
    pub note_decoded: fn(),
    /// How it is going.
    pub progress: Progress,
}

/// How far the chunks to decode ahead are.
#[derive(Debug, Default)]
pub struct Progress {
    /// The first that nobody has begun.
    next: AtomicUsize,
    is_unwanted: AtomicBool,
    /// Whether somebody starts it, has done so, or has seen to it that nobody will.
    is_started: AtomicBool,
    /// What came of that: set once after `is_started`.
    job: OnceLock<Option<Job>>,
}

/// How long a thread that starts them may take, if it still exists: it does not in a child process.
const LONGEST_START: Duration = Duration::from_secs(1);

impl Ahead {
    /// Lets threads of the pool decode them, if there are any. The first time only.
    pub fn start(self: &Arc<Self>, pool: &Pool) {
        let progress = &self.progress;
        if !self.is_any_left() || progress.is_started.swap(true, Ordering::Relaxed) {
            return;
        }
        let ahead = Arc::clone(self);
        let submitted = pool.submit(Class::Speculation, move |wanted| {
            let decode = |_: usize, scratch: &mut Scratch| {
                if wanted.is_wanted() {
                    ahead.decode_next(scratch);
                }
                Ok::<(), Infallible>(())
            };
            let Ok(()) = Pool::global().run(ahead.chunks.len(), usize::MAX, decode);
        });
        let _ = progress.job.set(submitted.ok());
    }

    /// Whether there are chunks that nobody has begun, and that are wanted.
    fn is_any_left(&self) -> bool {
        !self.progress.is_unwanted.load(Ordering::Relaxed)
            && self.progress.next.load(Ordering::Relaxed) < self.chunks.len()
    }

    /// Those that nobody has begun are not wanted any more.
    pub fn cancel(&self) {
        self.progress.is_unwanted.store(true, Ordering::Relaxed);
        if !self.progress.is_started.swap(true, Ordering::Relaxed) {
            let _ = self.progress.job.set(None);
        }
    }

    /// Whether threads of the pool may be busy with them, now or later.
    pub fn is_under_way(&self) -> bool {
        self.progress.job.get().is_none_or(|job| job.as_ref().is_some_and(|job| job.ended().is_none()))
    }

    /// Drops those that nobody has begun, and waits until the others are decoded. Afterwards no thread of the pool uses the
    /// source.
    pub fn stop(&self) {
        self.cancel();
        let beginning = Instant::now();
        while self.progress.job.get().is_none() && beginning.elapsed() < LONGEST_START {
            std::thread::yield_now();
        }
        if let Some(Some(job)) = self.progress.job.get()
            && !job.cancel()
        {
            job.wait();
        }
    }

    /// Decodes the next one that nobody has begun. `false` if there is none.
    pub(crate) fn decode_next(&self, scratch: &mut Scratch) -> bool {
        if !self.is_any_left() {
            return false;
        }
        let index = self.progress.next.fetch_add(1, Ordering::Relaxed);
        let Some((number, stored)) = self.chunks.get(index) else { return false };
        let (chunk, encoded) = (self.grid.chunk_numbered(*number), Encoded::Stored(*stored));
        let unpacker = Unpacker { source: &self.source, pipeline: &self.pipeline, verify: true, part: 0 };
        // Not if it is there or somebody else decodes it.
        let Ok(Some(mut begun)) = self.kept.cache.try_begin(self.kept.key(*number), self.chunk_bytes) else {
            return true;
        };
        let _span = trace::span(Kind::Ahead).of(self.chunk_bytes as u64);
        let bytes = unpacker.bytes_to_decode(encoded, self.chunk_bytes);
        let decoded = unpacker.buffers([bytes], &chunk, encoded, scratch).and_then(|([bytes], filtering)| {
            unpacker.decode(&chunk, encoded, bytes, begun.buffer(), &mut filtering.work)
        });
        if decoded.is_ok() {
            begun.finish();
            (self.note_decoded)();
        }
        true
    }
}
