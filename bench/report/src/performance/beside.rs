//! Other libraries beside us.

use std::collections::BTreeMap;

use crate::figures::{bytes, counted, duration, ratio, ratios, three_digits};
use crate::peers::{BYPASS, Case, Figures, Line, Machine, NATIVE, Peer, PeerResults, Proof, Verdict};

use super::list;
use super::markup::{Text, code, escape};

pub(super) fn write(results: &PeerResults, text: &mut Text) {
    text.paragraph("## Beside other libraries");
    about(results, text);
    table(results, text);
    faster(results, text);
    notes(results, text);
}

fn about(results: &PeerResults, text: &mut Text) {
    text.paragraph(
        "The same array of floats, stored in several ways, read and written by what else one might pick. Each case is what \
         a short script does: open the file, read or write, close it; all of that is measured.",
    );
    let Machine { processor, cores, memory, system } = &results.machine;
    let cores = counted(*cores as usize, "core", "cores");
    let packages: BTreeMap<_, _> = results.peers.iter().flat_map(|peer| &peer.versions).collect();
    let packages: Vec<_> = packages.into_iter().map(|(name, version)| format!("{name} {version}")).collect();
    let PeerResults { version, hdf5, python, .. } = results;
    let versions =
        format!("h5bypass {version}; HDF5 {hdf5} of h5py; Python {python}; {}", packages.join("; "));
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
        format!("**Data:** an array of {} MiB, warm cache; {rounds}", results.mebibytes),
    ]);
    text.paragraph(
        "All take turns, each in a process of its own, in an order drawn anew in each round. The figure is how many times \
         as fast as h5py with native HDF5 it is: the median over the rounds, and in brackets their middle half. What is \
         in bold is faster than we are. Who reads another format than HDF5 reads the same values from files with the same \
         chunks (one, for what HDF5 stores in one piece) and the same codec. Before a case is measured, all that each has \
         read is compared with what h5py reads natively; what each has written is read again for that, by h5py if it is \
         HDF5, else by who wrote it.",
    );
}

fn table(results: &PeerResults, text: &mut Text) {
    let names = results.peers.iter().map(|peer| {
        let ours = if peer.instead_of.is_some() { " (ours)" } else { "" };
        format!("{}{ours}", escape(&peer.what))
    });
    let names: Vec<String> = names.collect();
    let headings: Vec<&str> = [""].into_iter().chain(names.iter().map(String::as_str)).collect();
    text.heading(&headings);
    for case in &results.cases {
        let failed = if case.error.is_some() { " **failed**" } else { "" };
        let label = format!("{} ({}){failed}", escape(&case.what), code(&case.name));
        let cells = results.peers.iter().map(|peer| cell(results, case, peer));
        text.cells(&[label].into_iter().chain(cells).collect::<Vec<_>>());
    }
}

fn cell(results: &PeerResults, case: &Case, peer: &Peer) -> String {
    let figures = match case.line(&peer.name) {
        Some(Line::Measured(figures)) => figures,
        Some(Line::Error(_)) => return "**failed**".to_owned(),
        Some(Line::Cannot(_)) | None => return String::new(),
    };
    let shown = if peer.name == NATIVE {
        speed(case, figures.seconds.median)
    } else {
        format!("{} ({})", ratio(figures.times_h5py.median), ratios(&figures.times_h5py))
    };
    if lead(results, case, peer, figures).is_some() { format!("**{shown}**") } else { shown }
}

/// Of one pass that took so many seconds: a rate, or its time.
#[expect(clippy::cast_precision_loss, reason = "three digits of it are shown")]
fn speed(case: &Case, seconds: f64) -> String {
    if case.is_small {
        return duration(seconds);
    }
    format!("{} GB/s", three_digits(case.bytes as f64 / seconds / 1e9))
}

