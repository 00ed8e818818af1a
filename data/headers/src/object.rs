//! Headers of objects: lists of messages.

use store::ReadAt;

use crate::bytes::{Fields, FileBytes};
use crate::checksum::checksum;

/// The kinds of messages that are of interest.
pub(crate) mod kind {
    pub(crate) const NOTHING: u16 = 0;
    pub(crate) const DATASPACE: u16 = 1;
    pub(crate) const LINK_INFO: u16 = 2;
    pub(crate) const DATATYPE: u16 = 3;
    pub(crate) const FILL: u16 = 5;
    pub(crate) const LINK: u16 = 6;
    pub(crate) const EXTERNAL_FILES: u16 = 7;
    pub(crate) const LAYOUT: u16 = 8;
    pub(crate) const FILTERS: u16 = 11;
    pub(crate) const CONTINUATION: u16 = 16;
    pub(crate) const SYMBOL_TABLE: u16 = 17;
    /// The last one that HDF5 2.2 knows.
    pub(crate) const LAST: u16 = 0x18;
    /// One that HDF5 uses in its own tests only.
    pub(crate) const BOGUS: u16 = 9;
}

/// How many pieces a header may have.
const MOST_PIECES: usize = 32;

/// The message is somewhere else, and this one tells where.
const IS_SHARED: u8 = 2;

/// It must never be somewhere else.
const IS_NEVER_SHARED: u8 = 4;

/// Somebody has changed the object who did not know such messages.
const WAS_UNKNOWN: u8 = 0x20;

/// A message of a header.
pub(crate) struct Message {
    pub(crate) kind: u16,
    pub(crate) data: Vec<u8>,
}

/// The messages of the object whose header is at this address.
pub(crate) struct Messages(Vec<Message>);

impl Messages {
    pub(crate) fn read<F: ReadAt>(file: &mut FileBytes<'_, F>, address: u64) -> Option<Self> {
        match file.get(address, 4)?.as_slice() {
            b"OHDR" => Self::read_new(file, address),
            [1, 0, ..] => Self::read_old(file, address),
            _ => None,
        }
    }

    /// The one of a kind; `None` also if there are several.
    pub(crate) fn only(&self, kind: u16) -> Option<&[u8]> {
        let mut all = self.all(kind);
        all.next().filter(|_| all.next().is_none())
    }

    pub(crate) fn all(&self, kind: u16) -> impl Iterator<Item = &[u8]> {
        self.0.iter().filter(move |message| message.kind == kind).map(|message| &*message.data)
    }

    pub(crate) fn has(&self, kind: u16) -> bool {
        self.all(kind).next().is_some()
    }

    /// Headers of the old form: version 1.
    fn read_old<F: ReadAt>(file: &mut FileBytes<'_, F>, address: u64) -> Option<Self> {
        let prefix = file.get(address, 16)?;
        let mut fields = Fields(prefix.get(2..)?);
        let count = fields.short()?;
        let users = fields.number(4)?;
        let length = usize::try_from(fields.number(4)?).ok()?;
        if users == 0 {
            return None;
        }
        let mut found = Self(Vec::new());
        let mut pieces = vec![(address.checked_add(16)?, length)];
        let (mut next, mut seen) = (0, 0_usize);
        while let Some((start, length)) = pieces.get(next).copied() {
            let bytes = file.get(start, length)?;
            let mut fields = Fields(&bytes);
            while !fields.0.is_empty() {
                let kind = u16::try_from(fields.number(2)?).ok()?;
                let size = fields.short()?;
                let flags = fields.byte()?;
                fields.take(3)?;
                if size % 8 != 0 {
                    return None;
                }
                seen += 1;
                found.add(kind, flags, fields.take(size)?, &mut pieces)?;
            }
            next += 1;
        }
        (seen == count).then_some(found)
    }

    /// Headers of the new form: version 2, with checksums.
    fn read_new<F: ReadAt>(file: &mut FileBytes<'_, F>, address: u64) -> Option<Self> {
        const HAS_ORDER: u8 = 4;
        const HAS_LIMITS: u8 = 0x10;
        const HAS_TIMES: u8 = 0x20;
        let start = file.get(address, 6)?;
        let (version, flags) = (start[4], start[5]);
        if version != 2 || flags & 0xc0 != 0 {
            return None;
        }
        let mut prefix = 6;
        prefix += if flags & HAS_TIMES == 0 { 0 } else { 16 };
        prefix += if flags & HAS_LIMITS == 0 { 0 } else { 4 };
        let size_of_length = 1 << (flags & 3);
        let length =
            Fields(&file.get(address.checked_add(prefix as u64)?, size_of_length)?).number(size_of_length)?;
        let messages = prefix + size_of_length;
        let first = usize::try_from(length).ok()?.checked_add(messages)?.checked_add(4)?;
        let mut found = Self(Vec::new());
        let mut pieces = vec![(address, first)];
        let mut next = 0;
        while let Some((start, length)) = pieces.get(next).copied() {
            let bytes = file.get(start, length)?;
            let (checked, sum) = bytes.split_at_checked(length.checked_sub(4)?)?;
            if u64::from(checksum(checked)) != Fields(sum).number(4)? {
                return None;
            }
            let mut fields = Fields(checked);
            if next == 0 {
                fields.take(messages)?;
            } else {
                fields.expect(b"OCHK")?;
            }
            let header = if flags & HAS_ORDER == 0 { 4 } else { 6 };
            let mut has_nothing = false;
            // What is shorter than that is a gap.
            while fields.0.len() >= header {
                let kind = u16::from(fields.byte()?);
                let size = fields.short()?;
                let flags = fields.byte()?;
                fields.take(header - 4)?;
                has_nothing |= kind == kind::NOTHING;
                found.add(kind, flags, fields.take(size)?, &mut pieces)?;
            }
            // HDF5 takes a gap beside a message that says nothing for an error.
            if has_nothing && !fields.0.is_empty() {
                return None;
            }
            next += 1;
        }
        Some(found)
    }

    fn add(&mut self, kind: u16, flags: u8, data: &[u8], pieces: &mut Vec<(u64, usize)>) -> Option<()> {
        if kind == kind::CONTINUATION {
            let mut fields = Fields(data);
            let (start, length) = (fields.address()?, usize::try_from(fields.address()?).ok()?);
            pieces.push((start, length));
            return (pieces.len() <= MOST_PIECES).then_some(());
        }
        if flags & WAS_UNKNOWN != 0 || (flags & IS_SHARED != 0 && flags & IS_NEVER_SHARED != 0) {
            return None;
        }
        // Others may mean that nobody who does not know them may use the object.
        if kind > kind::LAST || kind == kind::BOGUS {
            return None;
        }
        let matters = matches!(
            kind,
            kind::DATASPACE
                | kind::DATATYPE
                | kind::FILL
                | kind::LAYOUT
                | kind::LINK_INFO
                | kind::LINK
                | kind::SYMBOL_TABLE
                | kind::EXTERNAL_FILES
                | kind::FILTERS
        );
        if matters && flags & IS_SHARED != 0 {
            return None;
        }
        if kind != kind::NOTHING {
            let data = if matters { data.to_vec() } else { Vec::new() };
            self.0.push(Message { kind, data });
        }
        Some(())
    }
}
