//! Speed by hand: `cargo run --release -p engine --example measure [filter]`. Everything is in the page cache.

use std::cell::RefCell;
use std::fs::File;
use std::hint::black_box;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::Instant;

use engine::{ChunkAddress, Engine, Fill, Layout, Memory, Part, Request, Source};
use pool::Pool;
use selection::{ChunkGrid, Extent, Selection};
use store::{Descriptor, Store};

const SIDE: u64 = 8192;
const BYTES: u64 = SIDE * SIDE * 4;

struct Bench {
    file: File,
    source: Source,
    pool: Pool,
    memory: RefCell<Vec<u8>>,
    filter: Option<String>,
}

fn main() {
    let bench = Bench::new();
    let side = |rows, columns| Extent::new(&[rows, columns]).unwrap();
    let matrix = side(SIDE, SIDE);
    let all = Selection::all(&matrix);
    let threads = bench.pool.threads();
    for phase in [0, 16] {
        bench.throughput(&format!("plain pread, {threads} threads"), phase, BYTES, |memory| {
            bench.plain(memory);
        });
        let contiguous = |file: &Selection, to: &Selection, memory: &mut [u8]| {
            bench.read(Layout::Contiguous(0), file, to, memory);
        };
        bench.throughput("contiguous, all", phase, BYTES, |memory| contiguous(&all, &all, memory));
        for chunk in [1024, 512, 128, 64, 32, 16] {
            let layout = chunked(&matrix, &[chunk, chunk], &all);
            let name = format!("chunked {chunk} x {chunk}, all");
            bench.throughput(&name, phase, BYTES, |memory| bench.read(layout.clone(), &all, &all, memory));
        }
        let line = Extent::new(&[SIDE * SIDE]).unwrap();
        let line = Selection::all(&line);
        for chunk in [256, 1024, 16384] {
            let layout = chunked(line.extent(), &[chunk], &line);
            let name = format!("chunked 1-D {chunk}, all");
            bench.throughput(&name, phase, BYTES, |memory| bench.read(layout.clone(), &line, &line, memory));
        }
        let rows = Selection::hyperslab(&matrix, &[0, 0], &[2, 1], &[SIDE / 2, SIDE], &[1, 1]).unwrap();
        let half = Selection::all(&side(SIDE / 2, SIDE));
        let layout = chunked(&matrix, &[512, 512], &rows);
        bench.throughput("chunked 512 x 512, every 2nd row", phase, BYTES / 2, |memory| {
            bench.read(layout.clone(), &rows, &half, memory);
        });
        bench.throughput("contiguous, every 2nd row", phase, BYTES / 2, |memory| {
            contiguous(&rows, &half, memory);
        });
        let columns = Selection::hyperslab(&matrix, &[0, 0], &[1, 2], &[SIDE, SIDE / 2], &[1, 1]).unwrap();
        bench.throughput("contiguous, every 2nd column", phase, BYTES / 2, |memory| {
            contiguous(&columns, &half, memory);
        });
        let layout = chunked(&matrix, &[512, 512], &columns);
        bench.throughput("chunked 512 x 512, every 2nd column", phase, BYTES / 2, |memory| {
            bench.read(layout.clone(), &columns, &half, memory);
        });
        let column = Selection::tile(&matrix, &[0, 77], &[SIDE, 1]).unwrap();
        let thin = Selection::all(&side(SIDE, 1));
        bench.throughput("contiguous, one column", phase, SIDE * 4, |memory| {
            contiguous(&column, &thin, memory);
        });
        let layout = chunked(&matrix, &[512, 512], &column);
        bench.throughput("chunked 512 x 512, one column", phase, SIDE * 4, |memory| {
            bench.read(layout.clone(), &column, &thin, memory);
        });
        let tile = Selection::tile(&matrix, &[3001, 3001], &[1000, 1000]).unwrap();
        let square = Selection::all(&side(1000, 1000));
        bench.throughput("contiguous, 1000 x 1000 tile", phase, 4_000_000, |memory| {
            contiguous(&tile, &square, memory);
        });
        let layout = chunked(&matrix, &[512, 512], &tile);
        bench.throughput("chunked 512 x 512, 1000 x 1000 tile", phase, 4_000_000, |memory| {
            bench.read(layout.clone(), &tile, &square, memory);
        });
    }
    bench.small();
}

impl Bench {
    fn new() -> Self {
        let mut file = tempfile::tempfile().unwrap();
        let block: Vec<u8> = (0..1_u32 << 18).flat_map(u32::to_ne_bytes).collect();
        for _ in 0..BYTES / block.len() as u64 {
            file.write_all(&block).unwrap();
        }
        let store = Store::new(Descriptor::new(OwnedFd::from(file.try_clone().unwrap())), BYTES);
        let pool = Pool::new(std::thread::available_parallelism().map_or(1, usize::from));
        let source = Source::File(Arc::new(store));
        let memory = RefCell::new(vec![1; usize::try_from(BYTES).unwrap() + 8192]);
        Self { file, source, pool, memory, filter: std::env::args().nth(1) }
    }

    fn wanted(&self, name: &str) -> bool {
        self.filter.as_deref().is_none_or(|filter| name.contains(filter))
    }

