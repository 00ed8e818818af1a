//! `h5bypass bench FILE [DATASET]`: what is measured of a user's file.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use bench_suite::Own;
use bench_suite::controller::{Host, Job, Unknown};
use bench_suite::own::{Outline, scenarios};

use crate::args::BenchArgs;
use crate::explain;
use crate::explain::dataset::{Dataset, Layout};
use crate::explain::size::Bytes;
use crate::explain::wording::printable;
use crate::libraries::choice::Choice;
use crate::libraries::survey::Survey;

/// The number of datasets that are measured if the user names none.
const MOST_DATASETS: usize = 12;

/// What to measure, and what to say about the rest.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) jobs: Vec<Job>,
    pub(super) notes: Vec<String>,
}

/// Inspects the file and decides what to measure.
pub(super) fn plan(
    args: &BenchArgs,
    file: &Path,
    mebibytes: u32,
    survey: &Survey,
    hosts: &[Host],
) -> Result<Plan> {
    let host = hosts.first().context("no libhdf5 to measure with")?;
    let choice = survey.choice(&host.path)?;
    let absolute = std::path::absolute(file).with_context(|| file.display().to_string())?;
    let (mut datasets, mut notes) = match &args.dataset {
        Some(name) => (vec![named(file, name, &choice)?], Vec::new()),
        None => explain::contents(file, &[], &choice)?,
    };
    notes.extend(keep_largest(&mut datasets));
    for unnameable in leave_out_unnameable(&mut datasets, file, &choice)? {
        notes.push(format!("skipping dataset '{unnameable}': its name is not UTF-8"));
    }
    if datasets.is_empty() {
        notes.insert(0, "it has no datasets that can be measured".into());
        bail!("{}: {}", printable(&file.to_string_lossy()), notes.join("; "));
    }
    let threads = if hosts.iter().any(|host| host.is_thread_safe) { args.threads } else { 1 };
    let mut jobs = Vec::new();
    for dataset in &datasets {
        let own = Own { file: absolute.clone(), dataset: dataset.path.clone() };
        let wanted = outlined(dataset, mebibytes, |outline| scenarios(outline, threads));
        jobs.extend(wanted.into_iter().map(|scenario| Job {
            scenario,
            group: heading(dataset),
            own: Some(own.clone()),
        }));
    }
    if !args.only.is_empty() {
        let short = |job: &Job| job.scenario.name.trim_start_matches("own/").to_owned();
        let matches = |job: &Job, name: &String| short(job).starts_with(name.trim_start_matches("own/"));
        if let Some(name) = args.only.iter().find(|name| !jobs.iter().any(|job| matches(job, name))) {
            let known: Vec<_> = jobs.iter().map(short).collect();
            bail!(Unknown::new("scenario", name, known.iter().map(String::as_str)));
        }
        jobs.retain(|job| args.only.iter().any(|name| matches(job, name)));
    }
    Ok(Plan { jobs, notes })
}

/// The dataset of this name. The error suggests similar names.
fn named(file: &Path, name: &str, choice: &Choice) -> Result<Dataset> {
    let shown = printable(&file.to_string_lossy());
    let (mut found, problems) = explain::contents(file, &[name], choice)?;
    if let Some(dataset) = found.pop() {
        return Ok(dataset);
    }
    let (all, _) = explain::contents(file, &[], choice)?;
    if all.iter().any(|dataset| dataset.path.trim_start_matches('/') == name.trim_start_matches('/')) {
        bail!("{shown}: {}", problems.join("; "));
    }
    let paths: Vec<_> = all.iter().map(|dataset| printable(&dataset.path)).collect();
    let unknown = Unknown::new("dataset", &printable(name), paths.iter().map(String::as_str));
    bail!(
        "{shown}: {unknown}\n  HDF5 says: {}\n  `h5bypass explain {shown}` lists all {}",
        problems.join("; "),
        all.len()
    )
}

