//! Reads or writes of many datasets in one call.

use std::rc::Rc;

use anyhow::Result;
use h5_client::MultiTransfer;

use super::{Buffer, Call, Library};

/// The arguments of an `H5Dread_multi` or `H5Dwrite_multi`.
pub(crate) struct Multi {
    transfers: MultiTransfer,
    buffer: Rc<Buffer>,
    /// The datasets, so that they stay open.
    _calls: Vec<Call>,
}

impl Multi {
    /// All these at once.
    pub(crate) fn new(library: &'static Library, buffer: &Rc<Buffer>, calls: Vec<Call>) -> Result<Self> {
        let parts = calls.iter().map(|call| Ok((call.prepared(buffer)?, call.at)));
        let transfers = MultiTransfer::new(&library.h5, parts.collect::<Result<_>>()?)?;
        Ok(Self { transfers, buffer: Rc::clone(buffer), _calls: calls })
    }

    /// Makes this many calls of `H5Dread_multi`.
    pub(crate) fn read(&self, times: u32) -> Result<()> {
        Ok(self.transfers.read(&mut self.buffer.bytes_mut()?, times)?)
    }

    /// `H5Dwrite_multi`.
    pub(crate) fn write(&self) -> Result<()> {
        Ok(self.transfers.write(&self.buffer.bytes()?)?)
    }
}