    fn throughput(&self, name: &str, phase: usize, bytes: u64, read: impl Fn(&mut [u8])) {
        if !self.wanted(name) {
            return;
        }
        // One buffer for all, always the same pages: the application's memory is warm.
        let mut memory = self.memory.borrow_mut();
        let skip = memory.as_ptr().align_offset(4096) + phase;
        let memory = &mut memory[skip..][..usize::try_from(BYTES).unwrap()];
        let (mut best, mut least) = (f64::MAX, f64::MAX);
        for _ in 0..10 {
            let (begin, used) = (Instant::now(), processor_time());
            read(memory);
            best = best.min(begin.elapsed().as_secs_f64());
            least = least.min(processor_time() - used);
        }
        let gigabytes = f64::from(u32::try_from(bytes).unwrap()) / 1e9;
        println!(
            "+{phase:<2} {name:<36} {:>8.2} ms {:>6.2} GB/s, {:>8.2} ms of processor {:>6.2} GB/s",
            best * 1e3,
            gigabytes / best,
            least * 1e3,
            gigabytes / least
        );
    }

    fn plain(&self, memory: &mut [u8]) {
        let (file, length) = (&self.file, memory.len() / self.pool.threads());
        std::thread::scope(|scope| {
            for (number, part) in memory.chunks_mut(length).enumerate() {
                scope.spawn(move || {
                    for (turn, piece) in part.chunks_mut(1 << 20).enumerate() {
                        let offset = (number * length) as u64 + ((turn as u64) << 20);
                        file.read_exact_at(piece, offset).unwrap();
                    }
                });
            }
        });
    }

    fn read(&self, layout: Layout, file: &Selection, to: &Selection, memory: &mut [u8]) {
        let part = Part {
            source: &self.source,
            layout,
            element: 4,
            conversion: None,
            file: file.clone(),
            file_in_order: true,
            memory_selection: to.clone(),
            memory: Memory::from_slice(memory),
            fill: Fill::Untouched,
        };
        Engine::new(&self.pool).read(&mut Request { parts: vec![part] }).unwrap();
    }

    fn small(&self) {
        let mut memory = vec![0_u8; 4096];
        let matrix = Extent::new(&[SIDE, SIDE]).unwrap();
        let line = Selection::tile(&matrix, &[5, 16], &[1, 16]).unwrap();
        let into = Selection::all(&Extent::new(&[16]).unwrap());
        self.nanoseconds("pread of 64 bytes", || {
            self.file.read_exact_at(black_box(&mut [0; 64]), 1 << 20).unwrap();
        });
        self.nanoseconds("making the request for it", || {
            black_box(Request {
                parts: vec![Part {
                    source: &self.source,
                    layout: Layout::Contiguous(0),
                    element: 4,
                    conversion: None,
                    file: line.clone(),
                    file_in_order: true,
                    memory_selection: into.clone(),
                    memory: Memory::from_slice(&mut []),
                    fill: Fill::Untouched,
                }],
            });
        });
        self.nanoseconds("contiguous 64 bytes", || {
            self.read(Layout::Contiguous(0), &line, &into, &mut memory);
        });
        let narrow = Extent::new(&[SIDE, 256]).unwrap();
        let square = Selection::all(&Extent::new(&[16, 16]).unwrap());
        let tile = Selection::tile(&narrow, &[5, 16], &[16, 16]).unwrap();
        self.nanoseconds("16 x 16 tile of 256 columns", || {
            self.read(Layout::Contiguous(0), &tile, &square, &mut memory);
        });
        self.nanoseconds("pread of the same 15.4 KiB", || {
            self.file.read_exact_at(black_box(&mut [0; 15424]), 1 << 20).unwrap();
        });
        let tile = Selection::tile(&matrix, &[5, 16], &[16, 16]).unwrap();
        self.nanoseconds("16 x 16 tile of 8192 columns", || {
            self.read(Layout::Contiguous(0), &tile, &square, &mut memory);
        });
        let layout = chunked(&matrix, &[64, 64], &tile);
        self.nanoseconds("16 x 16 tile of a 64 x 64 chunk", || {
            self.read(layout.clone(), &tile, &square, &mut memory);
        });
        let tile = Selection::tile(&matrix, &[60, 60], &[16, 16]).unwrap();
        let layout = chunked(&matrix, &[64, 64], &tile);
        self.nanoseconds("16 x 16 tile of four 64 x 64 chunks", || {
            self.read(layout.clone(), &tile, &square, &mut memory);
        });
    }

    fn nanoseconds(&self, name: &str, mut work: impl FnMut()) {
        if !self.wanted(name) {
            return;
        }
        let mut best = f64::MAX;
        for _ in 0..50 {
            let begin = processor_time();
            for _ in 0..2000 {
                work();
            }
            best = best.min((processor_time() - begin) / 2000.0);
        }
        println!("    {name:<40} {:>9.0} ns", best * 1e9);
    }
}

/// Seconds that all threads of this process have worked: less shaken than the time by what else is running.
fn processor_time() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock exists and the time is written to a local.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    f64::from(u32::try_from(time.tv_sec).unwrap()) + f64::from(u32::try_from(time.tv_nsec).unwrap()) * 1e-9
}

/// The touched chunks, all stored, in an order far from that of the grid.
fn chunked(extent: &Extent, chunk: &[u64], selection: &Selection) -> Layout {
    let grid = ChunkGrid::new(extent, chunk).unwrap();
    let total: u64 = grid.shape().iter().product();
    let bytes = grid.chunk_len() * 4;
    let touched = grid.touched(selection).unwrap();
    // Groups of eight neighbours are neighbours in the file too.
    let place = |number: u64| (number / 8 * 8 * 1_000_003) % total + number % 8;
    let chunks = touched.iter().map(|chunk| ChunkAddress::At(place(chunk.number) * bytes)).collect();
    Layout::Chunked { grid, chunks }
}