/// Keeps the largest datasets, sorted by size, and says what was left out.
fn keep_largest(datasets: &mut Vec<Dataset>) -> Option<String> {
    datasets.sort_by_key(|dataset| std::cmp::Reverse(dataset.bytes));
    let left_out = datasets.split_off(datasets.len().min(MOST_DATASETS));
    let bytes = left_out.iter().fold(0_u64, |all, dataset| all.saturating_add(dataset.bytes));
    (!left_out.is_empty()).then(|| {
        format!(
            "measuring the {MOST_DATASETS} largest of {} datasets; the others total {} (name one to measure it)",
            MOST_DATASETS + left_out.len(),
            Bytes(bytes)
        )
    })
}

/// Leaves out the datasets whose listed name is not their real name: bytes that are not UTF-8 are listed as `\xNN`.
fn leave_out_unnameable(datasets: &mut Vec<Dataset>, file: &Path, choice: &Choice) -> Result<Vec<String>> {
    let mut left_out = Vec::new();
    for dataset in datasets.extract_if(.., |dataset| dataset.path.contains("\\x")).collect::<Vec<_>>() {
        // The dataset may really have this name.
        if explain::contents(file, &[&dataset.path], choice)?.0.is_empty() {
            left_out.push(dataset.path);
        } else {
            datasets.push(dataset);
        }
    }
    Ok(left_out)
}

fn outlined<T>(dataset: &Dataset, mebibytes: u32, then: impl FnOnce(&Outline<'_>) -> T) -> T {
    let chunk = match &dataset.layout {
        Layout::Chunked { chunk_shape, .. } => Some(chunk_shape.as_slice()),
        _ => None,
    };
    // A dataset without a shape has no elements.
    let extent = dataset.extent.shape().unwrap_or(&[0]);
    then(&Outline { extent, chunk, element: dataset.element_bytes, mebibytes })
}

/// The dataset's name and properties.
fn heading(dataset: &Dataset) -> String {
    let mut parts = vec![format!("{} {}", dataset.datatype, dataset.extent)];
    parts.extend([Bytes(dataset.bytes).to_string(), dataset.layout.to_string()]);
    parts.extend(dataset.filters.iter().map(ToString::to_string));
    format!("{}: {}", dataset.path, parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::dataset::{Extent, Filter, chunk_grid};

    fn dataset(path: &str, shape: Option<&[u64]>) -> Dataset {
        let extent = shape.map_or_else(Extent::null, |shape| {
            Extent::new(shape.to_vec(), shape.iter().map(|length| Some(*length)).collect())
        });
        Dataset {
            path: path.into(),
            bytes: extent.elements().saturating_mul(4),
            layout: chunk_grid(&extent, vec![10; shape.map_or(1, <[u64]>::len)], 4),
            extent,
            datatype: "f4".into(),
            element_bytes: 4,
            filters: vec![Filter::new(1, "", &[4])],
            explanation: serde_json::from_str("{}").unwrap(),
        }
    }

    #[test]
    fn the_largest_come_first_and_the_rest_is_told() {
        let sizes = [3, 9, 1, 5];
        let mut few: Vec<_> = sizes.map(|size| dataset(&format!("/{size}"), Some(&[size]))).to_vec();
        assert_eq!(keep_largest(&mut few), None);
        assert_eq!(
            few.iter().map(|dataset| dataset.path.as_str()).collect::<Vec<_>>(),
            ["/9", "/5", "/3", "/1"]
        );
        let mut many: Vec<_> = (0..20).map(|size| dataset(&size.to_string(), Some(&[size]))).collect();
        let note = keep_largest(&mut many).unwrap();
        assert!(many.len() == 12 && note.contains("12 largest of 20") && note.contains("112 B"), "{note}");
    }

    #[test]
    fn a_dataset_without_elements_has_one_scenario() {
        let count = |dataset: &Dataset| outlined(dataset, 1, |outline| scenarios(outline, 1).len());
        assert_eq!(count(&dataset("/null", None)), 1);
        assert_eq!(count(&dataset("/empty", Some(&[0]))), 1);
        assert!(count(&dataset("/x", Some(&[100, 100]))) > 3);
    }

    #[test]
    fn headings_tell_what_a_dataset_is_like() {
        assert_eq!(
            heading(&dataset("/x", Some(&[100, 20]))),
            "/x: f4 100 x 20, 7.8 KiB, chunked 10x10, 20 chunks of 400 B, deflate(4)"
        );
    }
}
