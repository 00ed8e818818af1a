//! Chunks whose elements somebody else knows are read, converted in part, and written like any others.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use codecs::Pipeline;
use engine::{
    Base, ByteStore, ChunkData, ChunkJob, Costs, Engine, EngineError, Fill, FilteredChunks, Gathered,
    Gathering, Layout, MakesChunks, Memory, PairFailure, Part, Request, Source, Spares, TakesChunks, Then,
    WritePart,
};
use pool::Pool;
use selection::{ChunkGrid, Extent, Selection};
use store::{StoreError, Target};

/// Elements are their coordinates: 10 times the row, plus the column. Counts how often it was asked.
#[derive(Debug, Default)]
struct Coordinates {
    asked: AtomicUsize,
    fails: bool,
    /// How often two were asked for at the same time, if that is faster.
    pairs: Option<AtomicUsize>,
}

impl MakesChunks for Coordinates {
    fn make(&self, place: &[u64], elements: &mut [u8]) -> Result<(), String> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        if self.fails {
            return Err("no such chunk".to_owned());
        }
        for (number, element) in elements.iter_mut().enumerate() {
            let (row, column) = (2 * place[0] + number as u64 / 3, 3 * place[1] + number as u64 % 3);
            *element = u8::try_from(10 * row + column).unwrap();
        }
        Ok(())
    }

    fn gains_by_pairs(&self) -> bool {
        self.pairs.is_some()
    }

    fn make_pair(&self, places: [&[u64]; 2], elements: [&mut [u8]; 2]) -> Result<(), PairFailure> {
        self.pairs.as_ref().expect("asked only if it is faster").fetch_add(1, Ordering::Relaxed);
        let [first, second] = elements;
        self.make(places[0], first).map_err(|message| PairFailure { which: 0, message })?;
        self.make(places[1], second).map_err(|message| PairFailure { which: 1, message })
    }
}

/// Takes chunks, or refuses them.
#[derive(Debug, Default)]
struct Shelf {
    taken: Mutex<Vec<(Vec<u64>, Vec<u8>)>>,
    is_full: bool,
}

impl TakesChunks for Shelf {
    fn take(&self, place: &[u64], elements: &[u8]) -> Result<(), String> {
        if self.is_full {
            return Err("no room".to_owned());
        }
        self.taken.lock().unwrap().push((place.to_vec(), elements.to_vec()));
        Ok(())
    }
}

#[derive(Debug)]
struct Nowhere;

impl ByteStore for Nowhere {
    fn costs(&self) -> Costs {
        Costs::LOCAL_FILE
    }

    fn check(&self, offset: u64, length: u64) -> Result<(), StoreError> {
        Err(StoreError::OutsideFile { offset, length, end: 0 })
    }

    fn read(&self, offset: u64, target: Target<'_>) -> Result<(), StoreError> {
        self.check(offset, target.len() as u64)
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), StoreError> {
        self.check(offset, bytes.len() as u64)
    }
}

fn read(maker: &Arc<Coordinates>, selected: &Selection, memory: &mut [u8]) -> Result<(), EngineError> {
    let grid = ChunkGrid::new(selected.extent(), &[2, 3]).unwrap();
    let made: Arc<dyn MakesChunks> = Arc::clone(maker) as _;
    let count = grid.touched(selected).unwrap().count();
    let chunks = FilteredChunks {
        grid,
        chunks: (0..count).map(|_| ChunkData::Made(Arc::clone(&made))).collect(),
        ahead: None,
        pace: None,
        pipeline: Arc::new(Pipeline::new(&[]).unwrap()),
        verify: true,
        kept: None,
    };
    let source = Source::Other(Arc::new(Nowhere));
    let all = Extent::new(&[memory.len() as u64]).unwrap();
    let part = Part {
        source: &source,
        layout: Layout::Filtered(Box::new(chunks)),
        element: 1,
        conversion: None,
        file: selected.clone(),
        file_in_order: true,
        memory_selection: Selection::all(&all),
        memory: Memory::from_slice(memory),
        fill: Fill::Untouched,
    };
    Engine::new(&Pool::new(2)).read(&mut Request { parts: vec![part] })
}

#[test]
fn they_are_read() {
    let extent = Extent::new(&[5, 7]).unwrap();
    let maker = Arc::new(Coordinates::default());
    let mut all = [0; 35];
    read(&maker, &Selection::all(&extent), &mut all).unwrap();
    assert!((0..35).all(|number| usize::from(all[number]) == 10 * (number / 7) + number % 7));
    assert_eq!(maker.asked.load(Ordering::Relaxed), 9, "each chunk once");
    let mut some = [0; 4];
    read(&maker, &Selection::tile(&extent, &[1, 2], &[2, 2]).unwrap(), &mut some).unwrap();
    assert_eq!(some, [12, 13, 22, 23]);
}

