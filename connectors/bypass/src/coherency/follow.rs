//! Virtual datasets whose extent depends on their sources, as native HDF5 has found them.

use std::sync::{Arc, PoisonError};

use h5_host::Questions;
use h5_vol::{BelowObject, Object};
use selection::Extent;

use crate::Bypass;
use crate::coherency::files::Files;
use crate::coherency::growth::Surveyor;
use crate::coherency::handle::DatasetHandle;
use crate::coherency::resolved::{Decision, Resolved};
use crate::coherency::source_search::{Asking, Searcher};
use crate::configuration::Configuration;
use crate::inspect::dataset::OurDataset;
use crate::inspect::examine::Grown;
use crate::inspect::selection::extent_of;
use crate::inspect::virtual_layout::VirtualLayout;
use crate::inspect::virtual_mappings::VirtualMappings;
use crate::report::reason::Reason;

impl Bypass {
    /// A virtual dataset whose extent depends on its sources, if it is ours. `told` is the extent by which the application selects
    /// elements, if it has one.
    pub(crate) fn ours_by_its_sources(
        &self,
        questions: Questions,
        dataset: &Object<Self>,
        told: Option<&[u64]>,
    ) -> Decision {
        let below = dataset.below().ok_or(Reason::NotNative)?;
        let state = dataset.data().dataset.as_ref().ok_or(Reason::NotNative)?;
        if let Some(reason) = state.known_refusal() {
            return Err(reason);
        }
        let configuration = self.configuration.as_ref().ok();
        let decision = state.find_grown(questions, below, &self.files, configuration, told);
        match &decision {
            Ok(_) => state.decide(&decision),
            Err(reason) => {
                // Native HDF5 opens them itself, and there may be many.
                if let Some(sources) = state.known_sources() {
                    sources.close_all();
                }
                state.note_not_followed(reason);
            }
        }
        decision
    }
}

impl DatasetHandle {
    fn find_grown(
        &self,
        questions: Questions,
        below: &BelowObject,
        files: &Files,
        configuration: Option<&Configuration>,
        told: Option<&[u64]>,
    ) -> Decision {
        let (seen_at, number) = self.space_told_at().ok_or(Reason::VirtualUnlimited)?;
        let sources = self.sources(questions, below, files)?;
        if let Some(reason) = sources.refused() {
            return Err(reason.clone());
        }
        let file = files.entry(questions, below, number, || Some(false))?;
        if file.raw().is_writable() {
            return Err(Reason::VirtualUnlimited);
        }
        let ask = || {
            let list = below.dataset_creation_list(questions).ok_or(Reason::Untold("creation properties"))?;
            VirtualMappings::ask(questions, list.id())
        };
        let asked = sources.mappings.get_or_init(ask).as_ref().map_err(Clone::clone)?;
        let access = below.dataset_access_list(questions).ok_or(Reason::Untold("access properties"))?;
        let view = questions.virtual_view(access.id()).ok_or(Reason::Untold("access properties"))?;
        let searcher = Searcher::new(Asking { questions, files, configuration }, &file, below, &sources);
        let surveyor = Surveyor { searcher: &searcher, view, seen_at, is_sure: true };
        let rank = asked.rank().ok_or(Reason::VirtualMapping)?;
        let survey = surveyor.survey(asked, rank)?;
        let extent = match told {
            Some(dims) => Extent::new(dims).map_err(|_| Reason::TooLarge)?,
            // HDF5 looks at the sources, and finds what it has found before.
            None if survey.is_sure => extent_of(questions, below)?,
            None => return Err(Reason::VirtualUnlimited),
        };
        let is_as_found = extent.rank() == rank
            && survey
                .sizes
                .iter()
                .zip(extent.dims().iter())
                .all(|(size, dim)| size.is_none_or(|size| size == *dim));
        if !is_as_found {
            return Err(Reason::VirtualUnlimited);
        }
        let mut numbers = sources.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let layout = VirtualLayout::new(asked, &extent, &survey.growth, &mut numbers)?;
        drop(numbers);
        let grown = Grown { extent, layout };
        let dataset = OurDataset::examine_grown(questions, below, Arc::clone(file.raw()), grown)?;
        Ok(Arc::new(Resolved { dataset: Arc::new(dataset), shared: None, file }))
    }
}