/// By how much another is faster than we are, in words: than h5py through bypass, or than itself through bypass.
fn lead(results: &PeerResults, case: &Case, peer: &Peer, figures: &Figures) -> Option<String> {
    if peer.instead_of.is_some() {
        return None;
    }
    let times = &figures.times_bypass;
    if times.median > 1.0 {
        let noise = if times.low <= 1.0 { ", not clearly faster" } else { "" };
        return Some(format!("{} ({}){noise}", ratio(times.median), ratios(times)));
    }
    let is_itself = |ours: &&Peer| ours.name != BYPASS && ours.instead_of.as_ref() == Some(&peer.name);
    let ours = results.peers.iter().find(is_itself)?;
    let itself = case.line(&ours.name)?.figures()?;
    let times = itself.seconds.median / figures.seconds.median;
    (times > 1.0).then(|| format!("{} compared with itself through bypass", ratio(times)))
}

/// Where others are faster than we are.
fn faster(results: &PeerResults, text: &mut Text) {
    let mut items = Vec::new();
    for case in &results.cases {
        let ahead = results.peers.iter().filter_map(|peer| {
            let lead = lead(results, case, peer, case.line(&peer.name)?.figures()?)?;
            Some(format!("{}: {lead}", escape(&peer.what)))
        });
        let ahead: Vec<String> = ahead.collect();
        if !ahead.is_empty() {
            items.push(format!("{} ({}): {}", escape(&case.what), code(&case.name), ahead.join("; ")));
        }
    }
    if items.is_empty() {
        return text.paragraph("Nobody is faster than we are in this run.");
    }
    let above = format!(
        "Others are faster than we are in {} of {}; how many times as fast as h5py through bypass:",
        items.len(),
        counted(results.cases.len(), "case", "cases")
    );
    list(&above, &items, text);
}

/// Why cells are empty, and what else the figures do not say.
fn notes(results: &PeerResults, text: &mut Text) {
    let absences = results.peers.iter().flat_map(|peer| absences(results, peer));
    list("Why cells are empty:", &absences.collect::<Vec<_>>(), text);
    let left_out = results.left_out.iter();
    let left_out = left_out.map(|(name, why)| format!("{}: left out: {}", escape(name), escape(why)));
    let remarks = results.cases.iter().flat_map(|case| remarks(results, case));
    list("What the figures do not say:", &left_out.chain(remarks).collect::<Vec<_>>(), text);
}

/// Where a peer takes no part, and what it cannot do: one for each reason.
fn absences(results: &PeerResults, peer: &Peer) -> Vec<String> {
    let what = escape(&peer.what);
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for case in &results.cases {
        let Some(Line::Cannot(reason)) = case.line(&peer.name) else { continue };
        match reasons.iter_mut().find(|(why, _)| *why == reason.why) {
            Some((_, cases)) => cases.push(code(&case.name)),
            None => reasons.push((&reason.why, vec![code(&case.name)])),
        }
    }
    let only = peer.only.iter().map(|only| format!("{what}: takes part {}", escape(only)));
    let cannot =
        reasons.iter().map(|(why, cases)| format!("{what}: cannot do {}: {}", cases.join(", "), escape(why)));
    only.chain(cannot).collect()
}

/// What went wrong in a case, and which of its reads bypass left to native HDF5.
fn remarks(results: &PeerResults, case: &Case) -> Vec<String> {
    let name = format!("{} ({})", escape(&case.what), code(&case.name));
    let mut remarks: Vec<String> =
        case.error.iter().map(|why| format!("{name}: **failed**: {}", escape(why))).collect();
    for peer in &results.peers {
        let remark = match case.line(&peer.name) {
            Some(Line::Error(reason)) => format!("**failed**: {}", escape(&reason.why)),
            Some(Line::Measured(figures)) => match &figures.proof {
                Some(proof) if proof.verdict != Verdict::Bypassed => judged(proof),
                Some(_) | None => continue,
            },
            Some(Line::Cannot(_)) | None => continue,
        };
        let who = if peer.name == BYPASS { String::new() } else { format!(", {}", escape(&peer.what)) };
        remarks.push(format!("{name}{who}: {remark}"));
    }
    remarks
}

fn judged(proof: &Proof) -> String {
    let verdict = if proof.verdict == Verdict::Decided { "left to native HDF5" } else { "not bypassed" };
    let why = proof.why.as_ref().map_or_else(String::new, |why| format!(": {}", escape(why)));
    format!("{verdict}: {} of {} calls{why}", proof.passed_on, proof.bypassed.saturating_add(proof.passed_on))
}
