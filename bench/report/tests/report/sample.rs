//! Made-up results with everything that real ones may have, and names that somebody chose with bad intent.

use bench_report::{
    About, Arrangement, Asked, Cell, FORMAT, Layout, Library, Measured, Mode, Operation, Outcome, Peak,
    Proof, Results, Row, Sizes, Span, Spread, Thread, Timeline, Times, Unit,
};

const MIB: u64 = 1 << 20;

/// A name that ends everything it may stand in, and steers terminals.
pub(crate) const NASTY: &str = "</script><script>document.title='x'</script><img src=x onerror=alert(1)> \"'&|`*_[x](y) \u{1b}[31m\u{202e}";

/// About ninety rows.
pub(crate) fn sample() -> Results {
    let mut rows = plain_reads();
    rows.extend(compressed_reads());
    rows.extend(writes());
    rows.extend(small_calls());
    rows.extend(matrix());
    rows.extend(scaling());
    rows.extend(nasty());
    Results { format: FORMAT, about: about(), rows, timeline: Some(timeline()) }
}

pub(crate) fn about() -> About {
    let library = |name: &str, version: &str, is_thread_safe| Library {
        name: name.to_owned(),
        version: version.to_owned(),
        is_thread_safe,
    };
    About {
        command: "h5bypass bench --rounds 11 --json results.json --html results.html".to_owned(),
        date: "2026-11-16".to_owned(),
        version: "0.1.0".to_owned(),
        processor: "AMD EPYC 7763 64-Core Processor".to_owned(),
        processor_model: Some("family 25, model 1, stepping 1".to_owned()),
        cores: 2,
        memory: 8 << 30,
        system: "Linux 6.1.0-13-amd64".to_owned(),
        file_system: "ext4".to_owned(),
        libraries: vec![library("h5py", "2.0.0", false), library("tables", "1.14.6", true)],
        rounds: 11,
        mebibytes: 256,
        is_cold: false,
        load: 0.12,
        ratio_of: bench_report::RatioOf::Rounds,
        file: None,
    }
}

/// A figure of which half of the rounds are within four percent.
pub(crate) fn spread(median: f64) -> Spread {
    Spread { median, low: median * 0.96, high: median * 1.04 }
}

fn times(seconds: f64, cpu: f64) -> Times {
    Times { seconds: spread(seconds), cpu: spread(cpu) }
}

/// A row that reads or writes 256 MiB natively at this many GB/s, and through bypass so many times as fast.
pub(crate) fn row(name: &str, group: &str, what: &str, gigabytes: f64, ratio: f64) -> Row {
    let bytes = 256 * MIB;
    let native = 268_435_456.0 / gigabytes / 1e9;
    let measured = Measured {
        bytes,
        calls: 1,
        unit: Unit::Rate,
        native: times(native, native),
        bypass: times(native / ratio, native / ratio * 1.6),
        limit: None,
        ratio: spread(ratio),
        cpu_ratio: spread(ratio / 1.6),
        share: None,
        peak: None,
        sizes: None,
        proof: Proof::Bypassed,
    };
    Row {
        name: name.to_owned(),
        group: group.to_owned(),
        what: what.to_owned(),
        library: "h5py".to_owned(),
        application_threads: 1,
        pool_threads: 2,
        cell: None,
        asked: Asked::default(),
        outcome: Outcome::Measured(Box::new(measured)),
    }
}

/// The same for calls that take so many microseconds natively.
pub(crate) fn small(name: &str, group: &str, what: &str, microseconds: f64, ratio: f64) -> Row {
    let mut row = row(name, group, what, 1.0, ratio);
    let calls = 4096;
    row.change(|measured| {
        let native = microseconds * 1e-6 * 4096.0;
        measured.unit = Unit::PerCall;
        measured.calls = calls;
        measured.bytes = calls * 64;
        measured.native = times(native, native);
        measured.bypass = times(native / ratio, native / ratio);
        measured.cpu_ratio = spread(ratio);
    });
    row
}

