//! A collection: a piece of the file with objects in it.

use core::ops::Range;
use std::sync::Arc;

use crate::fetch::Damage;

/// Bytes of the header: signature, version, three that are reserved, and the size of the whole.
pub(crate) const HEADER: usize = 16;

/// Bytes before each object: its index, how often it is referred to, four that are reserved, and its size.
const OBJECT_HEADER: usize = 16;

/// The least size of a collection.
pub(crate) const LEAST: usize = 4096;

/// Objects begin at multiples of this.
const ALIGNMENT: u64 = 8;

/// The objects of a collection.
#[derive(Debug, Clone)]
pub struct Collection {
    /// Bytes of the file, which several collections may share.
    bytes: Arc<Vec<u8>>,
    /// Where each object's bytes are, by its index. Those that do not exist are empty and begin at 0.
    objects: Vec<Range<usize>>,
}

impl Collection {
    /// Finds the objects of the collection that takes up this part of some bytes, which must lie inside of them.
    pub(crate) fn find(bytes: &Arc<Vec<u8>>, place: Range<usize>) -> Result<Self, Damage> {
        let all = &bytes[place.clone()];
        let mut objects = Vec::with_capacity(all.len() / 64);
        let (mut position, mut free) = (HEADER, None);
        while let Some(header) = all.get(position..position.saturating_add(OBJECT_HEADER)) {
            let index = usize::from(u16::from_le_bytes([header[0], header[1]]));
            let (_, size) = header.split_last_chunk().ok_or(Damage::Object(position))?;
            let size = u64::from_le_bytes(*size);
            // Object 0 is the free space, whose size includes its header. Others are followed by padding.
            let taken = match index {
                0 => Some(size).filter(|size| *size > 0),
                _ => {
                    size.checked_next_multiple_of(ALIGNMENT).and_then(|size| size.checked_add(HEADER as u64))
                }
            };
            let end = taken.and_then(|taken| (position as u64).checked_add(taken));
            let end = end.filter(|end| *end <= all.len() as u64).and_then(|end| usize::try_from(end).ok());
            let end = end.ok_or(Damage::Object(position))?;
            if index == 0 {
                free = Some(size);
            } else {
                if objects.len() <= index {
                    objects.resize(index + 1, 0..0);
                }
                let start = place.start + position + OBJECT_HEADER;
                // It ends before the padding does, so it is no longer than `usize` can tell.
                let size = usize::try_from(size).map_err(|_| Damage::Object(position))?;
                objects[index] = start..start + size;
            }
            position = end;
        }
        // What is too short for a header is free space, too, if there is no other.
        let rest = (all.len() - position) as u64;
        if rest > 0 && free.replace(rest).is_some() || !free.unwrap_or(0).is_multiple_of(ALIGNMENT) {
            return Err(Damage::Object(position));
        }
        Ok(Self { bytes: Arc::clone(bytes), objects })
    }

    /// The bytes of an object, if there is one with this index.
    #[inline]
    pub fn object(&self, index: u32) -> Option<&[u8]> {
        let object = self.objects.get(usize::try_from(index).ok()?)?;
        if object.start == 0 { None } else { self.bytes.get(object.clone()) }
    }
}

/// The size of the collection that begins with these bytes.
pub(crate) fn size_of_collection(header: &[u8]) -> Result<u64, Damage> {
    let (signature, rest) = header.split_first_chunk::<4>().ok_or(Damage::Signature)?;
    let (version, rest) = rest.split_first_chunk::<4>().ok_or(Damage::Signature)?;
    let (size, _) = rest.split_first_chunk().ok_or(Damage::Signature)?;
    if signature != b"GCOL" {
        return Err(Damage::Signature);
    }
    if version[0] != 1 {
        return Err(Damage::Version(version[0]));
    }
    let size = u64::from_le_bytes(*size);
    if size < LEAST as u64 { Err(Damage::Size(size)) } else { Ok(size) }
}
