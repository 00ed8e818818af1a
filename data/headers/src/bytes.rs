//! The bytes of a file, of which the first ones are read at once: most files that are opened for little are small.

use store::{ReadAt, Store, Target};

/// Bytes that are read at once.
const FIRST: usize = 4096;

/// The longest piece that is ever asked for.
const LONGEST: usize = 1 << 16;

/// The bytes of a file.
pub(crate) struct FileBytes<'s, F> {
    store: &'s Store<F>,
    first: Vec<u8>,
}

impl<'s, F: ReadAt> FileBytes<'s, F> {
    /// Reads the first ones.
    pub(crate) fn new(store: &'s Store<F>) -> Option<Self> {
        let length = usize::try_from(store.end()).map_or(FIRST, |end| end.min(FIRST));
        Some(Self { store, first: store.read_new(0, length).ok()?? })
    }

    /// How many there are.
    pub(crate) fn end(&self) -> u64 {
        self.store.end()
    }

    /// Some of them.
    pub(crate) fn get(&mut self, offset: u64, length: usize) -> Option<Vec<u8>> {
        if length > LONGEST {
            return None;
        }
        let end = offset.checked_add(length as u64)?;
        if let (Ok(start), Ok(end)) = (usize::try_from(offset), usize::try_from(end))
            && let Some(known) = self.first.get(start..end)
        {
            return Some(known.to_vec());
        }
        let mut bytes = vec![0; length];
        self.store.read(offset, Target::from_slice(&mut bytes), &mut []).ok()?;
        Some(bytes)
    }
}

/// Numbers and texts, one after another.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'b>(pub(crate) &'b [u8]);

impl<'b> Fields<'b> {
    /// The next bytes.
    pub(crate) fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// A little-endian number of up to eight bytes.
    pub(crate) fn number(&mut self, size: usize) -> Option<u64> {
        let mut bytes = [0; 8];
        bytes.get_mut(..size)?.copy_from_slice(self.take(size)?);
        Some(u64::from_le_bytes(bytes))
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|byte| byte[0])
    }

    /// A number of two bytes.
    pub(crate) fn short(&mut self) -> Option<usize> {
        usize::try_from(self.number(2)?).ok()
    }

    /// An address or a length.
    pub(crate) fn address(&mut self) -> Option<u64> {
        self.number(8)
    }

    /// Given back if the next bytes are these.
    pub(crate) fn expect(&mut self, bytes: &[u8]) -> Option<()> {
        (self.take(bytes.len())? == bytes).then_some(())
    }
}

/// What is stored in the place of an address that there is none of.
pub(crate) const UNDEFINED: u64 = u64::MAX;
