//! Groups: from a name to the address of an object's header.

use store::ReadAt;

use crate::bytes::{Fields, FileBytes, UNDEFINED};
use crate::object::{Messages, kind};
use crate::superblock::Superblock;

/// How deep the tree of a group may be.
const DEEPEST: u8 = 16;

/// How many free places there may be among the names.
const MOST_FREE: usize = 1000;

/// The object of this name, if a hard link leads to it.
pub(crate) fn member<F: ReadAt>(
    file: &mut FileBytes<'_, F>,
    superblock: &Superblock,
    group: u64,
    name: &[u8],
) -> Option<u64> {
    // HDF5 skips parts that stand for the group itself.
    if name == b"." {
        return None;
    }
    let messages = Messages::read(file, group)?;
    if messages.has(kind::SYMBOL_TABLE) {
        let mut fields = Fields(messages.only(kind::SYMBOL_TABLE)?);
        let (tree, heap) = (fields.address()?, fields.address()?);
        if messages.has(kind::LINK) || messages.has(kind::LINK_INFO) {
            return None;
        }
        let names = Names::read(file, superblock, heap)?;
        return Search { names, superblock, name }.in_tree(file, tree);
    }
    in_header(&messages, name)
}

/// A link in the header of a group of the new form.
fn in_header(messages: &Messages, name: &[u8]) -> Option<u64> {
    const HAS_ORDER: u8 = 1;
    const HAS_INDEX_OF_ORDER: u8 = 2;
    let mut info = Fields(messages.only(kind::LINK_INFO)?);
    info.expect(&[0])?;
    let flags = info.byte()?;
    if flags & !3 != 0 {
        return None;
    }
    if flags & HAS_ORDER != 0 {
        info.take(8)?;
    }
    // If there are many links, they are not here, but in a heap with one index or two.
    let indexes = if flags & HAS_INDEX_OF_ORDER == 0 { 1 } else { 2 };
    for _ in 0..=indexes {
        if info.address()? != UNDEFINED {
            return None;
        }
    }
    let mut found = None;
    for message in messages.all(kind::LINK) {
        let link = Link::parse(message)?;
        if link.name == name && found.replace(link.target?).is_some() {
            return None;
        }
    }
    found
}

struct Link<'m> {
    name: &'m [u8],
    /// The header that it leads to, if it is a hard link.
    target: Option<u64>,
}

impl<'m> Link<'m> {
    fn parse(message: &'m [u8]) -> Option<Self> {
        const HAS_ORDER: u8 = 4;
        const HAS_KIND: u8 = 8;
        const HAS_CHARACTERS: u8 = 0x10;
        let mut fields = Fields(message);
        fields.expect(&[1])?;
        let flags = fields.byte()?;
        if flags & !0x1f != 0 {
            return None;
        }
        let kind = if flags & HAS_KIND == 0 { 0 } else { fields.byte()? };
        if flags & HAS_ORDER != 0 {
            fields.take(8)?;
        }
        if flags & HAS_CHARACTERS != 0 {
            fields.byte()?;
        }
        let length = fields.number(1 << (flags & 3))?;
        let name = fields.take(usize::try_from(length).ok()?)?;
        let target = if kind == 0 { Some(fields.address()?) } else { None };
        Some(Self { name, target })
    }
}

/// The names of the members of a group of the old form.
struct Names(Vec<u8>);

