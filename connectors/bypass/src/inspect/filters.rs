//! From a dataset's filters to the pipeline that undoes them.

use codecs::{Filter, Pipeline};
use h5_host::Questions;
use h5_host::questions::FilterDescription;
use h5_vol::Id;

use crate::inspect::host_filters::judge;
use crate::report::reason::Reason;

/// The pipeline of a dataset, from its creation property list; `None` if it has no filters.
pub(crate) fn pipeline(questions: Questions, creation: Id) -> Result<Option<Pipeline>, Reason> {
    let filters = questions.filters(creation).ok_or(Reason::Untold("filters"))?;
    if filters.is_empty() {
        return Ok(None);
    }
    filters.iter().try_for_each(|filter| judge(questions, filter))?;
    let filters: Vec<_> = filters.into_iter().map(filter).collect();
    let pipeline =
        Pipeline::new(&filters).map_err(|unsupported| Reason::FilterUnknown(unsupported.to_string()))?;
    let version = questions.host().version();
    // Later versions refuse chunks that are longer than they should be; earlier ones take the beginning.
    let is_strict = (version.major, version.minor) >= (2, 1);
    Ok(Some(if is_strict { pipeline.refusing_longer_chunks() } else { pipeline }))
}

fn filter(description: FilterDescription) -> Filter {
    let FilterDescription { id, name, optional, parameters } = description;
    Filter { id, name, optional, parameters }
}