/// What rows of the sample are made of.
pub(crate) trait Make: Sized {
    fn asking(self, ratio: f64) -> Self;
    fn with_limit(self, share: f64, asked: Option<f64>) -> Self;
    fn change(&mut self, change: impl FnOnce(&mut Measured));
    fn with(self, change: impl FnOnce(&mut Measured)) -> Self;
}

impl Make for Row {
    fn asking(mut self, ratio: f64) -> Self {
        self.asked.ratio = Some(ratio);
        self
    }

    fn with_limit(mut self, share: f64, asked: Option<f64>) -> Self {
        self.asked.share = asked;
        self.with(|measured| {
            let seconds = measured.bypass.seconds.median * share;
            measured.limit = Some(times(seconds, seconds * 1.9));
            measured.share = Some(spread(share));
        })
    }

    fn change(&mut self, change: impl FnOnce(&mut Measured)) {
        if let Outcome::Measured(measured) = &mut self.outcome {
            change(measured);
        }
    }

    fn with(mut self, change: impl FnOnce(&mut Measured)) -> Self {
        self.change(change);
        self
    }
}

fn plain_reads() -> Vec<Row> {
    let row = |name, what, gigabytes, ratio| row(name, "Uncompressed reads", what, gigabytes, ratio);
    vec![
        row("contiguous", "all of a contiguous matrix", 4.1, 1.52).asking(1.3).with_limit(1.0, Some(0.9)),
        row("tiles", "1000 x 1000 tiles of it", 1.62, 4.7).asking(4.0),
        small("small-tiles", "Uncompressed reads", "16 x 16 tiles at random places", 7.2, 3.31).asking(3.0),
        row("chunks-1MiB", "all of it in chunks of 1 MiB", 3.2, 1.9).asking(1.6),
        row("chunks-64KiB", "all of it in chunks of 64 KiB", 2.4, 2.2).asking(2.0),
        row("chunks-16KiB", "all of it in chunks of 16 KiB", 1.7, 2.87).asking(3.0),
        row("slabs", "100 rows at a time, 1 MiB chunks", 0.93, 5.3).asking(3.0),
        row("second-rows", "every 2nd row, 1 MiB chunks", 0.06, 42.0).asking(10.0),
        row("second-columns", "every 2nd column, contiguous", 0.11, 13.0).asking(4.0),
        small("column", "Uncompressed reads", "one column, contiguous", 2310.0, 6.7).asking(1.5),
        row("multi-large", "H5Dread_multi of 8 x 16 MiB", 3.9, 1.42).asking(1.3),
        small("multi-small", "Uncompressed reads", "H5Dread_multi of 256 x 4 KiB", 412.0, 3.1).asking(2.0),
    ]
}

fn compressed_reads() -> Vec<Row> {
    let row =
        |name, what, gigabytes, ratio| row(name, "Compressed and converted reads", what, gigabytes, ratio);
    let peak = Some(Peak { native: 18 * MIB, bypass: 6 * MIB });
    let mut gzip = row("gzip", "all, gzip 4 + shuffle, 1 MiB of rows", 0.36, 5.02)
        .asking(4.5)
        .with_limit(1.04, Some(0.8))
        .with(|measured| measured.peak = peak);
    gzip.asked.peak = Some(64 * MIB);
    vec![
        gzip,
        row("square", "all, the same in 512 x 512 chunks", 0.35, 4.41)
            .asking(4.5)
            .with_limit(1.01, Some(0.8)),
        row("lzf", "all, lzf + shuffle", 0.42, 7.2).asking(4.0).with_limit(0.93, None),
        row("zstd", "all, zstd 3 + shuffle", 0.81, 2.7).asking(2.0).with_limit(0.88, None),
        row("column-bands", "512 columns of 128 x 128 gzip tiles", 0.31, 4.0).asking(4.0),
        small("rows", "Compressed and converted reads", "row by row inside gzip chunks", 21.0, 2.5)
            .asking(2.0),
        row("doubles", "big-endian f8 to f4", 0.028, 71.0).asking(30.0).with_limit(0.71, None),
        row("shorts", "i2 to f4", 0.9, 3.1).asking(2.5).with_limit(0.82, None),
        row("field-gzip", "one of 20 fields, gzip", 0.21, 5.7).asking(3.0),
        row("rows-across", "rows across 512 x 512 gzip chunks", 0.004, 87.0),
        Row {
            outcome: Outcome::Skipped("this libhdf5 finds no filter 32001 (blosc)".to_owned()),
            ..row("blosc", "all, blosc lz4", 1.0, 1.0)
        },
    ]
}

