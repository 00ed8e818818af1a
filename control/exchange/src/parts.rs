//! Reads and writes parts of datasets.

use h5_client::{Dataset, Dataspace, Datatype, Failure, Hyperslab};

use crate::blocks::Block;

/// The dataset's extent with a part selected; nothing for a scalar.
pub(crate) fn selected(dataset: &Dataset, block: &Block) -> h5_client::Result<Option<Dataspace>> {
    if block.start.is_empty() {
        return Ok(None);
    }
    let mut space = dataset.space()?;
    space.select(&Hyperslab::new(&block.start, &block.count))?;
    Ok(Some(space))
}

/// Reads a part as elements of this type.
pub(crate) fn read(dataset: &Dataset, datatype: &Datatype, block: &Block) -> h5_client::Result<Vec<u8>> {
    let elements = block.elements();
    let size = datatype.size()?;
    let length = usize::try_from(elements).ok().and_then(|count| count.checked_mul(size));
    let mut buffer = vec![0_u8; length.ok_or_else(|| Failure::refused("a part is too large"))?];
    match selected(dataset, block)? {
        None => dataset.read(datatype, &mut buffer)?,
        Some(file) => {
            let memory = Dataspace::simple(dataset.session(), &[elements])?;
            dataset.read_part(datatype, Some(&memory), Some(&file), &mut buffer)?;
        }
    }
    Ok(buffer)
}

/// Writes a part from elements of this type.
pub(crate) fn write(
    dataset: &Dataset,
    datatype: &Datatype,
    block: &Block,
    buffer: &[u8],
) -> h5_client::Result<()> {
    match selected(dataset, block)? {
        None => dataset.write(datatype, buffer),
        Some(file) => {
            let memory = Dataspace::simple(dataset.session(), &[block.elements()])?;
            dataset.write_part(datatype, Some(&memory), Some(&file), buffer)
        }
    }
}
