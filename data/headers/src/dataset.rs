//! Datasets whose elements are in one piece of the file.

use store::ReadAt;

use crate::bytes::{Fields, FileBytes, UNDEFINED};
use crate::object::{Messages, kind};

/// HDF5's own limit.
const MOST_DIMENSIONS: u8 = 32;

/// Bytes up to the end of the size of an element.
const DATATYPE: usize = 8;

/// A contiguous dataset that has storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainDataset {
    /// Its extent, of at least one dimension.
    pub extent: Vec<u64>,
    /// How its datatype is stored. There may be up to seven zeros more behind it.
    pub datatype: Box<[u8]>,
    /// Where its elements are.
    pub offset: u64,
    /// How many bytes they have.
    pub length: u64,
}

impl PlainDataset {
    pub(crate) fn read<F: ReadAt>(file: &mut FileBytes<'_, F>, address: u64) -> Option<Self> {
        let messages = Messages::read(file, address)?;
        let odd = [kind::EXTERNAL_FILES, kind::FILTERS, kind::LINK, kind::LINK_INFO, kind::SYMBOL_TABLE];
        if odd.into_iter().any(|kind| messages.has(kind)) {
            return None;
        }
        let extent = extent(messages.only(kind::DATASPACE)?)?;
        let datatype = messages.only(kind::DATATYPE)?;
        let element = Fields(datatype.get(4..DATATYPE)?).number(4)?;
        if messages.has(kind::FILL) {
            check_fill(messages.only(kind::FILL)?)?;
        }
        let (offset, length) = place(messages.only(kind::LAYOUT)?)?;
        let elements = extent.iter().try_fold(1_u64, |product, dim| product.checked_mul(*dim))?;
        let is_plain = offset != UNDEFINED && length > 0 && elements.checked_mul(element)? == length;
        is_plain.then(|| Self { extent, datatype: datatype.into(), offset, length })
    }
}

/// How the datatype of a dataset is stored.
pub(crate) fn datatype<F: ReadAt>(file: &mut FileBytes<'_, F>, address: u64) -> Option<Box<[u8]>> {
    let messages = Messages::read(file, address)?;
    let datatype = messages.only(kind::DATATYPE)?;
    (datatype.len() >= DATATYPE).then(|| datatype.into())
}

/// Fails if HDF5 would not understand the message that describes the fill value. Nothing is filled here.
fn check_fill(message: &[u8]) -> Option<()> {
    const IS_UNDEFINED: u8 = 0x10;
    const IS_DEFINED: u8 = 0x20;
    const LAST_TIME_TO_ALLOCATE: u8 = 3;
    const LAST_TIME_TO_WRITE: u8 = 2;
    let mut fields = Fields(message);
    let version = fields.byte()?;
    let (allocated, written, has_value) = match version {
        1 | 2 => {
            let (allocated, written, defined) = (fields.byte()?, fields.byte()?, fields.byte()?);
            (allocated, written, version == 1 || defined != 0)
        }
        3 => {
            let flags = fields.byte()?;
            if flags & 0xc0 != 0 || flags & (IS_UNDEFINED | IS_DEFINED) == IS_UNDEFINED | IS_DEFINED {
                return None;
            }
            (flags & 3, flags >> 2 & 3, flags & IS_DEFINED != 0)
        }
        _ => return None,
    };
    if allocated > LAST_TIME_TO_ALLOCATE || written > LAST_TIME_TO_WRITE {
        return None;
    }
    if has_value {
        let length = fields.number(4)?;
        // A negative number stands for none.
        if length <= u64::from(i32::MAX.unsigned_abs()) {
            fields.take(usize::try_from(length).ok()?)?;
        }
    }
    Some(())
}

/// The extent that a message describes.
fn extent(message: &[u8]) -> Option<Vec<u64>> {
    const HAS_LIMITS: u8 = 1;
    const SIMPLE: u8 = 1;
    let mut fields = Fields(message);
    let (version, rank, flags) = (fields.byte()?, fields.byte()?, fields.byte()?);
    match version {
        1 => {
            fields.take(5)?;
        }
        2 if fields.byte()? == SIMPLE => {}
        _ => return None,
    }
    if rank == 0 || rank > MOST_DIMENSIONS || flags & !HAS_LIMITS != 0 {
        return None;
    }
    let dims: Vec<u64> = (0..rank).map(|_| fields.address()).collect::<Option<_>>()?;
    if flags & HAS_LIMITS != 0 {
        for dim in &dims {
            if fields.address()? < *dim {
                return None;
            }
        }
    }
    Some(dims)
}

/// Where a contiguous dataset is, and how many bytes it has.
fn place(message: &[u8]) -> Option<(u64, u64)> {
    const CONTIGUOUS: u8 = 1;
    let mut fields = Fields(message);
    let version = fields.byte()?;
    fields.expect(&[CONTIGUOUS])?;
    matches!(version, 3 | 4).then_some((fields.address()?, fields.address()?))
}
