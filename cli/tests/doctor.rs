//! `h5bypass doctor` from the outside, with libraries made up here: a few lines of C that behave as a libhdf5 does, or
//! crash, or hang. No plugin and no HDF5 is needed. With `H5BYPASS_TEST_LIBHDF5` naming a real libhdf5 (or several,
//! separated by ':'), that is tried too, through a connector that is built into it.

mod common;
mod plugins;
mod stubs;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use common::{code, directory, h5bypass, plugin_directory, stderr, stdout};
use plugins::{compile, loadable_plugin};
use serde_json::Value;
use stubs::{IDENTITY, ONE_DATASET, working};

/// A libhdf5 of this version with this `H5open`, and nothing more.
fn stub(name: &str, open: &str, version: [&str; 2]) -> PathBuf {
    let path = directory(name).join("libhdf5.so.310");
    let source =
        format!("#include <stdlib.h>\n#include <unistd.h>\nint H5open(void) {{ {open} }}\n{IDENTITY}");
    compile(&path, &source, &[&format!("MAJOR={}", version[0]), &format!("MINOR={}", version[1])]);
    path
}

fn doctor(plugin_dir: &Path, library: &Path, more: &[&str]) -> Output {
    let mut command = h5bypass();
    command.args(["doctor", "--plugin-dir"]).arg(plugin_dir).arg("--lib").arg(library).args(more);
    command.output().unwrap()
}

/// The only library in the JSON output.
fn only_library(output: &Output) -> Value {
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let libraries = value["libraries"].as_array().unwrap();
    assert_eq!(libraries.len(), 1);
    libraries[0].clone()
}

#[test]
fn a_library_that_works_is_ok() {
    let plugin = loadable_plugin("ok-plugin");
    let library = working("ok", "bypass", "");
    let output = doctor(&plugin, &library, &["--json"]);
    let found = only_library(&output);
    assert_eq!(found["verdict"], "ok", "{found}");
    assert_eq!(found["version"], "1.14.3");
    assert_eq!(found["thread_safe"], true);
    assert_eq!(code(&output), 0);

    let text = doctor(&plugin, &library, &[]);
    assert_eq!(code(&text), 0);
    let text = stdout(&text);
    assert!(
        text.contains("OK ") && text.contains("HDF5 1.14.3") && text.contains("thread-safe: yes"),
        "{text}"
    );
    assert!(!text.contains('\x1b'), "colours without a terminal: {text:?}");
}

#[test]
fn native_instead_of_the_connector_is_a_failure() {
    let output = doctor(&loadable_plugin("native-plugin"), &working("native", "native", ""), &["--json"]);
    let found = only_library(&output);
    assert_eq!(found["verdict"], "not_through_connector", "{found}");
    assert_eq!(code(&output), 1);
}

#[test]
fn wrong_data_are_a_failure() {
    let output = doctor(
        &loadable_plugin("wrong-plugin"),
        &working("wrong", "bypass", "READ=stored[41]++"),
        &["--json"],
    );
    let found = only_library(&output);
    assert_eq!(found["verdict"], "failed");
    assert!(found["reason"].as_str().unwrap().contains("data read back"), "{found}");
    assert_eq!(code(&output), 1);
}

#[test]
fn a_crash_is_reported_with_its_place() {
    let output =
        doctor(&loadable_plugin("crash-plugin"), &working("crash", "bypass", "READ=abort()"), &["--json"]);
    let found = only_library(&output);
    assert_eq!(found["verdict"], "failed");
    let reason = found["reason"].as_str().unwrap();
    assert!(reason.contains("H5Dread") && reason.contains("SIGABRT"), "{reason}");
    assert_eq!(found["version"], "1.14.3");
    assert_eq!(code(&output), 1);
}

#[test]
fn a_hang_ends_at_the_deadline() {
    let start = Instant::now();
    let library = stub("hang", "sleep(600); return 0;", ["1", "14"]);
    let output = doctor(&loadable_plugin("hang-plugin"), &library, &["--json", "--timeout", "1"]);
    assert!(start.elapsed() < Duration::from_secs(60));
    let found = only_library(&output);
    assert_eq!(found["reason"], "no response within 1 s during H5open");
    assert_eq!(code(&output), 1);
}

