//! Failures of ours, with the names of file and dataset.

use core::fmt::Display;

use h5_vol::{BelowObject, Error, ObjectKind};

/// A dataset could not be read.
pub(crate) fn cannot_read(dataset: Option<&BelowObject>, cause: &dyn Display) -> Error {
    cannot("read", dataset, cause)
}

/// A dataset could not be written.
pub(crate) fn cannot_write(dataset: &BelowObject, cause: &dyn Display) -> Error {
    cannot("write", Some(dataset), cause)
}

fn cannot(what: &str, dataset: Option<&BelowObject>, cause: &dyn Display) -> Error {
    let name = |name: Option<String>| name.unwrap_or_else(|| "(unknown)".to_owned());
    let host = dataset.map(|dataset| dataset.connector().host());
    let file = name(
        host.and_then(|host| host.ask_below(|questions| dataset?.file_name(questions, ObjectKind::Dataset))),
    );
    let dataset =
        name(host.and_then(|host| host.ask_below(|questions| dataset?.name(questions, ObjectKind::Dataset))));
    Error::failed(format_args!("cannot {what} dataset '{dataset}' of file '{file}': {cause}"))
}
