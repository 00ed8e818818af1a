//! Names of dimensions: HDF5's dimension scales and labels as Zarr's `dimension_names`, by which xarray finds coordinates.

use h5_shadow::spec::{AttributeSpec, Cell, Description, Thing, Values};

use crate::cells::PathOf;
use crate::tree::Key;

/// The names of a dataset's dimensions, as far as its attributes tell any. `path` is its own.
///
/// A dimension is called like the first scale that is attached to it, or by its label. A scale of one dimension is called like
/// itself.
pub(crate) fn names(
    description: &Description<Key>,
    path: &str,
    path_of: PathOf<'_>,
) -> Option<Vec<Option<String>>> {
    let Thing::Dataset(dataset) = &description.thing else { return None };
    let rank = dataset.space.dims().map_or(0, <[u64]>::len);
    let attribute = |name: &str| description.attributes.iter().find(|attribute| attribute.name == name);
    let scales = attribute("DIMENSION_LIST").map(|list| scales(list, path_of));
    let labels = attribute("DIMENSION_LABELS").map(texts);
    let is_scale =
        attribute("CLASS").map(texts).is_some_and(|class| class == [Some("DIMENSION_SCALE".to_owned())]);
    let own = (is_scale && rank == 1).then(|| last(path));
    let name = |dimension: usize| {
        let of = |names: &Option<Vec<Option<String>>>| names.as_ref()?.get(dimension)?.clone();
        of(&scales).or_else(|| of(&labels)).or_else(|| own.clone())
    };
    let names: Vec<_> = (0..rank).map(name).collect();
    names.iter().any(Option::is_some).then_some(names)
}

/// The name of the first scale of each dimension.
fn scales(list: &AttributeSpec<Key>, path_of: PathOf<'_>) -> Vec<Option<String>> {
    let Values::Cells(dimensions) = &list.values else { return Vec::new() };
    let first = |dimension: &Cell<Key>| match dimension {
        Cell::List(scales) => match scales.first() {
            Some(Cell::Object(Some(key))) => path_of(*key).map(|path| last(&path)),
            _ => None,
        },
        _ => None,
    };
    dimensions.iter().map(first).collect()
}

/// The texts of an attribute, without empty ones.
fn texts(attribute: &AttributeSpec<Key>) -> Vec<Option<String>> {
    let text = |bytes: &[u8]| {
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        let text = String::from_utf8_lossy(&bytes[..end]).into_owned();
        (!text.is_empty()).then_some(text)
    };
    match &attribute.values {
        Values::Cells(cells) => cells
            .iter()
            .map(|cell| match cell {
                Cell::Text(Some(bytes)) => text(bytes),
                _ => None,
            })
            .collect(),
        Values::Plain(bytes) => match &attribute.datatype.structure {
            Some(structure) if structure.size > 0 => bytes.chunks_exact(structure.size).map(text).collect(),
            _ => Vec::new(),
        },
    }
}

/// The last part of a path.
fn last(path: &str) -> String {
    path.rsplit('/').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use convert::{Class, Datatype};
    use h5_shadow::spec::{DatasetSpec, Layout, Orders, SpaceSpec, Storage, TypeSpec};

    use super::*;
    use crate::type_words::text_class;

    fn described(rank: usize, attributes: Vec<AttributeSpec<Key>>) -> Description<Key> {
        let dims = vec![3; rank];
        let dataset = DatasetSpec {
            datatype: TypeSpec::of_structure(Datatype { size: 1, class: Class::Opaque(String::new()) }),
            space: SpaceSpec::Simple { maximum: dims.iter().copied().map(Some).collect(), dims },
            layout: Layout::Contiguous,
            orders: Orders::default(),
            allocation: None,
            fill_time: None,
            chunks: None,
            filters: Vec::new(),
            fill: None,
            storage: Storage::Chunks,
            elsewhere: None,
            creation: None,
        };
        Description { thing: Thing::Dataset(dataset), attributes }
    }

    fn attribute(name: &str, cells: Vec<Cell<Key>>) -> AttributeSpec<Key> {
        AttributeSpec {
            name: name.to_owned(),
            datatype: TypeSpec::of_structure(Datatype { size: 8, class: text_class(1) }),
            space: SpaceSpec::Scalar,
            values: Values::Cells(cells),
        }
    }

    fn text(text: &str) -> Cell<Key> {
        Cell::Text(Some(text.as_bytes().to_vec()))
    }

    #[test]
    fn scales_come_before_labels() {
        let scale = crate::tree::ROOT;
        let list =
            vec![Cell::List(vec![Cell::Object(Some(scale))]), Cell::List(Vec::new()), Cell::List(Vec::new())];
        let labels = vec![text("label"), text("other"), text("")];
        let attributes = vec![attribute("DIMENSION_LIST", list), attribute("DIMENSION_LABELS", labels)];
        let found = names(&described(3, attributes), "/g/d", &|_| Some("/g/time".to_owned())).unwrap();
        assert_eq!(found, [Some("time".to_owned()), Some("other".to_owned()), None]);
    }

    #[test]
    fn a_scale_is_called_like_itself() {
        let class = || vec![attribute("CLASS", vec![text("DIMENSION_SCALE")])];
        assert_eq!(names(&described(1, class()), "/g/x", &|_| None), Some(vec![Some("x".to_owned())]));
        assert_eq!(names(&described(2, class()), "/g/x", &|_| None), None);
        assert_eq!(names(&described(1, Vec::new()), "/g/x", &|_| None), None);
    }
}
