//! Compares how objects are stored.

use core::fmt::Write as _;
use std::ffi::CStr;

use h5_abi::{H5D_COMPACT, H5D_CONTIGUOUS, H5D_VIRTUAL};
use h5_client::{Dataset, Group};

use super::Comparison;
use super::report::{Difference, Kind};
use crate::error::{At as _, Result};

/// Properties with their names, in words.
type Listed = Vec<(&'static str, String)>;

impl Comparison<'_> {
    pub(super) fn group_properties(&mut self, path: &CStr, a: &Group, b: &Group) -> Result<()> {
        let is_file = path == c"/" && self.a.place.object.is_none() && self.b.place.object.is_none();
        let of = |group: &Group| -> h5_client::Result<Listed> {
            let creation = group.creation()?;
            let mut listed = vec![
                ("creation order of links", order(creation.link_order()?)),
                ("creation order of attributes", order(creation.attribute_order()?)),
                ("dense links", format!("{:?}", creation.link_thresholds()?)),
                ("dense attributes", format!("{:?}", creation.attribute_thresholds()?)),
            ];
            if is_file {
                use h5_client::Object as _;
                listed.push(("user block", group.file()?.creation()?.user_block()?.to_string()));
            }
            Ok(listed)
        };
        let (a, b) = (of(a).at(|| self.a.shown(path))?, of(b).at(|| self.b.shown(path))?);
        self.listed(path, a, b);
        Ok(())
    }

    pub(super) fn dataset_properties(&mut self, path: &CStr, a: &Dataset, b: &Dataset) -> Result<()> {
        let (a, b) = (of_dataset(a).at(|| self.a.shown(path))?, of_dataset(b).at(|| self.b.shown(path))?);
        self.listed(path, a, b);
        Ok(())
    }

    fn listed(&mut self, path: &CStr, a: Listed, b: Listed) {
        for ((name, a), (_, b)) in a.into_iter().zip(b) {
            if a != b {
                let found = Difference::new(Kind::Property, format!("{name}: {a}"), format!("{name}: {b}"));
                self.found(path, None, found);
            }
        }
    }
}

fn order(flags: u32) -> String {
    match flags {
        0 => "not kept",
        1 => "tracked",
        _ => "tracked and indexed",
    }
    .into()
}

fn of_dataset(dataset: &Dataset) -> h5_client::Result<Listed> {
    let creation = dataset.creation()?;
    let layout = match creation.layout()? {
        H5D_COMPACT => "compact".to_owned(),
        H5D_CONTIGUOUS => {
            let mut text = "contiguous".to_owned();
            for index in 0..creation.external_files()? {
                let (name, offset, size) = creation.external_file(index)?;
                let _ = write!(text, ", {size} bytes in '{}' from {offset}", name.to_string_lossy());
            }
            text
        }
        H5D_VIRTUAL => {
            let mut text = "virtual".to_owned();
            for index in 0..creation.mappings()? {
                let mapping = creation.mapping(index)?;
                let (file, name) = (mapping.file.to_string_lossy(), mapping.dataset.to_string_lossy());
                // An unlimited selection cannot be told, but its extent can.
                let shown = |space: &h5_client::Dataspace| {
                    space
                        .selection()
                        .map_or_else(|_| "unlimited".to_owned(), |selection| format!("{selection:?}"))
                };
                let _ = write!(
                    text,
                    ", {} from '{file}:{name}' {}",
                    shown(&mapping.space),
                    shown(&mapping.source_space)
                );
            }
            text
        }
        _ => match creation.chunk()? {
            Some(chunk) => {
                let lengths: Vec<_> = chunk.iter().map(ToString::to_string).collect();
                format!("chunks of {}", lengths.join("x"))
            }
            None => "unknown".to_owned(),
        },
    };
    let filters: Vec<_> =
        creation.filters()?.iter().map(|filter| format!("{} {:?}", filter.number, filter.options)).collect();
    Ok(vec![
        ("layout", layout),
        ("filters", if filters.is_empty() { "none".into() } else { filters.join(", ") }),
        ("fill value", format!("{:?}", creation.fill_value(&dataset.datatype()?.copy()?)?)),
        ("fill time", creation.fill_time()?.0.to_string()),
        ("allocation time", creation.allocation_time()?.0.to_string()),
        ("creation order of attributes", order(creation.attribute_order()?)),
        ("dense attributes", format!("{:?}", creation.attribute_thresholds()?)),
        ("times", creation.tracks_times()?.to_string()),
    ])
}
