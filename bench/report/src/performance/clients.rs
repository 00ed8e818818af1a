//! Clients of HDF5, natively and through bypass.

use crate::causes;
use crate::clients::{Beside, ClientResults, ClientRow, Connector};
use crate::figures::{counted, libraries, machine, ratio, ratios, speeds};
use crate::groups::groups;
use crate::{Measured, Outcome};

use super::markup::{Text, code, escape};
use super::{UNKNOWN, list};

/// Reasons that are shown per row.
const SHOWN: usize = 2;

pub(super) fn write(results: &ClientResults, text: &mut Text) {
    text.paragraph("## Through the clients");
    about(results, text);
    let plain = results.results();
    for group in groups(&plain) {
        let rows: Vec<_> = results.rows.iter().filter(|row| row.row.group == group).collect();
        table(group, &rows, text);
    }
    misses(results, text);
    not_measured(results, text);
}

fn about(results: &ClientResults, text: &mut Text) {
    let about = &results.about;
    let missed = results.rows.iter().filter(|row| row.is_missed()).count();
    let explained = results.rows.iter().filter(|row| row.is_explained()).count();
    let measured = results.rows.iter().filter(|row| row.measured().is_some()).count();
    text.paragraph(&format!(
        "What users of h5py, PyTables, pandas, netCDF4 and xarray write, without a change. {} of {} met, {missed} missed, \
         {explained} of them because of what HDF5's layers cost any connector.",
        measured - missed,
        counted(measured, "target is", "targets are"),
    ));
    let packages = results.packages.iter().map(|(name, version)| format!("{name} {version}"));
    let packages = packages.collect::<Vec<_>>().join("; ");
    let rounds = counted(about.rounds as usize, "round", "rounds");
    text.list(&[
        format!("**Machine:** {}", escape(&machine(about))),
        format!("**Date:** {}; load of the machine at the start {:.2}", escape(&about.date), about.load),
        format!(
            "**Versions:** h5bypass {}; {}; {}",
            escape(&about.version),
            escape(&libraries(about)),
            escape(&packages)
        ),
        format!("**Command:** {}", code(&about.command)),
        format!("**Data:** random walks of floats, whose low bytes are noise, and real files; warm cache; {rounds}"),
    ]);
    text.paragraph(
        "Each case runs in four processes that take turns, in a random order in each round: native HDF5, native HDF5 again, \
         HDF5's own connector `pass_through`, and bypass. *Floor* is native time divided by the time of `pass_through`: what \
         HDF5's layers cost any connector. *Noise* is native time divided by native time, as the range between the quartiles. \
         *cpu* is the ratio for the processor time of all threads. *Left to HDF5* counts calls of the bypass process that the \
         connector passed on, with the [reasons](reasons.md). What is read or written is the same in all four processes. The \
         time includes opening and closing files, but no imports.",
    );
}

fn table(group: &str, rows: &[&ClientRow], text: &mut Text) {
    let measured: Vec<_> = rows.iter().filter_map(|row| Some((*row, row.measured()?))).collect();
    if measured.is_empty() {
        return;
    }
    text.heading(&[
        &escape(group),
        "native",
        "bypass",
        "times as fast",
        "middle half",
        "target",
        "floor",
        "noise",
        "cpu",
        "left to HDF5",
    ]);
    for (row, (measured, beside)) in measured {
        text.cells(&cells(row, measured, beside));
    }
}

fn cells(row: &ClientRow, measured: &Measured, beside: &Beside) -> Vec<String> {
    let [native, bypass] = speeds(measured);
    let times = ratio(measured.ratio.median);
    let verdict = match (row.is_missed(), row.is_explained()) {
        (false, _) => "OK",
        (true, true) => "floor",
        (true, false) => "**MISS**",
    };
    vec![
        format!("{} ({})", escape(&row.row.what), code(&row.row.name)),
        native,
        bypass,
        if row.row.is_slower() { format!("*{times}*") } else { format!("**{times}**") },
        ratios(&measured.ratio),
        format!("{} {verdict}", row.row.asked.ratio.map_or_else(String::new, ratio)).trim().to_owned(),
        ratio(beside.floor.median),
        beside.noise.as_ref().map_or_else(String::new, ratios),
        ratio(measured.cpu_ratio.median),
        left_to_hdf5(&beside.connector),
    ]
}

/// Which share of the calls, and the main reasons.
fn left_to_hdf5(connector: &Connector) -> String {
    let Connector { reads, writes, reasons } = connector;
    let passed_on = reads.passed_on.saturating_add(writes.passed_on);
    if passed_on == 0 {
        return String::new();
    }
    let all = passed_on.saturating_add(reads.bypassed).saturating_add(writes.bypassed);
    let codes: Vec<_> = reasons.iter().take(SHOWN).map(|reason| code(&reason.code)).collect();
    // In whole numbers, and never none: something was.
    let percent = (u128::from(passed_on) * 100 / u128::from(all)).max(1);
    format!("{percent} %: {}", codes.join(", "))
}

/// Every row below its target, with the cause.
fn misses(results: &ClientResults, text: &mut Text) {
    let items = results.rows.iter().filter(|row| row.is_missed()).filter_map(|row| {
        let (_, beside) = row.measured()?;
        let cause = match causes::of(&row.row) {
            _ if row.is_explained() => {
                format!("HDF5's layers cost any connector as much: floor {}", ratio(beside.floor.median))
            }
            Some(cause) => cause.to_owned(),
            None => format!("**{UNKNOWN}**"),
        };
        let (what, name) = (escape(&row.row.what), code(&row.row.name));
        let misses: Vec<_> = row.row.misses().iter().map(|miss| escape(miss)).collect();
        Some(format!("{what} ({name}): {}. {cause}.", misses.join("; ")))
    });
    list("Rows below their targets:", &items.collect::<Vec<_>>(), text);
}

fn not_measured(results: &ClientResults, text: &mut Text) {
    let items = results.rows.iter().filter_map(|row| {
        let (what, why) = match &row.row.outcome {
            Outcome::Measured(_) => return None,
            Outcome::Skipped(why) => ("skipped", why),
            Outcome::Failed(why) => ("**failed**", why),
        };
        Some(format!("{} ({}): {what}: {}", escape(&row.row.what), code(&row.row.name), escape(why)))
    });
    list("Not measured:", &items.collect::<Vec<_>>(), text);
}
