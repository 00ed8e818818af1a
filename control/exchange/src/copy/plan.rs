//! What a copy would do, object by object.

use h5_client::{AnyObject, Session};
use serde::{Deserialize, Serialize};

use super::Changes;
use super::datasets::recipe;
use crate::error::{At as _, Result};
use crate::place::{Place, Side, is_plain};
use crate::walk::Tree;

/// How the elements of a dataset are copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// There is nothing to copy: no elements, or they are in other files.
    Nothing,
    /// Chunks as they are stored.
    Stored,
    /// Elements.
    Elements,
    /// Elements, which are decoded and encoded anew.
    Encoded,
}

/// What is done with an object.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The object, below what is copied.
    pub path: String,
    /// Group, dataset or datatype.
    pub kind: String,
    /// How a dataset's elements are copied.
    pub way: Option<Way>,
    /// Bytes of its elements that are stored or will be.
    pub bytes: u64,
    /// The shape of its chunks in the copy.
    pub chunk: Option<Vec<u64>>,
    /// The numbers of its filters in the copy.
    pub filters: Vec<i32>,
}

/// What a copy would do. Nothing is made.
pub fn plan(session: &Session, source: &Place, destination: &Place, changes: &Changes) -> Result<Vec<Step>> {
    plan_open(&source.open(session)?, destination, changes)
}

pub(super) fn plan_open(source: &Side, destination: &Place, changes: &Changes) -> Result<Vec<Step>> {
    let is_plain_target =
        destination.connector.as_deref().is_none_or(|name| is_plain(&name.to_string_lossy()));
    let plain = (source.is_plain, is_plain_target);
    let tree = Tree::of(source)?;
    let mut steps = Vec::with_capacity(tree.objects.len());
    for (path, _) in &tree.objects {
        let object = source.open(path)?;
        let mut step = Step {
            path: path.to_string_lossy().into_owned(),
            kind: match object {
                AnyObject::Group(_) => "group",
                AnyObject::Dataset(_) => "dataset",
                AnyObject::Datatype(_) => "datatype",
            }
            .to_owned(),
            way: None,
            bytes: 0,
            chunk: None,
            filters: Vec::new(),
        };
        if let AnyObject::Dataset(dataset) = &object {
            let recipe = recipe(dataset, changes, plain).at(|| source.shown(path))?;
            step.way = Some(recipe.way);
            step.chunk = recipe.creation.chunk().at(|| source.shown(path))?;
            step.filters = recipe
                .creation
                .filters()
                .at(|| source.shown(path))?
                .iter()
                .map(|filter| filter.number)
                .collect();
            if recipe.way != Way::Nothing {
                step.bytes = stored_elements(dataset, recipe.bytes, plain.0).at(|| source.shown(path))?;
            }
        }
        steps.push(step);
    }
    Ok(steps)
}

/// Bytes of elements that are there: a dataset may be far larger than what was ever written.
fn stored_elements(dataset: &h5_client::Dataset, all: u64, is_plain_source: bool) -> h5_client::Result<u64> {
    let creation = dataset.creation()?;
    match creation.chunk()? {
        Some(chunk) if is_plain_source => {
            let size = dataset.datatype()?.size()? as u64;
            let each = chunk.iter().fold(size, |all, length| all.saturating_mul(*length));
            Ok(all.min(each.saturating_mul(dataset.chunks()?.len() as u64)))
        }
        _ => Ok(all),
    }
}
