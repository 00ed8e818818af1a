//! The application's memory.

use core::cell::{Ref, RefCell, RefMut};

use anyhow::{Context, Result};

/// Bytes of a page.
pub(crate) const PAGE: usize = 4096;

/// Memory that begins at a given offset in a page. All its pages are resident.
pub(crate) struct Buffer {
    whole: RefCell<Vec<u8>>,
    skip: usize,
    length: usize,
}

impl Buffer {
    /// Allocates this many bytes, the first of them at `page_offset` of its page.
    pub(crate) fn new(length: usize, page_offset: usize) -> Self {
        let whole = vec![1; length + 2 * PAGE];
        let skip = whole.as_ptr().align_offset(PAGE) + page_offset % PAGE;
        Self { whole: RefCell::new(whole), skip, length }
    }

    /// Its length.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Its bytes.
    pub(crate) fn bytes(&self) -> Result<Ref<'_, [u8]>> {
        let whole = self.whole.try_borrow().context("memory is in use twice")?;
        Ok(Ref::map(whole, |whole| &whole[self.skip..][..self.length]))
    }

    /// Its bytes, for writing.
    pub(crate) fn bytes_mut(&self) -> Result<RefMut<'_, [u8]>> {
        let whole = self.whole.try_borrow_mut().context("memory is in use twice")?;
        Ok(RefMut::map(whole, |whole| &mut whole[self.skip..][..self.length]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begins_where_it_is_asked_to() {
        for page_offset in [0, 16, 4095, 4096, 5000] {
            let buffer = Buffer::new(10_000, page_offset);
            let bytes = buffer.bytes().unwrap();
            assert_eq!(bytes.as_ptr().addr() % PAGE, page_offset % PAGE);
            assert_eq!(bytes.len(), buffer.len());
        }
    }

    #[test]
    fn is_not_written_to_while_it_is_looked_at() {
        let buffer = Buffer::new(1, 0);
        let bytes = buffer.bytes().unwrap();
        assert!(buffer.bytes_mut().is_err());
        drop(bytes);
        assert!(buffer.bytes_mut().is_ok());
    }
}
