//! `h5bypass explain` from the outside. What goes wrong before or in HDF5 is tried with libraries made up here. With
//! `H5BYPASS_TEST_LIBHDF5` naming a real libhdf5 (or several, separated by ':'), a file is written with it and listed,
//! through a connector that is built into it; with `H5BYPASS_PLUGIN_DIR` also through ours.

mod common;
mod plugins;
mod stubs;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use common::{code, directory, h5bypass, plugin_directory, stderr, stdout};
use plugins::{compile, loadable_plugin};
use serde_json::{Value, json};
use stubs::{IDENTITY, working};

/// A connector that every libhdf5 has, and that explains nothing.
const PASS_THROUGH: &str = "pass_through under_vol=0;under_info={}";
/// The other one. It keeps HDF5's error stack, which pass_through clears.
const NATIVE: &str = "native";
/// Name of a dataset that is not UTF-8, and would colour a terminal.
const ODD_NAME: &[u8] = b"odd\xff\x1b[31m";

/// Writes a file with one dataset of every layout, and links that lead out of it.
const GENERATOR: &str = r#"
    #include <dlfcn.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    typedef long long id;
    typedef unsigned long long size;
    static void *library;
    static void *find(const char *name) { void *found = dlsym(library, name); if (!found) abort(); return found; }
    static id variable(const char *name) { return *(id *)find(name); }
    #define F(result, name, ...) ((result (*)(__VA_ARGS__))find(#name))
    static id dataset(id file, const char *name, id type, id space, id dcpl)
    {
        id made = F(id, H5Dcreate2, id, const char *, id, id, id, id, id)(file, name, type, space, 0, dcpl, 0);
        if (made < 0) abort();
        return F(int, H5Dclose, id)(made);
    }
    int main(int argc, char **argv)
    {
        size small[2] = {6, 7}, large[2] = {1025, 512}, most[2] = {-1, 600}, chunk[2] = {512, 512};
        library = dlopen(argv[1], RTLD_NOW);
        if (!library || F(int, H5open, void)() < 0) abort();
        id file = F(id, H5Fcreate, const char *, unsigned, id, id)(argv[2], 2, 0, 0);
        id space = F(id, H5Screate_simple, int, size *, size *)(2, small, NULL);
        id growing = F(id, H5Screate_simple, int, size *, size *)(2, large, most);
        id empty = F(id, H5Screate, int)(2);
        id integer = variable("H5T_STD_I32BE_g"), real = variable("H5T_IEEE_F32LE_g");
        id text = F(id, H5Tcopy, id)(variable("H5T_C_S1_g"));
        F(int, H5Tset_size, id, unsigned long)(text, -1L);
        id chunked = F(id, H5Pcreate, id)(variable("H5P_CLS_DATASET_CREATE_ID_g"));
        F(int, H5Pset_chunk, id, int, size *)(chunked, 2, chunk);
        F(int, H5Pset_shuffle, id)(chunked);
        F(int, H5Pset_fletcher32, id)(chunked);
        id compact = F(id, H5Pcreate, id)(variable("H5P_CLS_DATASET_CREATE_ID_g"));
        F(int, H5Pset_layout, id, int)(compact, 0);

        id group = F(id, H5Gcreate2, id, const char *, id, id, id)(file, "group", 0, 0, 0);
        dataset(file, "plain", integer, space, 0);
        dataset(group, "chunked", real, growing, chunked);
        dataset(file, "compact", integer, space, compact);
        for (size bytes = 80; bytes <= 8192; bytes = bytes == 80 ? 4096 : 2 * bytes) {
            char name[20];
            snprintf(name, sizeof name, "bytes%llu", bytes);
            dataset(file, name, variable("H5T_STD_U8LE_g"), F(id, H5Screate_simple, int, size *, size *)(1, &bytes, NULL), 0);
        }
        dataset(file, "text", text, space, 0);
        dataset(file, "empty", real, empty, 0);
        dataset(file, "odd\xff\x1b[31m", real, space, 0);
        F(int, H5Lcreate_soft, const char *, id, const char *, id, id)("/plain", file, "soft", 0, 0);
        F(int, H5Lcreate_external, const char *, const char *, id, const char *, id, id)
            ("elsewhere.h5", "/x", file, "outside", 0, 0);
        F(int, H5Gclose, id)(group);
        return F(int, H5Fclose, id)(file) < 0;
    }
"#;

fn explain(plugin_dir: &Path, library: &Path, more: &[&OsStr]) -> Output {
    let mut command = h5bypass();
    command.args(["explain", "--plugin-dir"]).arg(plugin_dir).arg("--lib").arg(library).args(more);
    command.output().unwrap()
}

