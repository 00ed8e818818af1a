//! Reads of virtual datasets: the parts of the sources that have what is wanted, and the fill value for the rest.

use std::sync::Arc;

use engine::{FileRun, Fill, Layout, Memory, Source, Window};
use h5_host::Questions;
use h5_vol::Id;
use h5_vol::calls::{DatasetPart, MemoryTarget};
use selection::{Common, Extent, Free, Selection, Taken, common, rest};

use crate::Bypass;
use crate::coherency::plain_source::{PlainSource, SHORT};
use crate::coherency::resolved::Resolved;
use crate::coherency::source_search::{Asking, Searcher};
use crate::coherency::sources::SourceDataset;
use crate::inspect::chunks::Manner;
use crate::inspect::missing::Missing;
use crate::inspect::selection::Selected;
use crate::inspect::storage::Storage;
use crate::inspect::virtual_layout::{Mapping, VirtualLayout};
use crate::read::draft::{Direct, Draft, Piece, Prepared};
use crate::read::short::WINDOW;
use crate::report::fault::cannot_read;
use crate::report::reason::Reason;
use crate::report::summary;
use crate::run::memory;
use crate::transfer::Declined;
use crate::transfer::part::PartOfCall;
use crate::transfer::selections::Selections;
use crate::transfer::touched_sources::{DEEPEST, Touched, TouchedSource, Virtual};
use crate::transfer::wishes::Wishes;

/// From so many mappings on, some versions of native HDF5 search for those that are touched, and take them in another order.
const SEARCHED: usize = 50;

impl Bypass {
    /// What the engine needs to know about a read of a virtual dataset.
    pub(super) fn prepare_virtual<'p>(
        &self,
        questions: Questions,
        of_call: &PartOfCall<'p, MemoryTarget<'p>>,
        wishes: Wishes,
        dataset: &Resolved,
        mappings: &VirtualLayout,
    ) -> Result<Prepared<'p>, Declined> {
        let ((below, state), part) = (of_call.handle()?, of_call.part);
        let sources = state.sources(questions, below, &self.files)?;
        if let Some(reason) = sources.refused() {
            return Err(reason.clone().into());
        }
        // Native HDF5 does not read a virtual dataset that it could not convert itself.
        let conversion = dataset.elements().conversion(questions, part.memory_type)?;
        let memory_element = conversion.as_ref().map_or(dataset.element(), |with| with.element);
        wishes.have_room(conversion.is_some(), dataset.element(), memory_element)?;
        let Selections { file, memory, memory_bytes } =
            Selections::of(questions, part, dataset, memory_element)?;
        // Points of a virtual dataset native HDF5 takes in another order, or fails. It does not see that selections are shifted.
        if part.memory.as_ptr().is_null() || !file.in_order || file.is_shifted || memory.is_shifted {
            return Err(Reason::Selection.into());
        }
        if memory.repeats() {
            return Err(Reason::RepeatedMemory.into());
        }
        let configuration = self.configuration.as_ref().ok();
        let bytes = file.selection.len().saturating_mul(memory_element);
        // If any file can be written, that was judged before the sources were claimed.
        let is_left = if self.files.has_writers() {
            of_call.is_left()
        } else {
            self.leaves_sources(state, (dataset, &sources), &file.selection)
        };
        if is_left {
            return Err(Reason::Small.into());
        }
        let mut collector = Collector {
            connector: self,
            of_call,
            asking: Asking { questions, files: &self.files, configuration },
            wishes,
            memory_type: part.memory_type,
            memory_element,
            memory_bytes,
            target: part,
            // Native HDF5 does not fill a list of points.
            is_fillable: memory.in_order,
            pieces: Vec::new(),
            runs: Vec::new(),
            elements_of_runs: 0,
            missing: 0,
            shows_memory: false,
        };
        let wanted = Wanted { file: &file.selection, places: &memory.selection };
        let of = Virtual { dataset, mappings, below, sources: &sources };
        let collected = match of_call.take_touched() {
            Some(touched) if !touched.is_irregular => collector.add_touched(dataset, &wanted, touched),
            _ => collector.collect(&of, &wanted, 0),
        };
        if let Err(Declined::Native(reason)) = &collected
            && reason.concerns_others()
        {
            // The next read would end in the same way, after as many questions.
            sources.refuse(reason);
        }
        collected?;
        let source = dataset.source()?;
        collector.add_runs(&source, memory.selection)?;
        let missing = collector.missing;
        let draft = Draft::Virtual(collector.pieces);
        if wishes.hears_of_failures && draft.is_filtered() {
            return Err(Reason::FilterCallback.into());
        }
        summary::bypassed(1, bytes);
        summary::sources_missing(missing);
        Ok(Prepared { source, draft, bytes })
    }
}

