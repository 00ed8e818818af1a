//! What is being decoded ahead for a dataset, after the reads that announced it.
//!
//! It holds the file open. So it ends, and is waited for, before the file is closed: when what is known about the dataset is
//! dropped.

use std::sync::{Arc, Mutex, PoisonError};

use engine::Ahead;

/// What is being decoded ahead: the newest last, and older ones whose last chunks are not finished.
#[derive(Debug, Default)]
pub(crate) struct Background {
    under_way: Mutex<Vec<Arc<Ahead>>>,
}

impl Background {
    /// Reads go on in another way: what is not begun is not wanted any more.
    pub(crate) fn replace(&self, ahead: Option<&Arc<Ahead>>) {
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(newest) = under_way.last() {
            newest.cancel();
        }
        under_way.retain(|ahead| ahead.is_under_way());
        under_way.extend(ahead.cloned());
    }

    /// Drops what is not begun, and waits for the rest.
    pub(crate) fn stop(&self) {
        let under_way = std::mem::take(&mut *self.under_way.lock().unwrap_or_else(PoisonError::into_inner));
        for ahead in &under_way {
            ahead.stop();
        }
    }

    /// The newest.
    pub(crate) fn newest(&self) -> Option<Arc<Ahead>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner).last().cloned()
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.stop();
    }
}