/// A file that begins as one of HDF5 does, and nothing more.
fn other_file(name: &str) -> PathBuf {
    let file = directory(name).join("data.h5");
    std::fs::write(&file, b"\x89HDF\r\n\x1a\n").unwrap();
    file
}

#[test]
fn wrong_usage_is_2() {
    let file = other_file("usage");
    let file = file.to_str().unwrap();
    for args in [
        &["explain"][..],
        &["explain", "--jsn", file],
        &["explain", "--timeout", "0", file],
        &["explain", "--lib", "/no/such/libhdf5.so", file],
    ] {
        let output = h5bypass().args(args).output().unwrap();
        assert_eq!(code(&output), 2, "{args:?}");
        assert_eq!(stdout(&output), "", "{args:?}");
    }
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let missing = h5bypass().args(["explain", "/no/such/file.h5"]).output().unwrap();
    assert_eq!(stderr(&missing), "h5bypass: /no/such/file.h5: no such file\n");
    assert_eq!(code(&missing), 1);
    let folder = h5bypass().args(["explain", "/"]).output().unwrap();
    assert_eq!(stderr(&folder), "h5bypass: /: is a directory\n");
    assert_eq!(code(&folder), 1);
    let odd = h5bypass().arg("explain").arg(OsStr::from_bytes(b"/no/\xff\x1b")).output().unwrap();
    assert!(stderr(&odd).contains("no such file") && !stderr(&odd).contains('\x1b'), "{odd:?}");
    assert_eq!(code(&odd), 1);
}

#[test]
fn a_file_that_is_not_hdf5_is_called_that() {
    let file = directory("other").join("data.h5");
    for (content, expected) in
        [("", "is not an HDF5 file: it is empty"), ("a,b\n1,2\n", "is not an HDF5 file")]
    {
        std::fs::write(&file, content).unwrap();
        let output = h5bypass().arg("explain").arg(&file).output().unwrap();
        assert_eq!(stderr(&output), format!("h5bypass: {}: {expected}\n", file.display()));
        assert_eq!((code(&output), stdout(&output).as_str()), (1, ""));
    }
    let device = h5bypass().args(["explain", "/dev/null"]).output().unwrap();
    assert_eq!(stderr(&device), "h5bypass: /dev/null: is not a regular file\n");
}

#[test]
fn a_plugin_that_cannot_be_used_is_explained() {
    let (file, library) = (other_file("plugin-file"), working("plugin-library", "bypass", ""));
    let none = explain(&directory("plugin-none"), &library, &[file.as_os_str()]);
    assert!(stderr(&none).contains("libh5bypass_vol.so was not found"), "{}", stderr(&none));
    assert_eq!(code(&none), 2);
    let damaged = explain(&plugin_directory("plugin-damaged"), &library, &[file.as_os_str()]);
    assert!(stderr(&damaged).contains("file too short"), "{}", stderr(&damaged));
    assert_eq!(code(&damaged), 2);
}

#[test]
fn a_library_that_cannot_be_used_is_explained() {
    let (file, plugin) = (other_file("library-file"), loadable_plugin("library-plugin"));
    let native = explain(&plugin, &working("library-native", "native", ""), &[file.as_os_str()]);
    assert!(stderr(&native).contains("through 'native', not through 'bypass'"), "{}", stderr(&native));
    assert_eq!(code(&native), 2);

    let old = directory("library-old").join("libhdf5.so");
    compile(&old, &format!("int H5open(void) {{ return 0; }}{IDENTITY}"), &["MAJOR=1", "MINOR=10"]);
    let old = explain(&plugin, &old, &[file.as_os_str()]);
    assert!(stderr(&old).contains("use HDF5 1.14 or newer"), "{}", stderr(&old));
    assert_eq!(code(&old), 2);
}

#[test]
fn a_crash_on_the_file_is_reported_with_its_place() {
    let (file, plugin) = (other_file("crash-file"), loadable_plugin("crash-plugin"));
    // Not on the file by which the library is tried.
    let library = working("crash", "bypass", "OPEN=if(strstr(name,\"data.h5\"))abort()");
    for more in [&[file.as_os_str()][..], &[file.as_os_str(), OsStr::new("--json")]] {
        let output = explain(&plugin, &library, more);
        let text = stderr(&output);
        assert!(text.contains(file.to_str().unwrap()), "{text}");
        assert!(text.contains("crashed at opening the file with signal 6 (SIGABRT)"), "{text}");
        assert_eq!(stdout(&output), "");
        assert_eq!(code(&output), 1);
    }
}

