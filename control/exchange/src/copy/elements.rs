//! Copies elements part by part, as they are stored in memory.

use std::collections::BTreeSet;
use std::ffi::CStr;

use h5_abi::{H5D_CHUNKED, H5D_VIRTUAL};
use h5_client::{Dataset, Failure};

use super::Copying;
use crate::blocks::{Block, Blocks};
use crate::error::{At as _, Result};
use crate::parts::{read, selected, write};

/// Bytes of a part in memory.
const MOST_BYTES: u64 = 32 << 20;
/// Elements of a part, if each may lead to any amount of memory.
pub(super) const MOST_VALUES: u64 = 1 << 14;

/// Parts of a dataset, if all of them must be read.
const MOST_PARTS: u64 = 1 << 22;

impl Copying<'_> {
    /// Copies all elements that are there. The connectors decode and encode them on all cores.
    pub(super) fn elements(
        &mut self,
        path: &CStr,
        source: &Dataset,
        target_path: &CStr,
        target: &Dataset,
    ) -> Result<()> {
        let from = || self.source.shown(path);
        let datatype = source.datatype().and_then(|kind| kind.copy()).at(from)?;
        let (size, is_plain) = (datatype.size().at(from)? as u64, datatype.is_plain().at(from)?);
        let most = if is_plain { MOST_BYTES / size.max(1) } else { MOST_VALUES };
        for block in blocks_of(source, target, most, self.source.is_plain).at(from)? {
            self.check_stopped()?;
            if is_plain {
                let buffer = read(source, &datatype, &block).at(|| self.source.shown(path))?;
                write(target, &datatype, &block, &buffer).at(|| self.target_shown(target_path))?;
            } else {
                let selection = selected(source, &block).at(|| self.source.shown(path))?;
                let elements = source.read_elements(&datatype, selection.as_ref());
                let elements = elements.at(|| self.source.shown(path))?;
                let written = selected(target, &block)
                    .and_then(|selection| target.write_elements(&elements, selection.as_ref()));
                written.at(|| self.target_shown(target_path))?;
            }
            self.progress.moved(block.elements().saturating_mul(size));
        }
        Ok(())
    }
}

/// The parts that have elements: those that were never written are left out, where that can be told. Each is made of whole chunks of the
/// target, if it has chunks.
pub(super) fn blocks_of(
    source: &Dataset,
    target: &Dataset,
    most: u64,
    is_plain_source: bool,
) -> h5_client::Result<Vec<Block>> {
    let extent = source.space()?.dimensions()?;
    let (creation, chunk) = (source.creation()?, target.creation()?.chunk()?);
    let blocks = Blocks::new(&extent, chunk.as_deref(), most);
    let layout = creation.layout()?;
    if layout == H5D_CHUNKED {
        match source.chunks() {
            Ok(chunks) => {
                let shape = creation.chunk()?.unwrap_or_default();
                let touched = chunks.iter().flat_map(|chunk| blocks.touched(&chunk.place, &shape));
                let touched: BTreeSet<_> = touched.collect();
                return Ok(touched.iter().map(|index| blocks.at(index)).collect());
            }
            Err(failure) if is_plain_source => return Err(failure),
            // A connector that does not tell of chunks.
            Err(_) => {}
        }
    }
    let is_elsewhere = layout == H5D_VIRTUAL || creation.external_files()? > 0;
    if is_plain_source && !is_elsewhere && source.storage_size()? == 0 {
        return Ok(Vec::new());
    }
    if blocks.number() > MOST_PARTS {
        return Err(Failure::refused(
            "it is too large, and its connector does not tell what of it was written",
        ));
    }
    Ok(blocks.all().collect())
}