#[test]
fn a_failure_names_the_chunk() {
    let extent = Extent::new(&[5, 7]).unwrap();
    let maker = Arc::new(Coordinates { fails: true, ..Coordinates::default() });
    let failure = read(&maker, &Selection::tile(&extent, &[3, 4], &[1, 1]).unwrap(), &mut [0]).unwrap_err();
    assert_eq!(failure.to_string(), "no such chunk (chunk at [2, 3])");
    assert_eq!(failure.part(), Some(0));
}

#[test]
fn they_are_the_base_of_what_is_written() {
    let extent = Extent::new(&[5, 7]).unwrap();
    let grid = ChunkGrid::new(&extent, &[2, 3]).unwrap();
    let part = WritePart {
        element: 1,
        conversion: None,
        file: Selection::tile(&extent, &[1, 1], &[1, 1]).unwrap(),
        file_in_order: true,
        memory_selection: Selection::all(&Extent::new(&[1]).unwrap()),
        memory: &[99],
    };
    let what = Gathering {
        part: &part,
        source: &Source::Other(Arc::new(Nowhere)),
        grid: &grid,
        pipeline: &Pipeline::new(&[]).unwrap(),
        fill: &[0],
        spares: &Spares::new(),
        taker: None,
    };
    let base = Base::Made(Arc::new(Coordinates::default()));
    let gathered = Engine::new(&Pool::new(1))
        .gather(&what, vec![ChunkJob { chunk: 0, base, then: Then::Keep }])
        .unwrap();
    let [Gathered::Kept(elements)] = gathered.as_slice() else { panic!("{gathered:?}") };
    assert_eq!(elements, &[0, 1, 2, 10, 99, 12]);
}

#[test]
fn two_at_the_same_time() {
    let extent = Extent::new(&[4, 24]).unwrap();
    let maker = Arc::new(Coordinates { pairs: Some(AtomicUsize::new(0)), ..Coordinates::default() });
    let mut all = [0; 96];
    read(&maker, &Selection::all(&extent), &mut all).unwrap();
    assert!((0..96).all(|number| usize::from(all[number]) == 10 * (number / 24) + number % 24));
    assert_eq!(maker.asked.load(Ordering::Relaxed), 16, "each chunk once");
    assert!(maker.pairs.as_ref().is_some_and(|pairs| pairs.load(Ordering::Relaxed) > 4));
    let maker =
        Arc::new(Coordinates { fails: true, pairs: Some(AtomicUsize::new(0)), ..Coordinates::default() });
    let failure = read(&maker, &Selection::all(&extent), &mut all).unwrap_err();
    assert_eq!(failure.to_string(), "no such chunk (chunk at [0, 0])");
}

#[test]
fn they_are_given_to_who_stores_them() {
    let extent = Extent::new(&[5, 7]).unwrap();
    let grid = ChunkGrid::new(&extent, &[2, 3]).unwrap();
    let memory: Vec<u8> = (0..35).collect();
    let part = WritePart {
        element: 1,
        conversion: None,
        file: Selection::all(&extent),
        file_in_order: true,
        memory_selection: Selection::all(&extent),
        memory: &memory,
    };
    let mut shelf = Shelf::default();
    let give = |shelf: &Shelf| {
        let what = Gathering {
            part: &part,
            source: &Source::Other(Arc::new(Nowhere)),
            grid: &grid,
            pipeline: &Pipeline::new(&[]).unwrap(),
            fill: &[100],
            spares: &Spares::new(),
            taker: Some(shelf),
        };
        let job = |chunk| ChunkJob { chunk, base: Base::Overwritten, then: Then::Give };
        Engine::new(&Pool::new(2)).gather(&what, (0..9).map(job).collect())
    };
    let given = give(&shelf).unwrap();
    assert!(given.len() == 9 && given.iter().all(|chunk| matches!(chunk, Gathered::Given)));
    let mut taken = std::mem::take(&mut *shelf.taken.lock().unwrap());
    taken.sort();
    assert_eq!(taken.len(), 9);
    assert_eq!(taken[0], (vec![0, 0], vec![0, 1, 2, 7, 8, 9]));
    // What lies outside of the extent is fill.
    assert_eq!(taken[8], (vec![2, 2], vec![34, 100, 100, 100, 100, 100]));
    shelf.is_full = true;
    let failure = give(&shelf).unwrap_err();
    assert_eq!((failure.to_string().as_str(), failure.part()), ("no room (chunk at [0, 0])", None));
}
