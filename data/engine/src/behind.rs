//! A chunk that is encoded before it must be stored, by a thread that has nothing else to do.
//!
//! Its elements are complete as far as anybody knows. If they change all the same, this is dropped, and they are encoded
//! again when they are stored.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use codecs::Pipeline;
use pool::{Class, Ended, Job, Pool, Wanted};
use selection::Dims;

use crate::encode::encode;
use crate::unpack::buffers;

/// The bytes to store, and the filters that were left out.
pub type EncodedChunk = (Vec<u8>, u32);

/// A chunk that is being encoded. Dropping it drops the work, if that has not begun.
#[derive(Debug)]
pub struct Behind {
    job: Job,
    encoded: Arc<Mutex<Option<EncodedChunk>>>,
}

impl Behind {
    /// Lets a thread of the pool encode the elements of a chunk that filters go over; `None` if there is no such thread.
    pub fn start(
        pool: &Pool,
        pipeline: &Arc<Pipeline>,
        elements: &Arc<Vec<u8>>,
        origin: Dims,
        note_encoded: fn(),
    ) -> Option<Self> {
        let encoded = Arc::new(Mutex::new(None));
        let (pipeline, elements, place) = (Arc::clone(pipeline), Arc::clone(elements), Arc::clone(&encoded));
        let work = move |_: &Wanted<'_>| {
            let Ok(()) = Pool::global().run(1, 0, |_, scratch| {
                // If it fails, it fails again when the chunk is stored, and is told there.
                let done = buffers([], scratch)
                    .and_then(|([], filtering)| encode(&pipeline, &elements, true, &origin, filtering));
                if let Ok(done) = done {
                    *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(done);
                    note_encoded();
                }
                Ok::<(), Infallible>(())
            });
        };
        let job = pool.submit(Class::Speculation, work).ok()?;
        Some(Self { job, encoded })
    }

    /// Drops the work, unless it has begun; whether it has.
    pub fn keep_if_begun(&self) -> bool {
        !self.job.cancel()
    }

    /// What is to be stored, once it is there; `None` if it was not encoded.
    pub fn finish(&self) -> Option<EncodedChunk> {
        // In a child process somebody who does not exist there may hold the lock.
        let is_done = self.job.wait() == Ended::Done;
        is_done.then(|| self.encoded.lock().unwrap_or_else(PoisonError::into_inner).take())?
    }
}

impl Drop for Behind {
    fn drop(&mut self) {
        self.job.cancel();
    }
}
