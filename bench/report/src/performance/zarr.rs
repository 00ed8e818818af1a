//! h5py on Zarr directories beside other implementations of Zarr.

use crate::figures::{bytes, counted, duration, ratio, ratios};
use crate::peers::Machine;
use crate::zarr::{Case, Line, ZarrResults};

use super::markup::{Text, code, escape};

/// What was found out by measuring the libraries alone, not guessed.
const CAUSES: &str = "zarr-python decodes and encodes on all cores, too, with the same C libraries for zstd and blosc. libzstd alone takes 174 ms of \
     one core for the 256 MiB of the zstd row, and blosc 148 ms for those with zstd: two cores need half of that, without reading files \
     and without storing the result, and zarr-python takes less than 5 times as long. Opening and closing takes the connector 0.3 ms. Why \
     tensorstore reads small arrays faster is not known yet.";

pub(super) fn write(results: &ZarrResults, text: &mut Text) {
    text.paragraph("## HDF5 programs on Zarr");
    about(results, text);
    let heading: Vec<String> = results.peers.iter().map(|peer| escape(&peer.what)).collect();
    let mut columns = vec![String::new(), "array".to_owned()];
    columns.extend(heading);
    text.heading(&columns.iter().map(String::as_str).collect::<Vec<_>>());
    for case in &results.cases {
        let mut cells = vec![escape(&case.what), format!("{} MiB", case.mebibytes)];
        cells.extend(results.peers.iter().map(|peer| cell(&case.lines, &peer.name)));
        text.cells(&cells);
    }
    missed(results, text);
    text.paragraph(&format!(
        "A container of {} arrays in 100 groups with consolidated metadata, opened anew each time:",
        results.arrays
    ));
    let items: Vec<String> = results
        .many
        .iter()
        .map(|many| {
            let one = |line: &Line| {
                let what = results.peers.iter().find(|peer| peer.name == line.peer);
                let what = what.map_or(&line.peer, |peer| &peer.what);
                format!("{} {}", escape(what), duration(line.seconds.median))
            };
            let lines: Vec<String> = many.lines.iter().map(one).collect();
            format!("{}: {}", escape(&many.what), lines.join(", "))
        })
        .collect();
    text.list(&items);
}

/// How many times our time another one is asked to take for a whole array.
fn asked(peer: &str) -> f64 {
    if peer == "zarr-python" { 5.0 } else { 1.0 }
}

/// Whole reads and writes that are less than what is asked, and why, as far as it was found out.
fn missed(results: &ZarrResults, text: &mut Text) {
    let of_case = |case: &Case| {
        let less: Vec<String> = case
            .lines
            .iter()
            .skip(1)
            .filter(|line| line.times_ours.median < asked(&line.peer))
            .map(|line| format!("{} {}", escape(&line.peer), ratio(line.times_ours.median)))
            .collect();
        let is_whole = !case.name.starts_with("rows-");
        (is_whole && !less.is_empty())
            .then(|| format!("{}, {} MiB: {}", escape(&case.what), case.mebibytes, less.join(", ")))
    };
    let items: Vec<String> = results.cases.iter().filter_map(of_case).collect();
    if items.is_empty() {
        return;
    }
    text.paragraph(
        "Asked of reads and writes of a whole array is to be as fast as zarrs and tensorstore, and 5 times as fast as zarr-python. \
         Less than that have:",
    );
    text.list(&items);
    text.paragraph(CAUSES);
}

/// A time and, for others, how many times ours it is.
fn cell(lines: &[Line], peer: &str) -> String {
    let (Some(line), Some(first)) = (lines.iter().find(|line| line.peer == peer), lines.first()) else {
        return String::new();
    };
    let time = duration(line.seconds.median);
    if line.peer == first.peer {
        return format!("**{time}**");
    }
    format!("{time} ({}; {})", ratio(line.times_ours.median), ratios(&line.times_ours))
}

fn about(results: &ZarrResults, text: &mut Text) {
    text.paragraph(
        "The connector `zarr` ([zarr.md](zarr.md)) beside other implementations of Zarr. All read the same files, made by \
         zarr-python, and write the same array with the same codec and level; what they read and write is compared. Each is a \
         process of its own, and they take turns. Opening and closing are part of the time. In brackets: its time divided by \
         the connector's, round by round, and the range between the quartiles; above 1 the connector is faster.",
    );
    let Machine { processor, cores, memory, system } = &results.machine;
    let cores = counted(*cores as usize, "core", "cores");
    let packages: Vec<String> =
        results.packages.iter().map(|(name, version)| format!("{name} {version}")).collect();
    let versions = format!(
        "h5bypass {}; HDF5 {}; {}; Python {}",
        results.version,
        results.hdf5,
        packages.join(", "),
        results.python
    );
    let chunk: Vec<String> = results.chunk.iter().map(u32::to_string).collect();
    text.list(&[
        format!(
            "**Machine:** {}, {cores}, {} of memory, {}",
            escape(processor),
            bytes(*memory),
            escape(system)
        ),
        format!("**Date:** {}; load of the machine at the start {:.2}", escape(&results.date), results.load),
        format!("**Versions:** {}", escape(&versions)),
        format!("**Command:** {}", code(&results.command)),
        format!(
            "**Data:** a random walk with noise, 32-bit floats in chunks of {}, warm cache; {}, three times as many for \
             small arrays",
            chunk.join(" × "),
            counted(results.rounds as usize, "round", "rounds")
        ),
    ]);
}
