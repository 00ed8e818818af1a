//! What datasets are called in a trace.

use h5_vol::{BelowObject, Object, ObjectKind};
use trace::Label;

use crate::Bypass;
use crate::coherency::handle::DatasetHandle;
use crate::inspect::dataset::OurDataset;

/// The label of a dataset. HDF5 is asked once for each handle, or less; its global lock is held.
pub(crate) fn label_of(object: &Object<Bypass>) -> Label {
    let Some(state) = &object.data().dataset else { return Label::NONE };
    state.known_label().unwrap_or_else(|| ask_for_label(object, state))
}

#[cold]
fn ask_for_label(object: &Object<Bypass>, state: &DatasetHandle) -> Label {
    let Some(below) = object.below() else { return Label::NONE };
    let label = |filters: &str| {
        let name = |name: Option<String>| name.unwrap_or_else(|| "(unknown)".to_owned());
        let (file, dataset) = object.host().ask_below(|questions| {
            (state.file_name(questions, below), below.name(questions, ObjectKind::Dataset))
        });
        trace::label(&name(file), &name(dataset), filters)
    };
    let of_ours = |dataset: &OurDataset| dataset.label(|| label(&filters_of(object, below, dataset)));
    state.label(|| label(""), of_ours)
}

/// The names of a dataset's filters, in the order in which they are applied.
fn filters_of(object: &Object<Bypass>, below: &BelowObject, dataset: &OurDataset) -> String {
    let is_filtered = dataset.chunks().is_some_and(|chunks| chunks.filtering.is_some());
    let filters = is_filtered.then(|| {
        object.host().ask(|questions| questions.filters(below.dataset_creation_list(questions)?.id()))
    });
    let names = filters.flatten().unwrap_or_default().into_iter().map(|filter| match filter.name {
        name if name.is_empty() => format!("filter {}", filter.id),
        name => name,
    });
    names.collect::<Vec<_>>().join(" + ")
}
