//! Where the counts go when the process ends.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::json::Document;
use crate::page;
use crate::registry::Registry;
use crate::table;

/// Variable that names the file for JSON or a page.
const VARIABLE: &str = "H5STATS_OUT";

/// Reports what was counted, if anything went through the connector.
pub(crate) fn report(registry: &Registry) {
    let document = Document::of(registry);
    if document.files.is_empty() {
        return;
    }
    match std::env::var_os(VARIABLE).filter(|name| !name.is_empty()) {
        None => print(&table::render(&document)),
        Some(pattern) => {
            let path = destination(&pattern, std::process::id(), registry.is_of_a_child());
            if let Err(error) = write(&path, &document, is_page(&pattern)) {
                print(&format!("h5stats: cannot write {VARIABLE}={}: {error}\n", path.display()));
            }
        }
    }
}

/// Whether a page is wanted.
fn is_page(pattern: &OsStr) -> bool {
    Path::new(pattern).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html"))
}

/// The file for this process: `%p` is its id. A forked child must not overwrite its parent's file, so without
/// `%p` its id is appended, before the ending that makes it a page.
fn destination(pattern: &OsStr, pid: u32, is_child: bool) -> PathBuf {
    let pid = pid.to_string();
    let mut name = Vec::new();
    let mut rest = pattern.as_bytes();
    let mut has_pid = false;
    while let Some((&byte, tail)) = rest.split_first() {
        if byte == b'%' && tail.first() == Some(&b'p') {
            name.extend_from_slice(pid.as_bytes());
            rest = &tail[1..];
            has_pid = true;
        } else {
            name.push(byte);
            rest = tail;
        }
    }
    if is_child && !has_pid {
        let end = name.len() - if is_page(pattern) { b".html".len() } else { 0 };
        name.splice(end..end, format!(".{pid}").into_bytes());
    }
    PathBuf::from(OsString::from_vec(name))
}

/// Writes beside the destination first, so that a reader never sees half a file.
fn write(path: &Path, document: &Document, is_page: bool) -> std::io::Result<()> {
    let content = if is_page {
        page::render(document).into_bytes()
    } else {
        let mut json = serde_json::to_vec_pretty(document)?;
        json.push(b'\n');
        json
    };
    let mut partial = path.as_os_str().to_owned();
    partial.push(format!(".{}.partial", std::process::id()));
    let partial = PathBuf::from(partial);
    let written = std::fs::write(&partial, content).and_then(|()| std::fs::rename(&partial, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&partial);
    }
    written
}

/// The process is ending: there is nobody left to tell about a closed stderr.
fn print(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_id_goes_where_it_was_asked_for() {
        let name = |pattern: &str, child| destination(OsStr::new(pattern), 42, child);
        assert_eq!(name("out.json", false), Path::new("out.json"));
        assert_eq!(name("out.json", true), Path::new("out.json.42"));
        assert_eq!(name("out-%p.json", true), Path::new("out-42.json"));
        assert_eq!(name("100%", false), Path::new("100%"));
        assert_eq!(name("out.html", false), Path::new("out.html"));
        assert_eq!(name("out.html", true), Path::new("out.42.html"));
    }
}