impl Names {
    /// Reads them all, and checks what HDF5 would check: the list of the places that are free.
    fn read<F: ReadAt>(file: &mut FileBytes<'_, F>, superblock: &Superblock, heap: u64) -> Option<Self> {
        /// What stands for the end of the list.
        const NO_MORE: u64 = 1;
        let bytes = file.get(heap, 32)?;
        let mut fields = Fields(&bytes);
        fields.expect(b"HEAP\0\0\0\0")?;
        let (length, mut free, start) = (fields.address()?, fields.address()?, fields.address()?);
        if start.checked_add(length)? > superblock.end {
            return None;
        }
        let names = file.get(start, usize::try_from(length).ok()?)?;
        let (mut last_end, mut steps) = (None, 0);
        while free != NO_MORE {
            let mut fields = Fields(names.get(usize::try_from(free).ok()?..)?);
            let (next, size) = (fields.address()?, fields.address()?);
            let end = free.checked_add(size)?;
            if next == 0 || end > length || steps > MOST_FREE {
                return None;
            }
            last_end = last_end.max(Some(end));
            (free, steps) = (next, steps + 1);
        }
        // What is behind the last name is free, or there is nothing.
        last_end.is_none_or(|end| end == length).then_some(Self(names))
    }

    /// The name that begins there.
    fn at(&self, place: u64) -> Option<&[u8]> {
        let rest = self.0.get(usize::try_from(place).ok()?..)?;
        Some(&rest[..rest.iter().position(|byte| *byte == 0)?])
    }
}

/// Looks for a name in a group of the old form.
struct Search<'s> {
    names: Names,
    superblock: &'s Superblock,
    name: &'s [u8],
}

impl Search<'_> {
    fn in_tree<F: ReadAt>(&self, file: &mut FileBytes<'_, F>, tree: u64) -> Option<u64> {
        const PREFIX: usize = 24;
        let most = self.superblock.sizes.internal.checked_mul(2)?;
        let (mut address, mut expected) = (tree, None);
        loop {
            let bytes = self.piece(file, address, most.checked_mul(16)?.checked_add(PREFIX + 8)?)?;
            let mut fields = Fields(&bytes);
            fields.expect(b"TREE\0")?;
            let (level, count) = (fields.byte()?, fields.short()?);
            if level > DEEPEST || count > most || expected.is_some_and(|expected| level != expected) {
                return None;
            }
            // Those beside it.
            fields.take(16)?;
            let mut before = self.names.at(fields.address()?)?;
            let mut child = None;
            for _ in 0..count {
                let (candidate, last) = (fields.address()?, self.names.at(fields.address()?)?);
                if before >= last || candidate >= self.superblock.end {
                    return None;
                }
                // A child has the names behind the one before it, up to the one after it.
                if before < self.name && self.name <= last {
                    child = Some(candidate);
                }
                before = last;
            }
            let child = child?;
            if level == 0 {
                return self.in_leaf(file, child);
            }
            (address, expected) = (child, Some(level - 1));
        }
    }

    fn in_leaf<F: ReadAt>(&self, file: &mut FileBytes<'_, F>, leaf: u64) -> Option<u64> {
        const ENTRY: usize = 40;
        const NO_LINK: u64 = 1;
        const LINK: u64 = 2;
        let most = self.superblock.sizes.leaf.checked_mul(2)?;
        let bytes = self.piece(file, leaf, most.checked_mul(ENTRY)?.checked_add(8)?)?;
        let mut fields = Fields(&bytes);
        fields.expect(b"SNOD\x01\0")?;
        let count = fields.short()?;
        if count > most {
            return None;
        }
        let (mut found, mut before) = (None, None);
        for entry in fields.0.chunks_exact(ENTRY).take(count) {
            let mut fields = Fields(entry);
            let (name, header, kind) =
                (self.names.at(fields.address()?)?, fields.address()?, fields.number(4)?);
            if before.is_some_and(|before| before >= name) || kind > LINK {
                return None;
            }
            if name == self.name {
                found = (kind <= NO_LINK).then_some(header);
            }
            before = Some(name);
        }
        found
    }

    /// A piece of the file, which HDF5 reads as a whole.
    fn piece<F: ReadAt>(&self, file: &mut FileBytes<'_, F>, address: u64, length: usize) -> Option<Vec<u8>> {
        let end = address.checked_add(length as u64)?;
        if end <= self.superblock.end { file.get(address, length) } else { None }
    }
}