fn writes() -> Vec<Row> {
    let row = |name, what, gigabytes, ratio| row(name, "Writes", what, gigabytes, ratio);
    let sizes = Some(Sizes { native: 91_204_112, bypass: 91_932_840 });
    let mut gzip = row("write-gzip-f8", "f8, gzip 4 + shuffle", 0.07, 6.1)
        .asking(5.0)
        .with_limit(1.12, None)
        .with(|measured| measured.sizes = sizes);
    gzip.asked.larger_percent = Some(5.0);
    vec![
        gzip,
        row("write-gzip-i4", "i4, gzip 4 + shuffle", 0.08, 4.9).asking(5.0).with_limit(1.06, None),
        row("write-lzf", "f4, lzf + shuffle", 0.29, 3.6).asking(3.0),
        row("write-append", "8 rows at a time, growing, gzip", 0.09, 3.0).asking(2.0),
        row("write-chunks-1MiB", "all in chunks of 1 MiB", 1.1, 1.46).asking(1.2).with_limit(0.91, None),
        row("write-contiguous", "all, contiguous", 1.4, 1.01)
            .asking(1.0)
            .with(|measured| measured.proof = Proof::Decided("one thread writes at a time".to_owned())),
        row("write-converted", "f8 to big-endian f4, 1 MiB chunks", 0.03, 41.0),
        small("write-64-bytes", "Writes", "64 bytes at a time, contiguous", 0.71, 0.31),
        small("write-64-bytes-chunks", "Writes", "the same, 16 KiB chunks", 0.93, 0.42),
        small("write-files", "Writes", "create, write 4 KiB, close", 88.0, 0.61),
    ]
}

fn small_calls() -> Vec<Row> {
    let small = |name, what, microseconds, ratio| small(name, "Small calls", what, microseconds, ratio);
    vec![
        small("64-bytes", "64 bytes at a time, in order", 0.92, 1.41).asking(0.9),
        small("open-read-close", "open, read 64 bytes, close", 61.0, 0.95).asking(0.9),
        small("multi-small-first", "H5Dread_multi of 256 x 4 KiB, each just opened", 2900.0, 0.66)
            .asking(2.0),
        small("many-first", "first 4 KiB of a million chunks", 240.0, 0.97).asking(0.9),
        Row {
            outcome: Outcome::Failed(
                "wrong data: 3 bytes of dataset 'many' differ\nfrom what native HDF5 reads".to_owned(),
            ),
            ..small("many-later", "later 4 KiB of a million chunks", 1.0, 1.0).asking(0.9)
        },
    ]
}

const MODES: [(Mode, &str, u32, u32); 3] = [
    (Mode::Application, "threads", 4, 1),
    (Mode::ApplicationAndPool, "both", 4, 2),
    (Mode::Pool, "pool", 1, 2),
];
const ARRANGEMENTS: [(Arrangement, &str); 4] = [
    (Arrangement::OneDataset, "one"),
    (Arrangement::Datasets, "datasets"),
    (Arrangement::Files, "files"),
    (Arrangement::DatasetsInFiles, "datasets-in-files"),
];

