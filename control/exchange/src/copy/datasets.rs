//! Makes a dataset of the target, and decides how its elements get there.

use std::ffi::CStr;

use h5_abi::{H5D_CHUNKED, H5D_CONTIGUOUS, H5D_VIRTUAL};
use h5_client::{Dataset, DatasetCreation, Dataspace, LinkCreation, Making as _};

use super::attributes::Owner;
use super::plan::Way;
use super::references::{Pending, Source, What};
use super::{Changes, Copying};
use crate::error::{At as _, Result};

/// Filters are put only on datasets of at least so many bytes.
const LEAST: u64 = 1024;
/// Bytes of a chunk, if we choose its shape.
const CHUNK: u64 = 1 << 20;

/// How a dataset is copied, and how it will be stored.
pub(super) struct Recipe {
    pub(super) way: Way,
    pub(super) creation: DatasetCreation,
    /// Bytes of elements.
    pub(super) bytes: u64,
}

impl Copying<'_> {
    /// Makes a dataset and copies its elements, except for references.
    pub(super) fn dataset(
        &mut self,
        path: &CStr,
        source: &Dataset,
        target: &CStr,
        link: &LinkCreation,
    ) -> Result<Dataset> {
        let from = || self.source.shown(path);
        let recipe = recipe(source, self.changes, (self.source.is_plain, self.is_plain_target)).at(from)?;
        let (space, kind) = (source.space().at(from)?, source.datatype().at(from)?);
        let datatype = self.datatype(&kind, path)?;
        let made = self.target.make_dataset(target, link, (&datatype, &space), &recipe.creation);
        let made = made.at(|| self.target_shown(target))?;
        self.summary.datasets += 1;
        self.summary.bytes = self.summary.bytes.saturating_add(recipe.bytes);
        match recipe.way {
            Way::Nothing => {}
            Way::Stored => self.chunks(path, source, target, &made)?,
            Way::Elements | Way::Encoded => {
                let description = kind.describe().at(|| self.source.shown(path))?;
                if self.leaves_null(&description) {
                    // The elements of a new dataset lead nowhere.
                } else if description.has_references() {
                    self.pending.push_back(Pending {
                        source: Source::Path(path.to_owned()),
                        owner: Owner::Path(target.to_owned()),
                        what: What::Elements,
                    });
                } else {
                    self.elements(path, source, target, &made)?;
                }
            }
        }
        Ok(made)
    }
}

/// Decides how a dataset is copied from one kind of file to another.
pub(super) fn recipe(
    source: &Dataset,
    changes: &Changes,
    (is_plain_source, is_plain_target): (bool, bool),
) -> h5_client::Result<Recipe> {
    let (space, creation) = (source.space()?, source.creation()?);
    let description = source.datatype()?.describe()?;
    let elements = if space.is_null()? { 0 } else { product(&space.dimensions()?) };
    let bytes = elements.saturating_mul(description.size as u64);
    let layout = creation.layout()?;
    let is_elsewhere = layout == H5D_VIRTUAL || creation.external_files()? > 0;
    let mut new = changed(&creation, changes, &space, bytes)?;
    if new.is_none() && is_elsewhere && !is_plain_target {
        new = Some(plain_creation(&creation, source)?);
    }
    let way = match &new {
        _ if space.is_null()? || elements == 0 => Way::Nothing,
        // What is outside of the file stays there.
        None if is_elsewhere => Way::Nothing,
        None if is_plain_source && is_plain_target && layout == H5D_CHUNKED && description.is_plain() => {
            if changes.again && can_be_read(source, &space) {
                Way::Encoded
            } else {
                Way::Stored
            }
        }
        None => Way::Elements,
        Some(_) => Way::Encoded,
    };
    Ok(Recipe { way, creation: new.unwrap_or(creation), bytes })
}

/// Whether the filters of a dataset are there: the first element can be read.
fn can_be_read(source: &Dataset, space: &Dataspace) -> bool {
    let first = || -> h5_client::Result<()> {
        let Some(chunk) = source.chunks()?.into_iter().next() else { return Ok(()) };
        let datatype = source.datatype()?.copy()?;
        let mut file = space.copy()?;
        file.select(&h5_client::Hyperslab::new(&chunk.place, &vec![1; chunk.place.len()]))?;
        source.read_elements(&datatype, Some(&file)).map(|_| ())
    };
    first().is_ok()
}