#[test]
fn an_old_library_is_listed_and_does_not_fail_the_others() {
    let plugin = loadable_plugin("old-plugin");
    let old = stub("old", "return 0;", ["1", "12"]);
    let alone = doctor(&plugin, &old, &[]);
    assert!(stdout(&alone).contains("HDF5 1.12.3 has no VOL ABI 3"), "{}", stdout(&alone));
    assert!(stdout(&alone).contains("use HDF5 1.14 or newer"));
    assert_eq!(code(&alone), 1, "no supported library at all");

    let new = working("old-new", "bypass", "");
    let both = doctor(&plugin, &old, &["--lib", new.to_str().unwrap()]);
    assert_eq!(code(&both), 0, "{}", stdout(&both));
}

#[test]
fn a_plugin_that_cannot_be_loaded_is_explained() {
    let output = doctor(&plugin_directory("bad-plugin"), &working("bad", "bypass", ""), &["--json"]);
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let problem = value["plugin"]["problem"].as_str().unwrap();
    assert!(problem.contains("not a shared library") && problem.contains("file too short"), "{value}");
    assert_eq!(only_library(&output)["verdict"], "failed");
    assert_eq!(code(&output), 1);
}

#[test]
fn a_missing_plugin_is_explained() {
    let dir = directory("no-plugin");
    let output = doctor(&dir, &working("no-plugin-lib", "bypass", ""), &[]);
    let text = stdout(&output);
    assert!(
        text.contains("libh5bypass_vol.so was not found") && text.contains(dir.to_str().unwrap()),
        "{text}"
    );
    assert_eq!(code(&output), 1);
}

#[test]
fn a_file_that_is_no_library_fails_with_the_linkers_words() {
    let file = directory("text").join("libhdf5.so");
    std::fs::write(&file, "this is not a shared library, only text that is long enough for a header")
        .unwrap();
    let output = doctor(&loadable_plugin("text-plugin"), &file, &[]);
    assert!(stdout(&output).contains("invalid ELF header"), "{}", stdout(&output));
    assert_eq!(code(&output), 1);
}

#[test]
fn what_is_no_libhdf5_is_called_that() {
    let plugin = loadable_plugin("kind-plugin");
    let other = directory("kind-other").join("libother.so");
    compile(&other, "int nothing;", &[]);
    for (file, reason) in
        [(Path::new("/bin/sh"), "a program, not a shared library"), (&other, "no function H5open")]
    {
        let output = doctor(&plugin, file, &[]);
        let text = stdout(&output);
        assert!(text.contains(reason) && text.contains("not a shared libhdf5"), "{text}");
        assert!(!text.contains("remove it") && !text.contains("report it"), "{text}");
        assert_eq!(code(&output), 1);
    }
}

/// Doctor with these variables.
fn doctor_with(plugin_dir: &Path, library: &Path, variables: &[(&str, &str)], more: &[&str]) -> Output {
    let mut command = h5bypass();
    command.args(["doctor", "--plugin-dir"]).arg(plugin_dir).arg("--lib").arg(library).args(more);
    command.envs(variables.iter().copied()).output().unwrap()
}

#[test]
fn an_invalid_variable_is_named_with_what_is_valid() {
    let (plugin, library) = (loadable_plugin("invalid-plugin"), working("invalid", "bypass", ""));
    let output = doctor_with(&plugin, &library, &[("BYPASS_VOL_NTHREADS", "abc")], &[]);
    let text = stdout(&output);
    assert!(text.contains("BYPASS_VOL_NTHREADS='abc': expected a whole number greater than zero"), "{text}");
    assert!(text.contains("unset BYPASS_VOL_NTHREADS") && !text.contains("report it"), "{text}");
    // It says nothing about the library.
    assert!(text.contains("OK "), "{text}");
    assert_eq!(code(&output), 1);

    let output = doctor_with(
        &plugin,
        &library,
        &[("BYPASS_VOL_NTHREADS", ""), ("BYPASS_VOL_CACHE", "64M")],
        &["--json"],
    );
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (value["healthy"].clone(), value["problems"].clone()),
        (true.into(), Value::Array(Vec::new()))
    );
}

#[test]
fn a_variable_that_nobody_reads_is_told_with_what_was_meant() {
    let (plugin, library) = (loadable_plugin("stray-plugin"), working("stray", "bypass", ""));
    let output = doctor_with(&plugin, &library, &[("BYPASS_VOL_THREADS", "4")], &[]);
    let text = stdout(&output);
    assert!(text.contains("BYPASS_VOL_THREADS is not a variable"), "{text}");
    assert!(text.contains("did you mean BYPASS_VOL_NTHREADS?"), "{text}");
    assert_eq!(code(&output), 0);
}