fn matrix() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut step = 0_u32;
    for (operation, verb) in [(Operation::Read, "read"), (Operation::Write, "write")] {
        for (arrangement, place) in ARRANGEMENTS {
            for (layout, stored) in [(Layout::Contiguous, "contiguous"), (Layout::Chunked, "chunked")] {
                for (mode, whose, application_threads, pool_threads) in MODES {
                    step += 1;
                    let base = if operation == Operation::Read { 1.5 } else { 0.9 };
                    let ratio = base + f64::from(step * 7 % 11) / 8.0;
                    let name = format!("matrix-{verb}-{place}-{stored}-{whose}");
                    let what = format!("{verb} {place}, {stored}, {whose}");
                    let gigabytes = 1.6 + f64::from(step * 5 % 7) / 4.0;
                    let mut row = row(&name, "Matrix", &what, gigabytes, ratio);
                    "tables".clone_into(&mut row.library);
                    row.cell = Some(Cell { operation, mode, arrangement, layout });
                    (row.application_threads, row.pool_threads) = (application_threads, pool_threads);
                    if operation == Operation::Read {
                        row = row.asking(1.4);
                    }
                    if step == 9 {
                        row.asked.ratio = Some(4.0);
                    }
                    if step == 17 {
                        row.outcome = Outcome::Failed("the worker was killed by signal 9".to_owned());
                    }
                    rows.push(row);
                }
            }
        }
    }
    rows
}

fn scaling() -> Vec<Row> {
    let mut rows = Vec::new();
    for (threads, ratio, share) in [(1, 2.7, 1.02), (2, 5.1, 1.01), (4, 5.2, 0.98), (8, 5.0, 0.97)] {
        let what = format!("gzip, pool of {threads}");
        let mut row =
            row(&format!("scaling-pool-{threads}"), "Scaling", &what, 0.36, ratio).with_limit(share, None);
        row.pool_threads = threads;
        rows.push(row);
    }
    for (threads, gigabytes, ratio) in [(1, 3.4, 1.5), (2, 3.1, 2.0), (4, 2.8, 2.4), (8, 2.5, 2.6)] {
        let what = format!("contiguous, {threads} application threads");
        let name = format!("scaling-application-{threads}");
        let mut row = row(&name, "Scaling", &what, gigabytes, ratio).with_limit(0.96, None);
        (row.application_threads, row.library) = (threads, "tables".to_owned());
        rows.push(row);
    }
    rows
}

fn nasty() -> Vec<Row> {
    let long = "a-very-long-path-of-a-dataset/".repeat(7);
    let mut passed_on = row("own-nasty", NASTY, &format!("/{NASTY}"), 0.5, 1.02);
    passed_on.change(|measured| measured.proof = Proof::PassedOn(format!("a filter named {NASTY}")));
    vec![
        passed_on,
        row("own-long", NASTY, &long[..200], 0.5, 2.0),
        Row { outcome: Outcome::Failed(NASTY.to_owned()), ..row(NASTY, NASTY, "深さ 温度", 0.5, 1.0) },
    ]
}

/// Four threads over 40 ms, with spans in spans.
fn timeline() -> Timeline {
    let span = |kind: &str, start, duration| Span { kind: kind.to_owned(), start, duration };
    let threads = ["main", "bypass pool 1", "bypass pool 2", NASTY].map(|name| {
        let mut spans = vec![span("read", 0.0, 40_000.0), span("plan", 20.0, 800.0)];
        for start in (1000..39_000).step_by(200).map(f64::from) {
            spans.push(span("fetch", start, 30.0));
            spans.push(span("decode", start + 30.0, 120.0));
            spans.push(span("lock wait", start + 150.0, 20.0));
            spans.push(span(NASTY, start + 170.0, 25.0));
        }
        Thread { name: name.to_owned(), spans }
    });
    Timeline { what: format!("one read of 256 MiB, gzip 4 + shuffle {NASTY}"), threads: threads.to_vec() }
}