/// A mapping of which something is wanted, and its source.
struct Found<'v> {
    mapping: &'v Mapping,
    source: Arc<SourceDataset>,
    dataset: Arc<Resolved>,
    /// What is wanted of it.
    both: Common,
}

/// What is wanted of a dataset, and where it goes in memory.
struct Wanted<'w> {
    file: &'w Selection,
    places: &'w Selection,
}

/// Collects the pieces of a read.
struct Collector<'c, 'p> {
    connector: &'c Bypass,
    of_call: &'c PartOfCall<'p, MemoryTarget<'p>>,
    asking: Asking<'c>,
    wishes: Wishes,
    memory_type: Id,
    memory_element: u64,
    memory_bytes: usize,
    target: &'p DatasetPart<Bypass, MemoryTarget<'p>>,
    is_fillable: bool,
    pieces: Vec<Piece<'p>>,
    /// Short runs that need no piece of their own.
    runs: Vec<FileRun>,
    elements_of_runs: u64,
    /// How many sources are missing.
    missing: u64,
    /// Some of the pieces leave some of their memory as it is.
    shows_memory: bool,
}

impl Collector<'_, '_> {
    fn collect(&mut self, of: &Virtual<'_>, wanted: &Wanted<'_>, depth: usize) -> Result<(), Declined> {
        if depth > DEEPEST {
            return Err(Reason::VirtualMapping.into());
        }
        let (mut present, mut covered, mut later) = (Vec::new(), 0_u64, Vec::new());
        let searcher = Searcher::new(self.asking, &of.dataset.file, of.below, of.sources);
        for mapping in of.mappings.touched(wanted.file) {
            let Some(both) = common(wanted.file, &mapping.mapped).map_err(|_| Reason::VirtualMapping)? else {
                continue;
            };
            let name = &mapping.name;
            if of.mappings.are_apart()
                && mapping.like.is_none()
                && let Some(source) = searcher.find_plain(mapping.source, name, (of.dataset, of.mappings))
            {
                covered = covered.saturating_add(both.first.len());
                present.push(mapping);
                self.add_plain(of.dataset, wanted, (mapping, &source), &both)?;
                continue;
            }
            let Some(source) = searcher.find(mapping.source, name)? else {
                self.missing += 1;
                if self.asking.configuration.is_some_and(|configuration| configuration.strict) {
                    let (dataset, file) = (name.dataset.to_string_lossy(), name.file.to_string_lossy());
                    let cause = format!(
                        "its source '{dataset}' of file '{file}' is missing ({})",
                        settings::STRICT.name
                    );
                    return Err(Declined::Failed(cannot_read(Some(of.below), &cause)));
                }
                continue;
            };
            let dataset = self.asking.resolve(&source)?;
            if let Some((number, name)) = &mapping.like
                && searcher.find(*number, name)?.is_none_or(|like| like.known().extent() != dataset.extent())
            {
                return Err(Reason::VirtualMapping.into());
            }
            covered = covered.saturating_add(both.first.len());
            let found = Found { mapping, source, dataset, both };
            if of.mappings.are_apart() {
                present.push(mapping);
                self.add_found(of, wanted, found, depth)?;
            } else {
                later.push(found);
            }
        }
        if of.mappings.are_apart() && covered == wanted.file.len() {
            return Ok(());
        }
        if of.mappings.are_apart() {
            let ranks = |mapping: &&Mapping| {
                let both = common(wanted.file, &mapping.mapped).map_err(|_| Reason::VirtualMapping)?;
                Ok::<_, Reason>(both.map(|both| both.first))
            };
            let found: Vec<_> =
                present.iter().filter_map(|mapping| ranks(mapping).transpose()).collect::<Result<_, _>>()?;
            let left = rest(wanted.file.len(), &found).map_err(|_| Reason::VirtualMapping)?;
            return Ok(left.map_or(Ok(()), |left| self.fill(of, wanted, &left))?);
        }
        let left = self.add_last_ones(of, wanted, later, depth)?;
        match left {
            Some(left) if covered < wanted.file.len() => Ok(self.fill(of, wanted, &left)?),
            // Native HDF5 counts elements that are mapped twice as two, and believes that nothing is left to fill.
            Some(_) => {
                self.shows_memory = true;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Adds what is known to be all that is wanted.
    fn add_touched(&mut self, of: &Resolved, wanted: &Wanted<'_>, touched: Touched) -> Result<(), Declined> {
        touched.sources.into_iter().try_for_each(|TouchedSource { source, dataset, elements, ranks }| {
            let places = wanted.places.of_ranks(&ranks).map_err(|_| Reason::VirtualMapping)?;
            self.add(of, (source, &dataset), elements, places)
        })
    }

    /// Adds what was found of mappings that may overlap: of an element that several have, the last one counts. Returns the ranks
    /// of what none of them has.
    fn add_last_ones(
        &mut self,
        of: &Virtual<'_>,
        wanted: &Wanted<'_>,
        found: Vec<Found<'_>>,
        depth: usize,
    ) -> Result<Option<Selection>, Declined> {
        let wrong = |_| Reason::VirtualMapping;
        let mut taken = Taken::default();
        for mut found in found.into_iter().rev() {
            let places = match taken.take(&found.both.first).map_err(wrong)? {
                Free::All => {
                    self.add_found(of, wanted, found, depth)?;
                    continue;
                }
                Free::None => Selection::none(found.both.first.extent()),
                Free::Some(places) => places,
            };
            // Of many mappings, native HDF5 may take another one last. And where the last one leaves memory as it is, the one
            // before shows.
            if of.mappings.asked() >= SEARCHED || self.shows_memory {
                return Err(Reason::VirtualMapping.into());
            }
            if places.is_empty() {
                continue;
            }
            for ranks in [&mut found.both.first, &mut found.both.second] {
                *ranks = ranks.of_ranks(&places).map_err(wrong)?;
            }
            self.add_found(of, wanted, found, depth)?;
        }
        Ok(taken.rest(wanted.file.len()).map_err(wrong)?)
    }

    /// Adds what was found of a mapping.
    fn add_found(
        &mut self,
        of: &Virtual<'_>,
        wanted: &Wanted<'_>,
        Found { mapping, source, dataset, both }: Found<'_>,
        depth: usize,
    ) -> Result<(), Declined> {
        let of_source = mapping.of_source(dataset.extent(), source.extent_when_opened())?;
        let file = of_source.of_ranks(&both.second).map_err(|_| Reason::VirtualMapping)?;
        let places = wanted.places.of_ranks(&both.first).map_err(|_| Reason::VirtualMapping)?;
        match dataset.mappings() {
            Some(mappings) => {
                let (below, sources) = (&*source.below, &**source.nested());
                let nested = Virtual { dataset: &dataset, mappings, below, sources };
                self.collect(&nested, &Wanted { file: &file, places: &places }, depth + 1)
            }
            None => self.add(of.dataset, (source, &dataset), file, places),
        }
    }

    /// Adds what lies in a source that is open without HDF5.
    fn add_plain(
        &mut self,
        of: &Resolved,
        wanted: &Wanted<'_>,
        (mapping, source): (&Mapping, &PlainSource),
        both: &Common,
    ) -> Result<(), Declined> {
        let wrong = |_| Reason::VirtualMapping;
        let of_source = mapping.of_source(&source.extent, &source.extent)?;
        let elements = of_source.of_ranks(&both.second).map_err(wrong)?;
        let places = wanted.places.of_ranks(&both.first).map_err(wrong)?;
        let conversion = of.elements().conversion(self.asking.questions, self.memory_type)?;
        let element = of.element();
        self.wishes.have_room(conversion.is_some(), element, self.memory_element)?;
        if conversion.is_none()
            && let Some(run) = source.run(&elements, &places, element, WINDOW)
        {
            self.elements_of_runs += elements.len();
            self.runs.push(run);
            return Ok(());
        }
        let direct = Direct {
            layout: Layout::Contiguous(source.start),
            element,
            conversion,
            file: Selected { selection: elements, in_order: true, is_shifted: false },
            places,
            memory: self.memory(),
            fill: Fill::Untouched,
        };
        let stored = Source::File(Arc::clone(&source.store));
        self.pieces.push(Piece { source: stored, direct: Some(direct), dataset: None });
        Ok(())
    }

    /// Adds a piece that lies in a source.
    fn add(
        &mut self,
        of: &Resolved,
        (source, dataset): (Arc<SourceDataset>, &Arc<Resolved>),
        elements: Selection,
        places: Selection,
    ) -> Result<(), Declined> {
        let (questions, below) = (self.asking.questions, &source.below);
        self.of_call.check_claimed(dataset)?;
        let is_same = dataset.elements().are_copied_to(of.elements());
        let like = if is_same { of } else { &**dataset };
        let conversion = like.elements().conversion(questions, self.memory_type)?;
        self.wishes.have_room(conversion.is_some(), dataset.element(), self.memory_element)?;
        if conversion.is_none()
            && let Some(run) = run_of(&source, dataset, &elements, &places)
        {
            self.elements_of_runs += elements.len();
            self.runs.push(run);
            return Ok(());
        }
        let manner = Manner { verify: self.wishes.verify };
        let element = dataset.element();
        if dataset.shared.is_some() {
            self.connector.bring_up_to_date(questions, dataset, below)?;
        }
        let layout = dataset.layout(questions, below, &elements, manner)?;
        // All of it is claimed.
        let window = dataset.origin(&layout, &elements, true);
        let window = window.map_err(|error| Declined::Failed(cannot_read(Some(below), &error)))?;
        let stored = window.map_or_else(|| dataset.source(), Ok)?;
        let fill = dataset.fillings().fill(questions, below, &layout, conversion.as_deref())?;
        self.shows_memory |= conversion.as_ref().is_some_and(|with| !with.conversion.writes_all())
            || (matches!(fill, Fill::Untouched) && Missing::of(&layout) != Missing::Nothing);
        let (elements, memory) =
            (Selected { selection: elements, in_order: true, is_shifted: false }, self.memory());
        let direct = Direct { layout, element, conversion, file: elements, places, memory, fill };
        self.pieces.push(Piece { source: stored, direct: Some(direct), dataset: Some(source) });
        Ok(())
    }

    /// Adds what no source has, which has these ranks.
    fn fill(&mut self, of: &Virtual<'_>, wanted: &Wanted<'_>, left: &Selection) -> Result<(), Reason> {
        if !self.is_fillable {
            return Err(Reason::Selection);
        }
        let conversion = of.dataset.elements().conversion(self.asking.questions, self.memory_type)?;
        let places = wanted.places.of_ranks(left).map_err(|_| Reason::VirtualMapping)?;
        let fill =
            of.dataset.fillings().fill_of_gaps(self.asking.questions, of.below, conversion.as_deref())?;
        self.shows_memory |= matches!(fill, Fill::Untouched);
        let extent = Extent::new(&[places.len()]).map_err(|_| Reason::TooLarge)?;
        let direct = Direct {
            layout: Layout::Missing,
            element: self.memory_element,
            conversion: None,
            file: Selected::all(&extent),
            places,
            memory: self.memory(),
            fill,
        };
        self.pieces.push(Piece { source: of.dataset.source()?, direct: Some(direct), dataset: None });
        Ok(())
    }
}

impl<'p> Collector<'_, 'p> {
    /// Makes one piece of all short runs, which are somewhere in the selection of the memory.
    fn add_runs(&mut self, source: &Source, places: Selection) -> Result<(), Reason> {
        if self.runs.is_empty() {
            return Ok(());
        }
        let extent = Extent::new(&[self.elements_of_runs]).map_err(|_| Reason::TooLarge)?;
        let direct = Direct {
            layout: Layout::Runs(std::mem::take(&mut self.runs)),
            element: self.memory_element,
            conversion: None,
            file: Selected::all(&extent),
            places,
            memory: self.memory(),
            fill: Fill::Untouched,
        };
        self.pieces.push(Piece { source: source.clone(), direct: Some(direct), dataset: None });
        Ok(())
    }

    /// The application's memory, which all pieces share. The address of the part tells it from others.
    fn memory(&self) -> Memory<'p> {
        let number = std::ptr::from_ref(self.target).addr();
        memory::shared_buffer(&self.target.memory, self.memory_bytes, number)
    }
}

/// What is wanted of a source as a run, if it is a short one on both sides. Native HDF5 keeps small sources in its buffers;
/// those that are read again are kept here as well.
fn run_of(
    source: &SourceDataset,
    dataset: &Resolved,
    elements: &Selection,
    places: &Selection,
) -> Option<FileRun> {
    // What can be written is in windows of its own.
    if dataset.shared.is_some() {
        return None;
    }
    let Storage::Contiguous(start, _) = dataset.storage() else { return None };
    let Source::File(store) = dataset.source().ok()? else { return None };
    let size = dataset.element();
    let length = elements.len().checked_mul(size).filter(|length| *length < SHORT)?;
    let from = elements.as_contiguous()?.checked_mul(size)?.checked_add(*start)?;
    let to = usize::try_from(places.as_contiguous()?.checked_mul(size)?).ok()?;
    let all = dataset.extent().count().checked_mul(size)?;
    let is_kept = source.was_read() && all <= WINDOW;
    let window = if is_kept { window_on(dataset, *start, all) } else { None };
    Some(FileRun { store, from, to, length: usize::try_from(length).ok()?, window })
}

/// The only window on a dataset of so many bytes, which begins there in the file.
fn window_on(dataset: &Resolved, start: u64, all: u64) -> Option<Window> {
    let kept = dataset.windows().filter(|kept| kept.cache.capacity() > 0)?;
    Some(Window { kept, number: 0, start, length: usize::try_from(all).ok()? })
}