#[test]
fn a_hang_on_the_file_ends_at_the_deadline() {
    let (file, plugin) = (other_file("hang-file"), loadable_plugin("hang-plugin"));
    let library = working("hang", "bypass", "OPEN=if(strstr(name,\"data.h5\"))sleep(600)");
    let start = Instant::now();
    let output = explain(&plugin, &library, &[OsStr::new("--timeout"), OsStr::new("1"), file.as_os_str()]);
    assert!(start.elapsed() < Duration::from_secs(60));
    assert!(
        stderr(&output).contains("did not respond within 1 s at opening the file"),
        "{}",
        stderr(&output)
    );
    assert_eq!(code(&output), 1);
}

/// The real libraries, each with a file written by it.
fn real_files(name: &str) -> Vec<(PathBuf, PathBuf)> {
    let Some(libraries) = std::env::var_os("H5BYPASS_TEST_LIBHDF5") else { return Vec::new() };
    let dir = directory(name);
    let (source, program) = (dir.join("generator.c"), dir.join("generator"));
    std::fs::write(&source, GENERATOR).unwrap();
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let status = Command::new(compiler).arg("-o").arg(&program).arg(&source).arg("-ldl").status().unwrap();
    assert!(status.success());
    let libraries: Vec<_> = std::env::split_paths(&libraries).collect();
    libraries
        .into_iter()
        .enumerate()
        .map(|(number, library)| {
            let file = dir.join(format!("{number}.h5"));
            assert!(Command::new(&program).arg(&library).arg(&file).status().unwrap().success());
            (library, file)
        })
        .collect()
}

/// Lists through a connector that is built in.
fn built_in(library: &Path, connector: &str, more: &[&OsStr]) -> Output {
    let mut all = vec![OsStr::new("--connector"), OsStr::new(connector)];
    all.extend(more);
    explain(&directory("no-plugin"), library, &all)
}

#[test]
fn real_datasets_are_listed() {
    for (library, file) in real_files("listed") {
        let output = built_in(&library, PASS_THROUGH, &[OsStr::new("--json"), file.as_os_str()]);
        assert_eq!(
            stderr(&output),
            "h5bypass: the connector cannot explain its decisions: it is older than this h5bypass\n"
        );
        assert_eq!(code(&output), 2);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["explains"], false);
        assert_eq!(report["complete"], true);
        let found: Vec<_> = report["datasets"]
            .as_array()
            .unwrap()
            .iter()
            .map(|set| {
                json!([
                    set["path"],
                    set["datatype"],
                    set["shape"],
                    set["max_shape"],
                    set["bytes"],
                    set["layout"]
                ])
            })
            .collect();
        let fixed = json!([6, 7]);
        assert_eq!(
            Value::from(found),
            json!([
                ["/bytes4096", "u1", [4096], [4096], 4096, "contiguous"],
                ["/bytes80", "u1", [80], [80], 80, "contiguous"],
                ["/bytes8192", "u1", [8192], [8192], 8192, "contiguous"],
                ["/compact", ">i4", fixed, fixed, 168, "compact"],
                ["/empty", "f4", null, null, 0, "contiguous"],
                ["/group/chunked", "f4", [1025, 512], [null, 600], 2_099_200, "chunked"],
                ["/odd\\xff\u{1b}[31m", "f4", fixed, fixed, 168, "contiguous"],
                ["/plain", ">i4", fixed, fixed, 168, "contiguous"],
                ["/text", "vlen str", fixed, fixed, report["datasets"][8]["bytes"], "contiguous"],
            ])
        );
        let chunked = &report["datasets"][5];
        assert_eq!(chunked["chunk_shape"], json!([512, 512]));
        assert_eq!(chunked["chunks"], 3);
        assert_eq!(chunked["chunk_bytes"], 1 << 20);
        assert_eq!(chunked["filters"][0]["name"], "shuffle");
        assert_eq!(chunked["filters"][1]["id"], 3);
    }
}

#[test]
fn real_datasets_are_found_by_name() {
    for (library, file) in real_files("named") {
        let names = [b"plain", &b"/soft"[..], b"nope", b"outside", b"/group", ODD_NAME];
        let mut args = vec![file.as_os_str()];
        args.extend(names.map(OsStr::from_bytes));
        let output = built_in(&library, PASS_THROUGH, &args);
        assert_eq!(code(&output), 1);
        let text = stdout(&output);
        for path in ["/plain\n", "/soft\n", "/odd\\xff\\u{1b}[31m\n"] {
            assert!(text.contains(path), "{text}");
        }
        assert!(!text.contains('\x1b'), "{text:?}");
        let text = stderr(&output);
        for (path, cause) in
            [("/nope", "doesn't exist"), ("/outside", "'elsewhere.h5'"), ("/group", "not a dataset")]
        {
            let line = text.lines().find(|line| line.contains(&format!("dataset '{path}'"))).expect(path);
            assert!(line.contains(cause) && line.contains(file.to_str().unwrap()), "{line}");
        }
    }
}

