//! Between datasets and arrays.

use convert::{Class, Datatype, VariableForm};
use h5_shadow::spec::{Cell, DatasetSpec, Layout, Orders, SpaceSpec, Storage, TypeSpec};
use h5_shadow::{Failure, Outcome};
use serde_json::{Map, Value, json};
use zarr::{ArrayMetadata, BytesSpelling, DataType, FillValue, Order};

use crate::attributes::{OURS, type_from_json, type_to_json};
use crate::cells::{KeyOf, PathOf};
use crate::data_types::{from_zarr, to_zarr};
use crate::filters;
use crate::regions;
use crate::settings::ZarrSettings;
use crate::tree::Key;

/// HDF5's number of the class of references.
const REFERENCE: i32 = 7;

/// How elements are stored that lead to something outside of themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueForm {
    /// Texts.
    Text,
    /// Sequences of elements that are plain bytes.
    Sequence,
    /// Paths of objects that references lead to.
    Path,
    /// Anything else: each element is JSON.
    Json,
}

impl ValueForm {
    /// The form for a datatype.
    pub(crate) fn of(datatype: Option<&Datatype>) -> Self {
        match datatype.map(|datatype| &datatype.class) {
            Some(Class::Variable(variable)) => match variable.form {
                VariableForm::Text { .. } => Self::Text,
                VariableForm::Sequence if is_plain(&variable.element) => Self::Sequence,
                VariableForm::Sequence => Self::Json,
            },
            Some(Class::Other(REFERENCE)) if datatype.is_some_and(|datatype| datatype.size == 8) => {
                Self::Path
            }
            _ => Self::Json,
        }
    }

    fn data_type(self) -> DataType {
        match self {
            Self::Text | Self::Path | Self::Json => DataType::String,
            Self::Sequence => DataType::Bytes(BytesSpelling::VariableLengthBytes),
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Sequence => "sequence",
            Self::Path => "path",
            Self::Json => "json",
        }
    }

    fn of_word(word: &str) -> Option<Self> {
        [Self::Text, Self::Sequence, Self::Path, Self::Json].into_iter().find(|form| form.word() == word)
    }
}

/// Whether elements are nothing but their own bytes.
fn is_plain(datatype: &Datatype) -> bool {
    match &datatype.class {
        Class::Variable(_) | Class::Other(_) => false,
        Class::Compound(members) => members.iter().all(|member| is_plain(&member.datatype)),
        Class::Array { element, .. } => is_plain(element),
        _ => true,
    }
}

/// The array of a dataset, without its attributes, and our key. `before` is what is stored of it now.
pub(crate) fn to_array(
    dataset: &DatasetSpec<Key>,
    values: Option<&[Cell<Key>]>,
    before: Option<ArrayMetadata>,
    settings: &ZarrSettings,
    path_of: PathOf<'_>,
) -> Outcome<(ArrayMetadata, Map<String, Value>)> {
    let structure = dataset.datatype.structure.as_ref();
    let shape = dataset.space.dims().unwrap_or(&[0]).to_vec();
    let chunk: Vec<u64> = match &dataset.chunks {
        Some(chunk) => chunk.clone(),
        None => shape.iter().map(|size| (*size).max(1)).collect(),
    };
    // Zarr's texts are UTF-8. Who has others keeps them as something else.
    let is_text =
        |cell: &Cell<Key>| !matches!(cell, Cell::Text(Some(text)) if core::str::from_utf8(text).is_err());
    let form =
        (dataset.storage == Storage::Values).then(|| match (ValueForm::of(structure), values, &before) {
            (ValueForm::Text, Some(values), _) if !values.iter().all(is_text) => ValueForm::Json,
            (_, None, Some(before)) => value_form(before),
            (form, _, _) => form,
        });
    let (data_type, order) = match (form, structure) {
        (Some(form), Some(_)) => (form.data_type(), Order::Little),
        (None, Some(structure)) => to_zarr(structure, settings.structs),
        (_, None) => {
            return Err(Failure::new("a datatype of HDF5 that has no description cannot be kept in Zarr"));
        }
    };
    let mut array = match before {
        Some(before) if before.data_type == data_type && before.chunk_shape == chunk => {
            let mut array = before;
            array.shape = shape;
            array
        }
        _ => {
            let mut array = ArrayMetadata::new(&shape, data_type.clone(), &chunk);
            let element = data_type.size().unwrap_or(1);
            array.codecs = vec![filters::first_codec(&data_type, order)];
            array.codecs.extend(filters::to_codecs(&dataset.filters, element, settings.unknown_filters)?);
            if let Some(fill) = &dataset.fill {
                let mut fill = fill.clone();
                if order == Order::Big {
                    data_type.swap_order(&mut fill);
                }
                array.fill_value = FillValue::Bytes(fill);
            }
            array
        }
    };
    array.attributes = Map::new();
    let ours = ours(dataset, &array, order, form, path_of);
    Ok((array, ours))
}

