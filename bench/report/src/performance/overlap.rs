//! How much I/O goes on while a program computes.

use crate::figures::{bytes, counted, duration, ratio, ratios};
use crate::overlap::{Calls, Loop, NewChunks, OverlapResults, Submitting};
use crate::peers::Machine;

use super::markup::{Text, code, escape};

pub(super) fn write(results: &OverlapResults, text: &mut Text) {
    text.paragraph("## While the program computes");
    about(results, text);
    calls(results, text);
    others(results, text);
    loops(results, text);
}

fn about(results: &OverlapResults, text: &mut Text) {
    text.paragraph(
        "Asynchronous calls go on after they have returned, and ordinary programs have chunks decoded ahead and encoded behind \
         ([asynchronous.md](asynchronous.md)). *W* is what one thread takes for the I/O alone, *C* what the program computes. On two \
         cores both take *at best* the longer one of C and (C + W) / 2: C + W is all the work there is, and the program computes on \
         one core only.",
    );
    let Machine { processor, cores, memory, system } = &results.machine;
    let cores = counted(*cores as usize, "core", "cores");
    let libraries = results.libraries.iter().map(|one| format!("HDF5 {} of {}", one.version, one.name));
    let libraries = libraries.collect::<Vec<_>>().join("; ");
    let versions = format!(
        "h5bypass {}; {libraries}; h5py {} with HDF5 {}; Python {}",
        results.version, results.h5py.h5py, results.h5py.hdf5, results.python
    );
    let rounds = counted(results.rounds as usize, "round", "rounds");
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
            "**Data:** {} MiB of floats in gzip chunks of 1 MiB, warm cache; two threads, the program's own among them; {rounds}",
            results.mebibytes
        ),
    ]);
}

fn calls(results: &OverlapResults, text: &mut Text) {
    text.paragraph("A C program with event sets; one call for the whole dataset:");
    text.heading(&["", "native HDF5 alone", "alone", "W", "C", "together", "middle half", "at best"]);
    for calls in &results.calls {
        let Calls { library, what, work, plain, native, points, .. } = calls;
        for point in points {
            let spread = &point.together;
            text.cells(&[
                format!("{}, {}", escape(what), escape(library)),
                native.map_or_else(String::new, duration),
                duration(*plain),
                duration(*work),
                duration(point.compute),
                format!("**{}**", duration(spread.median)),
                format!("{}..{}", duration(spread.low), duration(spread.high)),
                duration(calls.at_best(point)),
            ]);
        }
    }
}

fn others(results: &OverlapResults, text: &mut Text) {
    let submitting = results.submitting.iter().map(|Submitting { library, kib, median, high, idle }| {
        let [median, high, idle_median, idle_high] =
            [*median, *high, idle.median, idle.high].map(duration);
        format!(
            "{}: an asynchronous read of {kib} KiB returns after {median}, 99 of 100 within {high}; with a connector that \
             does nothing, and only makes a request, after {idle_median} and {idle_high}",
            escape(library)
        )
    });
    let new = results.new_chunks.iter().map(|NewChunks { library, plain, asynchronous }| {
        format!(
            "{}: new chunks without filters, which HDF5 must find places for: {}, asynchronous {}",
            escape(library),
            duration(*plain),
            duration(*asynchronous)
        )
    });
    text.list(&submitting.chain(new).collect::<Vec<_>>());
}

fn loops(results: &OverlapResults, text: &mut Text) {
    text.paragraph(
        "An h5py script that knows nothing of this: a loop that reads or writes part of a dataset, and computes. *Without* is the \
         same with reading ahead and writing behind switched off. What is computed is an amount, not a time.",
    );
    text.heading(&[
        "",
        "native HDF5",
        "alone",
        "W",
        "C",
        "without",
        "with",
        "at best",
        "times as fast",
        "middle half",
        "at best",
    ]);
    for one in &results.loops {
        let Loop { what, work, plain, compute, without, together, native, .. } = one;
        let mut cells = vec![escape(what)];
        cells.extend([native.median, *plain, *work, *compute, without.median].map(duration));
        cells.push(format!("**{}**", duration(together.median)));
        cells.push(duration(one.at_best()));
        cells.push(format!("**{}**", ratio(one.gain())));
        cells.push(ratios(&one.gains()));
        cells.push(ratio(one.largest_gain()));
        text.cells(&cells);
    }
    text.paragraph(
        "Where reads use both cores already, little can overlap. If the I/O takes W / 2 then, and the program computes for as \
         long, both take W one after the other, and at best (W / 2 + W) / 2, three quarters of that: 1.33 times as fast is the most \
         that two cores allow. Where a call keeps one core busy (one chunk at a time), 2 is the most.",
    );
}