#[test]
fn real_errors_give_the_innermost_cause() {
    for (library, file) in real_files("damaged") {
        let text = other_file("not-hdf5");
        let output = built_in(&library, NATIVE, &[text.as_os_str()]);
        assert!(stderr(&output).contains("data.h5: cannot be opened: "), "{output:?}");
        assert_eq!(code(&output), 1);

        // What is missing is said, and not that there is nothing.
        let output = built_in(&library, NATIVE, &[file.as_os_str(), OsStr::new("/nothing")]);
        assert!(stderr(&output).contains("dataset '/nothing'"), "{output:?}");
        assert!(!stdout(&output).contains("no datasets"), "{output:?}");
        assert_eq!(code(&output), 1);

        let bytes = std::fs::read(&file).unwrap();
        std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
        let output = built_in(&library, NATIVE, &[file.as_os_str()]);
        assert!(stderr(&output).contains("truncated file"), "{output:?}");
        assert_eq!(code(&output), 1);
    }
}

#[test]
fn real_datasets_are_explained() {
    let Some(plugin_dir) = std::env::var_os("H5BYPASS_PLUGIN_DIR") else { return };
    for (library, file) in real_files("explained") {
        let output = explain(Path::new(&plugin_dir), &library, &[OsStr::new("--json"), file.as_os_str()]);
        assert_eq!(code(&output), 0, "{output:?}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["summary"]["unknown"], 0, "{report}");
        let bypassed = |path: &str| {
            let sets = report["datasets"].as_array().unwrap();
            let set = sets.iter().find(|set| set["path"] == path).unwrap();
            assert_eq!(set["bypassed"] == false, set["reason"].is_string(), "{set}");
            assert_eq!(set["bypassed"] == false, set["code"].is_string(), "{set}");
            set["bypassed"].as_bool().unwrap()
        };
        let code = |path: &str| {
            let sets = report["datasets"].as_array().unwrap();
            sets.iter().find(|set| set["path"] == path).unwrap()["code"].clone()
        };
        assert_eq!([code("/compact"), code("/text")], ["compact", "first-small-read"]);
        assert!(bypassed("/group/chunked"));
        assert!(!bypassed("/compact") && !bypassed("/text"));

        let text = stdout(&explain(
            Path::new(&plugin_dir),
            &library,
            &[file.as_os_str(), OsStr::new("group/chunked")],
        ));
        assert!(text.contains("bypassed     /group/chunked\n"), "{text}");
        assert!(
            text.contains(
                "\n1 of 1 dataset (100 % of the bytes) is bypassed\nexcept the first read if it has fewer than 8192 bytes"
            ),
            "{text}"
        );
    }
}

/// The first whole read of a dataset of fewer than 8 KiB is native HDF5's: `bench FILE` says the same, which
/// python/tests/test_bench_command.py compares.
#[test]
fn what_is_too_small_is_not_called_bypassed() {
    let Some(plugin_dir) = std::env::var_os("H5BYPASS_PLUGIN_DIR") else { return };
    for (library, file) in real_files("small") {
        let listed = |more: &[(&str, &str)]| {
            let mut command = h5bypass();
            command.args(["explain", "--json", "--plugin-dir"]).arg(&plugin_dir).arg("--lib").arg(&library);
            let output = command.arg(&file).envs(more.iter().copied()).output().unwrap();
            assert_eq!(code(&output), 0, "{output:?}");
            let report: Value = serde_json::from_slice(&output.stdout).unwrap();
            let sets = report["datasets"].as_array().unwrap().clone();
            move |path: &str| sets.iter().find(|set| set["path"] == path).unwrap().clone()
        };
        let usual = listed(&[]);
        for (path, bypassed, code) in [
            ("/bytes80", false, json!("first-small-read")),
            ("/bytes4096", false, json!("first-small-read")),
            ("/bytes8192", true, Value::Null),
            ("/group/chunked", true, Value::Null),
        ] {
            let set = usual(path);
            assert_eq!((&set["bypassed"], &set["code"]), (&json!(bypassed), &code), "{set}");
            assert_eq!(set["except"].is_string(), bypassed, "{set}");
        }
        assert_eq!(listed(&[("BYPASS_VOL_SMALL_READ", "0")])("/bytes80")["bypassed"], true);
        assert_eq!(listed(&[("BYPASS_VOL_SMALL_READ", "1M")])("/group/chunked")["bypassed"], false);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let Some(plugin_dir) = std::env::var_os("H5BYPASS_PLUGIN_DIR") else { return };
    for (library, file) in real_files("pipe") {
        let mut command = h5bypass();
        command.args(["explain", "--plugin-dir"]).arg(&plugin_dir).arg("--lib").arg(&library).arg(&file);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(stderr(&output), "");
        assert_eq!(code(&output), 0);
    }
}
