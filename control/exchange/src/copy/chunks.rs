//! Copies chunks as they are stored: nothing is decoded, so any filter will do, also one that nobody has.

use std::ffi::CStr;
use std::os::unix::fs::FileExt as _;

use h5_client::{Dataset, StoredChunk};

use super::Copying;
use crate::error::{At as _, Error, Result};

impl Copying<'_> {
    pub(super) fn chunks(
        &mut self,
        path: &CStr,
        source: &Dataset,
        target_path: &CStr,
        target: &Dataset,
    ) -> Result<()> {
        let from = || self.source.shown(path);
        let mut chunks = source.chunks().at(from)?;
        chunks.sort_by_key(|chunk| chunk.address);
        let shape = source.creation().and_then(|list| list.chunk()).at(from)?.unwrap_or_default();
        let size = source.datatype().and_then(|kind| kind.size()).at(from)? as u64;
        let bytes = shape.iter().fold(size, |all, length| all.saturating_mul(*length));
        let file = self.source.plain_file()?;
        let mut stored = Vec::new();
        for chunk in chunks {
            self.check_stopped()?;
            let mask = if let Some(file) = &file {
                read_at(file, &chunk, &mut stored)
                    .map_err(|error| Error::new(self.source.shown(path), error.to_string()))?;
                chunk.filter_mask
            } else {
                let (found, mask) = source.read_chunk(&chunk.place).at(|| self.source.shown(path))?;
                stored = found;
                mask
            };
            target.write_chunk(&chunk.place, mask, &stored).at(|| self.target_shown(target_path))?;
            self.summary.chunks_as_stored += 1;
            self.progress.moved(bytes);
        }
        Ok(())
    }
}

fn read_at(file: &std::fs::File, chunk: &StoredChunk, stored: &mut Vec<u8>) -> std::io::Result<()> {
    let length = file.metadata()?.len();
    // The size is the file's own word for it.
    let size = usize::try_from(chunk.size).ok().filter(|_| chunk.size <= length);
    let size = size.ok_or_else(|| std::io::Error::other("a chunk is larger than the file"))?;
    stored.resize(size, 0);
    file.read_exact_at(stored, chunk.address)
}