/// What HDF5 has beyond Zarr.
fn ours(
    dataset: &DatasetSpec<Key>,
    array: &ArrayMetadata,
    order: Order,
    form: Option<ValueForm>,
    path_of: PathOf<'_>,
) -> Map<String, Value> {
    let mut ours = Map::new();
    if dataset.datatype.committed.is_some()
        || from_zarr(&array.data_type, order) != dataset.datatype.structure
    {
        ours.insert("type".to_owned(), type_to_json(&dataset.datatype, path_of));
    }
    match &dataset.space {
        SpaceSpec::Null => drop(ours.insert("space".to_owned(), json!("null"))),
        SpaceSpec::Scalar => {}
        SpaceSpec::Simple { maximum, .. } => {
            if maximum.iter().any(Option::is_some) {
                ours.insert("maxshape".to_owned(), json!(maximum));
            }
        }
    }
    let layout = match dataset.layout {
        Layout::Compact => "compact",
        Layout::Contiguous => "contiguous",
        Layout::Chunked => "chunked",
        Layout::Virtual => "virtual",
    };
    if dataset.layout != usual_layout(array.rank()) {
        ours.insert("layout".to_owned(), json!(layout));
    }
    if dataset.filters != filters::from_codecs(&array.codecs) {
        ours.insert("filters".to_owned(), filters::to_words(&dataset.filters));
    }
    if dataset.fill.is_some() != has_fill(array) {
        ours.insert("fill".to_owned(), json!(dataset.fill.is_some()));
    }
    if let Some(form) = form.filter(|form| *form != usual_form(array)) {
        ours.insert("values".to_owned(), json!(form.word()));
    }
    if dataset.orders.attributes != 0 {
        ours.insert("attribute_order".to_owned(), json!(dataset.orders.attributes));
    }
    if (dataset.allocation, dataset.fill_time) != usual_times(dataset.layout) {
        ours.insert("times".to_owned(), json!([dataset.allocation, dataset.fill_time]));
    }
    if dataset.storage == Storage::Elsewhere
        && let Some(elsewhere) = &dataset.elsewhere
    {
        ours.insert("elsewhere".to_owned(), regions::elsewhere_to_words(elsewhere));
    }
    ours
}

