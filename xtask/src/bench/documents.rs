//! Documents that are made from measurements in the repository: docs/PERFORMANCE.md, and the figures of README.md and
//! docs/asynchronous.md.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use bench_report::overlap;
use bench_report::performance::{self, Others};
use bench_report::readme::{self, Colours};

use super::guard::{read_again, read_baseline, read_clients, read_overlap, read_peers, read_zarr};
use crate::layout::Layout;

const README: &str = "README.md";
const GUIDE: &str = "docs/asynchronous.md";

/// Each file with its text, as it should be.
fn documents(layout: &Layout) -> Result<Vec<(&'static str, String)>> {
    let (results, again) = (read_baseline(layout)?, read_again(layout)?);
    let (clients, peers, overlap) = (read_clients(layout)?, read_peers(layout)?, read_overlap(layout)?);
    let zarr = read_zarr(layout)?;
    let others = Others {
        clients: clients.as_ref(),
        peers: peers.as_ref(),
        overlap: overlap.as_ref(),
        zarr: zarr.as_ref(),
        again: again.as_ref(),
    };
    let text = |name: &str| {
        fs::read_to_string(layout.root.join(name)).with_context(|| format!("cannot read {name}"))
    };
    let mut readme = readme::with_table(&text(README)?, &results).context(README)?;
    let mut documents = vec![
        ("docs/PERFORMANCE.md", performance::markdown(&results, others)),
        ("docs/figures/speed-light.svg", readme::chart(&results, Colours::LIGHT)?),
        ("docs/figures/speed-dark.svg", readme::chart(&results, Colours::DARK)?),
    ];
    if let Some(results) = &overlap {
        readme = overlap::in_readme(&readme, results).context(README)?;
        documents.push((GUIDE, overlap::in_guide(&text(GUIDE)?, results).context(GUIDE)?));
    }
    documents.push((README, readme));
    Ok(documents)
}

/// Writes the documents that are not as the measurements say.
pub(super) fn write(layout: &Layout) -> Result<()> {
    for (name, text) in documents(layout)? {
        let file = layout.root.join(name);
        if is_current(&file, &text) {
            continue;
        }
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
        println!("written: {}", file.display());
    }
    Ok(())
}

/// Names the documents that are not as the measurements say; whether there are none.
pub(super) fn check(layout: &Layout) -> Result<bool> {
    let stale = stale(layout)?;
    for name in &stale {
        println!("{name} is out of date: run `cargo xtask figures`");
    }
    Ok(stale.is_empty())
}

fn stale(layout: &Layout) -> Result<Vec<&'static str>> {
    let mut stale = Vec::new();
    for (name, text) in documents(layout)? {
        if !is_current(&layout.root.join(name), &text) {
            stale.push(name);
        }
    }
    Ok(stale)
}

fn is_current(file: &Path, text: &str) -> bool {
    fs::read_to_string(file).is_ok_and(|found| found == text)
}

#[cfg(test)]
mod tests {
    use super::super::guard::tests::Repository;
    use super::*;

    #[test]
    fn the_documents_of_this_repository_are_up_to_date() {
        let layout = Layout::of_this_workspace().expect("this workspace");
        assert_eq!(stale(&layout).expect("readable"), [""; 0], "run `cargo xtask figures`");
    }

    #[test]
    fn a_figure_changed_by_hand_is_noticed_and_put_right() {
        let repository = Repository::with_baseline();
        let layout = repository.layout();
        write(layout).expect("written");
        assert!(check(layout).expect("readable"));
        let file = layout.root.join("README.md");
        let right = fs::read_to_string(&file).expect("a README");
        fs::write(&file, right.replace("| Read a gzip dataset | ", "| Read a gzip dataset | 1"))
            .expect("written");
        assert_eq!(stale(layout).expect("readable"), ["README.md"]);
        write(layout).expect("written");
        assert_eq!(fs::read_to_string(&file).expect("a README"), right);
    }
}
