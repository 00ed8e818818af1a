//! Reading chunks.

use crate::bitshuffle::transpose;
use crate::blosc::Shuffle;
use crate::blosc::header::{Content, HEADER, Header};
use crate::blosc::stream::{Format, decompress, with_memory};
use crate::error::CodecError;
use crate::work::{Work, room};

const CUT_SHORT: CodecError = CodecError::Corrupt("a block lies outside of its chunk");

/// Decodes a chunk; gives the number of bytes.
pub(super) fn decode(input: &[u8], output: &mut [u8], work: &mut Work) -> Result<usize, CodecError> {
    let header = Header::read(input)?;
    let chunk = &input[..header.stored];
    let output = output.get_mut(..header.len).ok_or(CodecError::NoRoom)?;
    match header.content {
        Content::Copied => output.copy_from_slice(&chunk[HEADER..]),
        Content::Blocks { format, .. } => {
            with_memory(work, |memory, work| decode_blocks(&header, format, chunk, output, memory, work))?;
        }
    }
    Ok(header.len)
}

fn decode_blocks(
    header: &Header,
    format: Format,
    chunk: &[u8],
    output: &mut [u8],
    memory: &mut Vec<u8>,
    work: &mut Work,
) -> Result<(), CodecError> {
    let starts =
        header.blocks().checked_mul(4).and_then(|starts| chunk[HEADER..].get(..starts)).ok_or(CUT_SHORT)?;
    let (planes, between) = room(memory, header.block * 2)?.split_at_mut(header.block);
    // Blocks never share bytes. Checked, because otherwise a small chunk could be made of many blocks that each
    // take long to read.
    let mut unread = chunk.len();
    for (start, block) in starts.chunks_exact(4).zip(output.chunks_mut(header.block)) {
        let start = i32::from_le_bytes([start[0], start[1], start[2], start[3]]);
        let streams = usize::try_from(start).ok().and_then(|start| chunk.get(start..)).ok_or(CUT_SHORT)?;
        let shuffle = match header.shuffle {
            // Blocks of other numbers of elements are left as they are.
            Shuffle::Bits
                if block.len() < header.element || !(block.len() / header.element).is_multiple_of(8) =>
            {
                Shuffle::None
            }
            other => other,
        };
        let planes = &mut planes[..block.len()];
        let target = if shuffle == Shuffle::None { &mut *block } else { &mut *planes };
        let read = decode_streams(format, streams, header.streams(target.len()), target, work)?;
        unread = unread.checked_sub(read).ok_or(CodecError::Corrupt("blocks overlap"))?;
        match shuffle {
            Shuffle::None => {}
            Shuffle::Bytes => transpose::bytes_from_planes(header.element, planes, block),
            Shuffle::Bits => {
                let whole = block.len() / header.element * header.element;
                let (elements, rest) = block.split_at_mut(whole);
                transpose::elements_from_bits(header.element, &planes[..whole], elements, between);
                rest.copy_from_slice(&planes[whole..]);
            }
        }
    }
    Ok(())
}

/// Decodes the streams of one block: each with its length before it. Gives how many bytes they take.
fn decode_streams(
    format: Format,
    streams: &[u8],
    count: usize,
    block: &mut [u8],
    work: &mut Work,
) -> Result<usize, CodecError> {
    if !block.len().is_multiple_of(count) {
        return Err(CodecError::Corrupt("a block cannot be split into streams"));
    }
    let mut rest = streams;
    for part in block.chunks_exact_mut(block.len() / count) {
        let (stored, after) = rest.split_first_chunk().ok_or(CUT_SHORT)?;
        let stored = usize::try_from(i32::from_le_bytes(*stored)).map_err(|_| CUT_SHORT)?;
        let (stream, after) = after.split_at_checked(stored).ok_or(CUT_SHORT)?;
        rest = after;
        if stored == part.len() {
            part.copy_from_slice(stream);
        } else {
            decompress(format, stream, part, work)?;
        }
    }
    Ok(streams.len() - rest.len())
}
