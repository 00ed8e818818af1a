//! Compares the elements of two datasets, part by part, on all cores.

use std::collections::BTreeSet;
use std::ffi::CStr;
use std::num::NonZeroUsize;

use h5_client::{Dataset, Description, Value};

use super::Comparison;
use super::leads::Both;
use super::report::{Difference, ElementDifference, Kind};
use super::stored::{self, Stored};
use crate::blocks::{Block, Blocks, coordinates};
use crate::error::{At as _, Result};
use crate::parts::{read, selected};
use crate::values::{BytesComparer, Comparer};
use crate::{shown, types};

/// Bytes of a part of one dataset in memory.
const MOST_BYTES: u64 = 24 << 20;
/// Elements of a part, if each may lead to any amount of memory.
const MOST_VALUES: u64 = 1 << 14;

impl Comparison<'_> {
    /// Compares all elements. The extents are the same.
    pub(super) fn elements(
        &mut self,
        path: &CStr,
        a: (&Dataset, &Description),
        b: (&Dataset, &Description),
        extent: &[u64],
    ) -> Result<()> {
        let places = (self.a.shown(path), self.b.shown(path));
        let elements = extent.iter().fold(1_u64, |all, length| all.saturating_mul(*length));
        let bytes = elements.saturating_mul(a.1.size as u64);
        self.report.statistics.bytes += bytes;
        let is_plain = a.1.is_plain() && b.1.is_plain();
        let most = if is_plain { MOST_BYTES / (a.1.size.max(b.1.size).max(1) as u64) } else { MOST_VALUES };
        let chunk = a.0.creation().and_then(|creation| creation.chunk()).at(|| places.0.clone())?;
        let blocks = Blocks::new(extent, chunk.as_deref(), most);
        let comparable = is_plain && types::normal(a.1) == types::normal(b.1);
        let plan = if comparable { self.stored(a.0, b.0, extent)? } else { Stored::Unknown };
        let mut found = Difference::new(Kind::Value, None, None);
        let mut one = |this: &mut Self, block: &Block| {
            this.check_stopped()?;
            this.block(&places, a, b, block, &mut found)?;
            this.progress.moved(block.elements().saturating_mul(a.1.size as u64));
            Ok(this.options.first_only && found.count.is_some())
        };
        match plan {
            Stored::Equal => self.progress.moved(bytes),
            Stored::Unknown => {
                for block in blocks.all() {
                    if one(self, &block)? {
                        break;
                    }
                }
            }
            Stored::Differ(chunks) => {
                let chunk = chunk.unwrap_or_default();
                let touched: BTreeSet<_> =
                    chunks.iter().flat_map(|place| blocks.touched(place, &chunk)).collect();
                for index in &touched {
                    if one(self, &blocks.at(index))? {
                        break;
                    }
                }
            }
        }
        if found.count.is_some() {
            self.found(path, None, found);
        }
        Ok(())
    }

    /// What can be told without decoding anything.
    fn stored(&mut self, a: &Dataset, b: &Dataset, extent: &[u64]) -> Result<Stored> {
        let (stored, chunks) = stored::compare((self.a, a), (self.b, b), extent)?;
        self.report.statistics.chunks_equal_as_stored += chunks;
        Ok(stored)
    }

    fn block(
        &mut self,
        places: &(String, String),
        a: (&Dataset, &Description),
        b: (&Dataset, &Description),
        block: &Block,
        found: &mut Difference,
    ) -> Result<()> {
        let size = a.1.size as u64;
        self.report.statistics.bytes_read += block.elements().saturating_mul(size);
        if a.1.is_plain() && b.1.is_plain() {
            let (first, second) = (
                read_plain(a.0, block).at(|| places.0.clone())?,
                read_plain(b.0, block).at(|| places.1.clone())?,
            );
            self.plain((a.1, &first), (b.1, &second), block, found);
            return Ok(());
        }
        let first = read_values(a.0, block).at(|| places.0.clone())?;
        let second = read_values(b.0, block).at(|| places.1.clone())?;
        self.values((a.1, &first), (b.1, &second), block, found);
        Ok(())
    }

    /// Compares elements that are nothing but bytes, on all cores.
    fn plain(
        &self,
        (first, a): (&Description, &[u8]),
        (second, b): (&Description, &[u8]),
        block: &Block,
        found: &mut Difference,
    ) {
        let is_same_type = first == second;
        let (one, other) = (first.size.max(1), second.size.max(1));
        let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let each = (a.len() / one).div_ceil(threads).max(1);
        let comparer = BytesComparer { tolerance: &self.options.tolerance };
        let most = self.options.most_elements.saturating_sub(found.elements.len());
        let part = |a: &[u8], b: &[u8], before: usize| {
            let (mut count, mut listed) = (0_u64, Vec::new());
            if is_same_type && a == b {
                return (count, listed);
            }
            for (number, (a, b)) in a.chunks_exact(one).zip(b.chunks_exact(other)).enumerate() {
                let is_equal = (is_same_type && a == b) || comparer.plain((first, a), (second, b));
                if !is_equal {
                    count += 1;
                    if listed.len() < most {
                        listed.push(ElementDifference {
                            index: coordinates(block, (before + number) as u64),
                            a: shown::plain(first, a),
                            b: shown::plain(second, b),
                        });
                    }
                }
            }
            (count, listed)
        };
        let results: Vec<_> = std::thread::scope(|scope| {
            let parts = a.chunks(each * one).zip(b.chunks(each * other)).enumerate();
            let threads: Vec<_> = parts
                .map(|(number, (a, b))| {
                    scope.spawn({
                        let part = &part;
                        move || part(a, b, number * each)
                    })
                })
                .collect();
            threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
        });
        for (count, listed) in results {
            self.note(found, count, listed);
        }
    }

    /// Compares elements of any type.
    pub(super) fn values(
        &self,
        (first, a): (&Description, &[Value]),
        (second, b): (&Description, &[Value]),
        block: &Block,
        found: &mut Difference,
    ) {
        let leads = Both(&self.names.0, &self.names.1);
        let comparer =
            Comparer { bytes: BytesComparer { tolerance: &self.options.tolerance }, leads: &leads };
        for (number, (a, b)) in a.iter().zip(b).enumerate() {
            if !comparer.values((first, a), (second, b)) {
                let listed = ElementDifference {
                    index: coordinates(block, number as u64),
                    a: shown::value(first, a, &|target| self.names.0.shown(target)),
                    b: shown::value(second, b, &|target| self.names.1.shown(target)),
                };
                self.note(found, 1, vec![listed]);
            }
        }
    }

    fn note(&self, found: &mut Difference, count: u64, listed: Vec<ElementDifference>) {
        if count > 0 {
            found.count = Some(found.count.unwrap_or(0) + count);
            let room = self.options.most_elements.saturating_sub(found.elements.len());
            found.elements.extend(listed.into_iter().take(room));
        }
    }
}

/// Reads a block as it is stored, without a conversion.
fn read_plain(dataset: &Dataset, block: &Block) -> h5_client::Result<Vec<u8>> {
    read(dataset, &dataset.datatype()?.copy()?, block)
}

fn read_values(dataset: &Dataset, block: &Block) -> h5_client::Result<Vec<Value>> {
    let datatype = dataset.datatype()?.copy()?;
    let mut elements = dataset.read_elements(&datatype, selected(dataset, block)?.as_ref())?;
    elements.values(dataset)
}
