//! `h5bypass bench` from the outside, as far as it goes without HDF5: what is wrong with the options or the file is said before
//! anything is measured. What is measured is tried by python/tests/test_bench_command.py.

mod common;
mod plugins;
mod stubs;

use std::process::Output;

use common::{code, directory, h5bypass, plugin_directory, stderr, stdout};
use plugins::loadable_plugin;
use stubs::working;

fn bench(args: &[&str]) -> Output {
    h5bypass().arg("bench").args(args).output().unwrap()
}

/// Ends with this code and says all of this.
fn assert_said(output: &Output, expected: i32, parts: &[&str]) {
    let said = stderr(output);
    assert_eq!(code(output), expected, "{said}");
    for part in parts {
        assert!(said.contains(part), "no '{part}' in: {said}");
    }
    assert!(!said.contains("panicked"), "{said}");
}

#[test]
fn the_list_has_names_and_what_is_asked() {
    let output = bench(&["--list"]);
    let text = stdout(&output);
    assert_eq!((code(&output), stderr(&output).as_str()), (0, ""));
    let line = text.lines().find(|line| line.trim_start().starts_with("contiguous ")).unwrap();
    assert!(line.contains("1.3x, 90 % of the limit") && line.contains("contiguous matrix"), "{line}");
    assert!(!text.contains('\x1b') && !text.contains("own/"), "{text}");

    let chosen = stdout(&bench(&["--list", "--only", "chunks-", "--only", "slabs"]));
    let names: Vec<_> = chosen.lines().filter(|line| line.starts_with(' ')).collect();
    assert_eq!(names.len(), 4, "{chosen}");
}

#[test]
fn a_typo_in_a_name_lists_near_ones() {
    assert_said(&bench(&["--only", "contigous"]), 2, &["'contigous'", "did you mean contiguous", "--list"]);
    assert_said(&bench(&["--list", "--group", "Plain raeds"]), 2, &["no group 'Plain raeds'", "Plain reads"]);
    assert_said(&bench(&["--only", "tiles", "--group", "Small"]), 2, &["--only", "--group"]);
}

#[test]
fn numbers_out_of_range_are_refused() {
    for args in [
        ["--size", "0"],
        ["--size", "1e3"],
        ["--rounds", "0"],
        ["--threads", "1"],
        ["--threads", "1000"],
        ["--pool", "0"],
        ["--timeout", "0"],
    ] {
        assert_said(&bench(&args), 2, &[args[0], args[1]]);
    }
    for args in [["--list", "x.h5"], ["--keep", "x.h5"], ["--group=a", "x.h5"], ["--folder=/tmp", "x.h5"]] {
        assert_said(&bench(&args), 2, &["cannot be used with"]);
    }
}

#[test]
fn files_for_results_are_tried_before_anything_is_measured() {
    let dir = directory("outputs");
    let folder = dir.to_str().unwrap();
    let nowhere = format!("{folder}/no/such/x.json");
    for option in ["--json", "--html"] {
        assert_said(&bench(&[option, folder]), 2, &[option, "is a directory"]);
        assert_said(&bench(&[option, &nowhere]), 2, &[option, "does not exist"]);
    }
    let same = format!("{folder}/x");
    assert_said(&bench(&["--json", &same, "--html", &same]), 2, &["the same file"]);
    std::fs::write(&same, "data").unwrap();
    assert_said(&bench(&["--json", &same, &same]), 2, &["the file to be measured"]);
    assert_eq!(std::fs::read_to_string(&same).unwrap(), "data");
}

#[test]
fn a_file_that_is_none_is_named() {
    assert_said(&bench(&["/no/such.h5"]), 1, &["/no/such.h5: no such file"]);
    assert_said(&bench(&["/"]), 1, &["/: is a directory"]);
}

#[test]
fn a_missing_plugin_is_explained() {
    let dir = directory("no-plugin");
    let output = bench(&["--plugin-dir", dir.to_str().unwrap()]);
    assert_said(&output, 2, &["libh5bypass_vol.so was not found", dir.to_str().unwrap()]);
    let dir = plugin_directory("bad-plugin");
    assert_said(&bench(&["--plugin-dir", dir.to_str().unwrap()]), 2, &["file too short", "damaged"]);
}

#[test]
fn a_host_that_does_not_work_is_named() {
    let plugin = loadable_plugin("hosts-plugin");
    let host = |host: &str| bench(&["--plugin-dir", plugin.to_str().unwrap(), "--host", host]);
    assert_said(&host("/no/such/libhdf5.so"), 2, &["/no/such/libhdf5.so"]);
    assert_said(&host("/"), 2, &["is a directory"]);
    assert_said(&host("x=/no/such/libhdf5.so"), 2, &["x=/no/such/libhdf5.so"]);
    assert_said(&host("=x"), 2, &["NAME=PATH"]);
    assert_said(
        &host("no-such-package"),
        2,
        &["no-such-package", "no Python package of this name", "found:"],
    );
    assert_said(&host("/bin/sh"), 2, &["/bin/", "--host"]);
    let native = working("native-host", "native", "");
    assert_said(&host(native.to_str().unwrap()), 2, &["created through 'native'"]);
}

#[test]
fn a_worker_that_is_asked_nonsense_says_so() {
    for request in ["", "{}", "{\"scenario\":\"x\"}", "nonsense"] {
        let output = h5bypass().args(["bench-worker", request]).output().unwrap();
        assert_eq!(code(&output), 1, "{request}");
        assert!(stdout(&output).starts_with("{\"Failed\":"), "{}", stdout(&output));
    }
}
