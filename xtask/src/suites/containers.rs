//! The proof that a run really used Zarr directories: what the connector has counted.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

/// Of each, a suite does at least as many.
const LEAST: u64 = 100;

/// Adds up what the processes of a run have counted, and accepts only a run in which the connector had most files and elements.
pub(crate) fn require(folder: &Path) -> Result<()> {
    let (mut created, mut written, mut native) = (0, 0, 0);
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for entry in entries {
        let file = entry.with_context(|| format!("cannot list {}", folder.display()))?.path();
        let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let counters: serde_json::Value =
            serde_json::from_str(&text).with_context(|| format!("{} has no counters", file.display()))?;
        let count = |name: &str| counters[name].as_u64().unwrap_or(0);
        created += count("created");
        written += count("chunks_written");
        native += count("native_files");
    }
    ensure!(
        created >= LEAST && written >= LEAST && native < created,
        "Zarr directories were hardly used: {created} created, {written} chunks written, {native} native files"
    );
    println!(
        "    Zarr directories created: {created}, chunks written: {written}, files left to native HDF5: {native}"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_containers_is_found_out() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(require(folder.path()).is_err());
        let write = |name: &str, created: u64, native: u64| {
            let text =
                format!(r#"{{"created": {created}, "chunks_written": 500, "native_files": {native}}}"#);
            fs::write(folder.path().join(name), text).expect("written");
        };
        write("1.json", 60, 5);
        assert!(require(folder.path()).is_err());
        write("2.json", 60, 5);
        assert!(require(folder.path()).is_ok());
        write("2.json", 60, 500);
        assert!(require(folder.path()).is_err());
    }
}