/// The dataset of an array; `None` if HDF5 has no datatype for its elements.
pub(crate) fn from_array(array: &ArrayMetadata, order: Order, key_of: KeyOf<'_>) -> Option<DatasetSpec<Key>> {
    let ours = &array.attributes.get(OURS).cloned().unwrap_or_default();
    let foreign = || from_zarr(&array.data_type, order).map(TypeSpec::of_structure);
    let datatype = match &ours["type"] {
        Value::Null => foreign()?,
        words => {
            let told: Option<TypeSpec<Key>> = type_from_json(words, key_of);
            // It must be about elements of the same size, or it is about another array.
            let fits = |told: &TypeSpec<Key>| match (&told.structure, array.data_type.size()) {
                (Some(structure), Some(size)) => structure.size as u64 == size,
                _ => true,
            };
            told.filter(fits).or_else(foreign)?
        }
    };
    let rank = array.rank();
    let maximum = ours["maxshape"].as_array().filter(|list| list.len() == rank).map(|list| {
        list.iter().zip(&array.shape).map(|(size, now)| size.as_u64().map(|size| size.max(*now))).collect()
    });
    let space = if ours["space"] == "null" {
        SpaceSpec::Null
    } else if rank == 0 {
        SpaceSpec::Scalar
    } else {
        SpaceSpec::Simple { dims: array.shape.clone(), maximum: maximum.unwrap_or_else(|| vec![None; rank]) }
    };
    let layout = match ours["layout"].as_str() {
        Some("compact") => Layout::Compact,
        Some("virtual") => Layout::Virtual,
        Some("contiguous") => Layout::Contiguous,
        Some("chunked") => Layout::Chunked,
        _ => usual_layout(rank),
    };
    let elsewhere =
        ours["elsewhere"].as_object().and_then(|_| regions::elsewhere_from_words(&ours["elsewhere"]));
    let storage = if elsewhere.is_some() {
        Storage::Elsewhere
    } else if array.data_type.size().is_none() {
        Storage::Values
    } else {
        Storage::Chunks
    };
    let filters = match &ours["filters"] {
        Value::Null => filters::from_codecs(&array.codecs),
        words => filters::from_words(words).unwrap_or_default(),
    };
    let has_fill = ours["fill"].as_bool().unwrap_or_else(|| has_fill(array));
    let time = |index: usize| ours["times"][index].as_i64().and_then(|time| i32::try_from(time).ok());
    Some(DatasetSpec {
        datatype,
        space,
        layout,
        orders: Orders {
            links: 0,
            attributes: ours["attribute_order"]
                .as_u64()
                .and_then(|order| u32::try_from(order).ok())
                .unwrap_or(0)
                & 3,
        },
        allocation: time(0).filter(|time| (1..=3).contains(time)),
        fill_time: time(1).filter(|time| (0..=2).contains(time)),
        chunks: (layout == Layout::Chunked).then(|| array.chunk_shape.clone()),
        filters: if layout == Layout::Chunked { filters } else { Vec::new() },
        fill: (has_fill && storage != Storage::Values)
            .then(|| array.fill_value.element(&array.data_type, order == Order::Big)),
        storage,
        elsewhere: elsewhere.map(Box::new),
        creation: None,
    })
}

/// The layout of an array if our key does not say it.
fn usual_layout(rank: usize) -> Layout {
    if rank == 0 { Layout::Contiguous } else { Layout::Chunked }
}

/// When storage is taken and filled if our key does not say it, as HDF5 does it by default.
fn usual_times(layout: Layout) -> (Option<i32>, Option<i32>) {
    let allocation = match layout {
        Layout::Compact => 1,
        Layout::Contiguous => 2,
        Layout::Chunked | Layout::Virtual => 3,
    };
    (Some(allocation), Some(2))
}

/// Whether an array has a fill value of its own if our key does not say it.
fn has_fill(array: &ArrayMetadata) -> bool {
    array.data_type.size().is_some() && array.fill_value != FillValue::zero(&array.data_type)
}

/// The form of values if our key does not say it.
fn usual_form(array: &ArrayMetadata) -> ValueForm {
    match array.data_type {
        DataType::Bytes(_) => ValueForm::Sequence,
        _ => ValueForm::Text,
    }
}

/// How the elements of an array are stored that lead to something outside of themselves.
pub(crate) fn value_form(array: &ArrayMetadata) -> ValueForm {
    let word =
        array.attributes.get(OURS).and_then(|ours| ours["values"].as_str().and_then(ValueForm::of_word));
    word.unwrap_or_else(|| usual_form(array))
}
