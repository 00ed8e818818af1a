//! Reading and writing many chunks as a whole, with memory that is used again and again: to take it anew for each chunk takes as
//! long as to copy the chunk.

use codecs::{Packed, Work};

use crate::array::Array;
use crate::chunk_files::Version;
use crate::error::ZarrError;

/// Bytes of a buffer that stay with a thread that has nothing to do.
const KEPT_BYTES: usize = 8 << 20;

/// What a thread keeps for chunks.
#[derive(Debug, Default)]
pub struct Buffers {
    work: [Work; 2],
    stored: [Vec<u8>; 2],
}

impl Buffers {
    /// Nothing is allocated before it is needed.
    pub fn new() -> Self {
        Self::default()
    }

    /// For codecs.
    pub fn work(&mut self) -> &mut Work {
        &mut self.work[0]
    }

    /// Gives back what only very large chunks need.
    fn trim(&mut self) {
        for work in &mut self.work {
            work.trim(KEPT_BYTES);
        }
        for stored in &mut self.stored {
            if stored.capacity() > KEPT_BYTES {
                *stored = Vec::new();
            }
        }
    }
}

/// Two chunks, and where their elements go.
type Pair<'p> = [(&'p [u64], &'p mut [u8]); 2];

impl Array {
    /// As [`Array::read_chunk`].
    pub fn read_elements(
        &self,
        chunk: &[u64],
        output: &mut [u8],
        buffers: &mut Buffers,
    ) -> Result<bool, ZarrError> {
        let Buffers { work: [work, _], stored: [stored, _] } = buffers;
        let length = self.read_stored_into(chunk, stored)?;
        match length {
            Some(length) => {
                let decoded = self.chain().decode(&stored[..length], output, work);
                decoded.map_err(ZarrError::chunk(&self.chunk_file(chunk)))?;
            }
            None => self.chain().fill_chunk(output),
        }
        buffers.trim();
        Ok(length.is_some())
    }

    /// Whether two chunks are decoded faster at the same time than one after the other.
    pub fn gains_by_pairs(&self) -> bool {
        self.chain().pipeline().is_some_and(|pipeline| pipeline.gains_by_pairs())
    }

    /// Reads two chunks, and decodes them at the same time if that is faster. Says of each whether it was ever written. The error
    /// is that of the first that cannot be read, with its number.
    pub fn read_pair(&self, pair: Pair<'_>, buffers: &mut Buffers) -> Result<[bool; 2], (usize, ZarrError)> {
        let [(chunk, output), (second_chunk, second_output)] = pair;
        let chunks = [chunk, second_chunk];
        let fits = |output: &[u8]| self.chain().chunk_bytes() == Some(output.len());
        let pipeline = self.chain().pipeline().filter(|_| fits(output) && fits(second_output));
        let mut lengths = [None; 2];
        if pipeline.is_some() {
            for (which, chunk) in chunks.into_iter().enumerate() {
                let read = self.read_stored_into(chunk, &mut buffers.stored[which]);
                lengths[which] = read.map_err(|error| (which, error))?;
            }
        }
        let (Some(pipeline), [Some(length), Some(second_length)]) = (pipeline, lengths) else {
            // One of them was never written, or there is more to do than to decode.
            let mut found = [false; 2];
            for (which, output) in [output, second_output].into_iter().enumerate() {
                let read = self.read_elements(chunks[which], output, buffers);
                found[which] = read.map_err(|error| (which, error))?;
            }
            return Ok(found);
        };
        let Buffers { work: [work, second_work], stored: [stored, second_stored] } = &mut *buffers;
        let first = Packed { stored: &stored[..length], mask: 0, output };
        let second = Packed { stored: &second_stored[..second_length], mask: 0, output: second_output };
        let decoded = pipeline.decode_pair([first, second], true, [work, second_work]);
        for (which, decoded) in decoded.into_iter().enumerate() {
            let file = || self.chunk_file(chunks[which]);
            decoded.map_err(|problem| (which, ZarrError::chunk(&file())(problem.into())))?;
        }
        buffers.trim();
        Ok([true; 2])
    }

    /// As [`Array::write_chunk`].
    pub fn write_elements(
        &self,
        chunk: &[u64],
        elements: &[u8],
        buffers: &mut Buffers,
    ) -> Result<(), ZarrError> {
        let Buffers { work: [work, _], stored: [stored, _] } = buffers;
        let encoded = self.chain().encode(elements, stored, work);
        let is_stored = encoded.map_err(ZarrError::chunk(&self.chunk_file(chunk)))?;
        self.store(chunk, stored, is_stored)?;
        buffers.trim();
        Ok(())
    }

    /// What tells the file of a chunk from one that replaced it; `None` if there is none.
    pub fn chunk_version(&self, chunk: &[u64]) -> Result<Option<Version>, ZarrError> {
        let found = self.container().directory().examine(&self.chunk_file(chunk))?;
        Ok(found.map(|found| Version::of(&found)))
    }
}