fn product(lengths: &[u64]) -> u64 {
    lengths.iter().fold(1_u64, |all, length| all.saturating_mul(*length))
}

/// The creation list with the changes that concern this dataset; nothing if none does.
fn changed(
    creation: &DatasetCreation,
    changes: &Changes,
    space: &Dataspace,
    bytes: u64,
) -> h5_client::Result<Option<DatasetCreation>> {
    let is_virtual = creation.layout()? == H5D_VIRTUAL;
    if space.is_null()?
        || space.rank()? == 0
        || is_virtual
        || (changes.filters.is_none() && changes.chunk.is_none())
    {
        return Ok(None);
    }
    let (dimensions, most) = space.extents()?;
    let old = creation.chunk()?;
    let wanted = changes.chunk.as_ref().filter(|chunk| chunk.len() == dimensions.len()).map(|chunk| {
        let each = chunk.iter().zip(&dimensions).zip(&most);
        // A chunk must not be larger than a dimension that cannot grow.
        each.map(|((chunk, now), most)| if now == most { (*chunk).min(*now).max(1) } else { *chunk })
            .collect()
    });
    let filters = changes.filters.as_ref().filter(|_| bytes >= LEAST);
    let is_new_chunk = wanted.is_some() && wanted != old;
    let mut old_filters = creation.filters()?;
    for filter in &mut old_filters {
        filter.name.clear();
    }
    let is_new_filter = filters.is_some_and(|filters| *filters != old_filters);
    if !is_new_chunk && !is_new_filter {
        return Ok(None);
    }
    let mut new = creation.copy()?;
    let chunk: Option<Vec<u64>> = wanted.or(old).or_else(|| {
        let is_needed = filters.is_some_and(|filters| !filters.is_empty());
        is_needed.then(|| chosen_chunk(&dimensions, bytes))
    });
    let Some(chunk) = chunk else { return Ok(None) };
    if creation.external_files()? > 0 {
        new = DatasetCreation::new(space.session(), None, &[])?;
    }
    new.set_chunk(&chunk)?;
    if let Some(filters) = filters {
        new.set_filters(filters)?;
    }
    Ok(Some(new))
}

/// Chunks of about a mebibyte, whole rows as far as possible.
fn chosen_chunk(dimensions: &[u64], bytes: u64) -> Vec<u64> {
    let element = (bytes / product(dimensions).max(1)).max(1);
    let mut chunk: Vec<u64> = dimensions.iter().map(|length| (*length).max(1)).collect();
    for place in 0..chunk.len() {
        let all = product(&chunk).saturating_mul(element);
        if all > CHUNK {
            chunk[place] = (chunk[place] / all.div_ceil(CHUNK)).max(1);
        }
    }
    chunk
}

/// How a dataset is stored whose elements are elsewhere, when they are not any more.
fn plain_creation(creation: &DatasetCreation, source: &Dataset) -> h5_client::Result<DatasetCreation> {
    let mut new = DatasetCreation::new(source.session(), None, &[])?;
    let datatype = source.datatype()?.copy()?;
    if let h5_client::FillValue::Bytes(value) = creation.fill_value(&datatype)? {
        new.set_fill_value(&datatype, &value)?;
    }
    let (dimensions, most) = source.space()?.extents()?;
    if dimensions == most {
        new.set_layout(H5D_CONTIGUOUS)?;
    } else {
        let size = datatype.size()? as u64;
        new.set_chunk(&chosen_chunk(&dimensions, product(&dimensions).saturating_mul(size)))?;
    }
    Ok(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chosen_chunks_have_about_a_mebibyte() {
        assert_eq!(chosen_chunk(&[10, 10], 800), [10, 10]);
        assert_eq!(chosen_chunk(&[4096, 4096], 4096 * 4096 * 8), [32, 4096]);
        assert_eq!(chosen_chunk(&[2, 1 << 30], 1 << 34), [1, 1 << 17]);
        assert_eq!(chosen_chunk(&[0, 5], 0), [1, 5]);
    }
}