/// A libhdf5 whose default connector is the one of the environment, if that finds its plugin; else it does not start.
const ENVIRONMENT: &str = "
    #include <stdio.h>
    #include <stdlib.h>
    #include <unistd.h>
    static int found(void)
    {
        char file[4096];
        const char *connector = getenv(\"HDF5_VOL_CONNECTOR\"), *path = getenv(\"HDF5_PLUGIN_PATH\");
        if (!connector) return 1;
        if (!path || connector[5] != 's') return 0;
        snprintf(file, sizeof file, \"%.*s/libh5bypass_vol.so\", (int)strcspn(path, \":\"), path);
        return access(file, R_OK) == 0;
    }
";

#[test]
fn a_stale_environment_is_a_failure() {
    let plugin = loadable_plugin("stale-plugin");
    let library = directory("stale").join("libhdf5.so.310");
    let start = "int H5open(void) { return found() ? 0 : -1; }";
    let source = format!("#include <string.h>\n{ENVIRONMENT}{start}\n{IDENTITY}{ONE_DATASET}");
    compile(&library, &source, &["MAJOR=1", "MINOR=14", "CONNECTOR=\"bypass\""]);
    let there = plugin.to_str().unwrap();
    let empty = directory("stale-empty");
    for (connector, path, part) in [
        ("bypass", "/no/such/folder", "HDF5_PLUGIN_PATH=/no/such/folder does not exist"),
        ("bypass", empty.to_str().unwrap(), "there is no libh5bypass_vol.so in"),
        ("bypas", there, "did you mean 'bypass'?"),
        ("elsewhere", there, "H5open failed"),
    ] {
        let variables = [("HDF5_VOL_CONNECTOR", connector), ("HDF5_PLUGIN_PATH", path)];
        let output = doctor_with(&plugin, &library, &variables, &[]);
        let text = stdout(&output);
        assert!(
            text.contains(&format!("names the connector '{connector}', which HDF5 cannot load")),
            "{text}"
        );
        assert!(text.contains(part) && text.contains("unset HDF5_VOL_CONNECTOR"), "{text}");
        assert_eq!(code(&output), 1, "{text}");
    }
    let good =
        doctor_with(&plugin, &library, &[("HDF5_VOL_CONNECTOR", "bypass"), ("HDF5_PLUGIN_PATH", there)], &[]);
    assert_eq!(code(&good), 0, "{}", stdout(&good));
    let gone = doctor_with(&plugin, &library, &[("HDF5_PLUGIN_PATH", "/no/such/folder")], &[]);
    assert!(stdout(&gone).contains("/no/such/folder does not exist"), "{}", stdout(&gone));
    assert_eq!(code(&gone), 1);
}

#[test]
fn a_stale_environment_is_a_failure_of_real_libraries() {
    let (Some(libraries), Some(plugins)) =
        (std::env::var_os("H5BYPASS_TEST_LIBHDF5"), std::env::var_os("H5BYPASS_PLUGIN_DIR"))
    else {
        return;
    };
    let plugins = PathBuf::from(plugins);
    let there = plugins.to_str().unwrap();
    for library in std::env::split_paths(&libraries) {
        for (connector, path, expected) in [
            ("bypass", "/no/such/folder", 1),
            ("bypas under_vol=0;under_info={}", there, 1),
            ("elsewhere", there, 1),
            ("bypass", there, 0),
            ("bypass", &format!("/no/such/folder:{there}"), 0),
            ("bypass under_vol=0;under_info={}", there, 0),
            ("pass_through under_vol=0;under_info={}", there, 0),
        ] {
            let variables = [("HDF5_VOL_CONNECTOR", connector), ("HDF5_PLUGIN_PATH", path)];
            let output = doctor_with(&plugins, &library, &variables, &[]);
            assert_eq!(code(&output), expected, "{connector} in {path}: {}", stdout(&output));
        }
    }
}

#[test]
fn libraries_beside_the_library_are_found() {
    let library = working("siblings", "bypass", "");
    let dir = library.parent().unwrap();
    compile(&dir.join("libsibling.so"), "int sibling(void) { return 0; }", &[]);
    let source = dir.join("user.c");
    std::fs::write(
        &source,
        "int sibling(void); int user(void) { return sibling(); }\n#include \"libhdf5.so.c\"",
    )
    .unwrap();
    let needs_sibling = dir.join("libhdf5-12ab.so.310");
    let status = Command::new("cc")
        .args([
            "-shared",
            "-fPIC",
            "-Wl,--no-as-needed",
            "-DMAJOR=1",
            "-DMINOR=14",
            "-DREAD=",
            "-DCONNECTOR=\"bypass\"",
        ])
        .arg("-o")
        .arg(&needs_sibling)
        .arg(&source)
        .arg(format!("-L{}", dir.display()))
        .arg("-lsibling")
        .status()
        .unwrap();
    assert!(status.success());
    let output = doctor(&loadable_plugin("siblings-plugin"), &needs_sibling, &[]);
    assert_eq!(code(&output), 0, "{}", stdout(&output));
}

#[test]
fn odd_variables_are_noted() {
    let (plugin, library) = (loadable_plugin("notes-plugin"), working("notes", "bypass", ""));
    let mut command = h5bypass();
    command.args(["doctor", "--plugin-dir"]).arg(plugin).arg("--lib").arg(library);
    command.env("HDF5_PLUGIN_PRELOAD", "::").env("BYPASS_VOL_DISABLE", "1");
    let text = stdout(&command.output().unwrap());
    assert!(
        text.contains("HDF5_PLUGIN_PRELOAD is '::'") && text.contains("BYPASS_VOL_DISABLE is set"),
        "{text}"
    );
}

#[test]
fn wrong_usage_is_2() {
    let plugin = plugin_directory("usage-plugin");
    let missing = doctor(&plugin, Path::new("/no/such/libhdf5.so"), &[]);
    assert_eq!(code(&missing), 2);
    assert!(stderr(&missing).contains("/no/such/libhdf5.so"));
    assert_eq!(code(&doctor(&plugin, Path::new("/"), &[])), 2);
    let python = h5bypass().args(["doctor", "--python", "/no/such/python"]).output().unwrap();
    assert_eq!(code(&python), 2);
    assert!(stderr(&python).contains("/no/such/python"));
    assert_eq!(code(&h5bypass().args(["doctor", "--jsn"]).output().unwrap()), 2);
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let (plugin, library) = (loadable_plugin("pipe-plugin"), working("pipe", "bypass", ""));
    for more in [&[][..], &["--json"]] {
        let mut command = h5bypass();
        command.args(["doctor", "--plugin-dir"]).arg(&plugin).arg("--lib").arg(&library).args(more);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(stderr(&output), "");
        assert_eq!(code(&output), 0);
    }
}

#[test]
fn help_has_examples_on_every_level() {
    for args in
        [&["--help"][..], &["run", "--help"], &["doctor", "--help"], &["explain", "--help"], &["help", "run"]]
    {
        let output = h5bypass().args(args).output().unwrap();
        assert_eq!(code(&output), 0);
        assert!(stdout(&output).contains("Examples:"), "{args:?}");
        assert!(!stdout(&output).contains("__"), "{args:?}");
    }
    let version = stdout(&h5bypass().arg("--version").output().unwrap());
    assert_eq!(version, format!("h5bypass {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_real_libhdf5_works_with_its_own_connector() {
    let Some(libraries) = std::env::var_os("H5BYPASS_TEST_LIBHDF5") else { return };
    for library in std::env::split_paths(&libraries) {
        let connector = "pass_through under_vol=0;under_info={}";
        let output = doctor(&directory("real"), &library, &["--json", "--connector", connector]);
        let found = only_library(&output);
        assert_eq!(found["verdict"], "ok", "{found}");
        assert_eq!(code(&output), 0);

        // A plugin that is none: libhdf5 must be seen to refuse it, and doctor must tell.
        let plugin = directory("real-plugin");
        let source =
            "int H5PLget_plugin_type(void) { return 7; } const void *H5PLget_plugin_info(void) { return 0; }";
        compile(&plugin.join("libh5bypass_vol.so"), source, &[]);
        let output = doctor(&plugin, &library, &["--json"]);
        let found = only_library(&output);
        assert_eq!(found["verdict"], "failed", "{found}");
        assert!(found["advice"].as_str().unwrap().contains("HDF5_PLUGIN_PATH"), "{found}");
        assert_eq!(code(&output), 1);
    }
}
