//! h5py on Zarr directories beside other implementations of Zarr.

use crate::figures::{bytes, counted, duration, ratio, ratios};
use crate::peers::Machine;
use crate::zarr::{Line, ZarrResults};

use super::markup::{Text, code, escape};

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
