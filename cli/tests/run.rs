//! `h5bypass run` from the outside: exit codes, messages and the environment the command gets. Libraries that only look
//! like the plugins are enough here. With `H5BYPASS_PYTHON` and `H5BYPASS_PLUGIN_DIR` h5py is started with the real ones.

mod common;
mod plugins;

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Output};

use common::{code, directory, h5bypass, plugin_directory, stderr, stdout};
use plugins::{PLUGIN, compile, loadable_plugin};

/// `h5bypass run --plugin-dir DIR ARGS...`
fn run(dir: &Path, args: &[&str]) -> Command {
    let mut command = h5bypass();
    command.arg("run").arg("--plugin-dir").arg(dir).args(args);
    command
}

fn output(mut command: Command) -> Output {
    command.output().unwrap()
}

#[test]
fn the_exit_code_is_the_commands() {
    let dir = loadable_plugin("codes");
    assert_eq!(code(&output(run(&dir, &["--", "true"]))), 0);
    assert_eq!(code(&output(run(&dir, &["--", "false"]))), 1);
    assert_eq!(code(&output(run(&dir, &["--", "sh", "-c", "exit 7"]))), 7);
    assert_eq!(code(&output(run(&dir, &["sh", "-c", "exit 7"]))), 7);
}

#[test]
fn the_signal_is_the_commands() {
    let dir = loadable_plugin("signals");
    let output = output(run(&dir, &["--", "sh", "-c", "kill -TERM $$"]));
    assert_eq!(output.status.signal(), Some(15));
}

#[test]
fn a_missing_command_is_127() {
    let dir = loadable_plugin("missing");
    let bare = output(run(&dir, &["--", "no-such-command-here"]));
    assert_eq!(code(&bare), 127);
    assert_eq!(stderr(&bare), "h5bypass: no-such-command-here: command not found\n");
    assert_eq!(code(&output(run(&dir, &["--", "/no/such/command"]))), 127);
}

#[test]
fn a_command_that_cannot_be_executed_is_126() {
    let dir = loadable_plugin("unexecutable");
    let file = dir.join("data.txt");
    std::fs::write(&file, "data").unwrap();
    let plain = output(run(&dir, &["--", file.to_str().unwrap()]));
    assert_eq!(code(&plain), 126);
    assert_eq!(stderr(&plain).lines().count(), 1, "{}", stderr(&plain));

    let script = dir.join("script");
    // Written by another process: a file this one has open for writing, if only in a child that a parallel test is
    // just starting, cannot be executed.
    let write = "echo '#!/no/such/interpreter' > \"$0\" && chmod +x \"$0\"";
    assert!(Command::new("sh").args(["-c", write]).arg(&script).status().unwrap().success());
    let script = output(run(&dir, &["--", script.to_str().unwrap()]));
    assert_eq!(code(&script), 126);
    assert!(stderr(&script).contains("interpreter"), "{}", stderr(&script));

    let directory = output(run(&dir, &["--", "/"]));
    assert_eq!(code(&directory), 126);
}

#[test]
fn the_command_gets_the_environment() {
    let dir = loadable_plugin("environment");
    let show = "echo $HDF5_PLUGIN_PATH; echo $HDF5_VOL_CONNECTOR; echo ${BYPASS_VOL_NTHREADS-unset}; \
                echo ${BYPASS_VOL_STATS-unset}; echo ${H5STATS_OUT-unset}";
    let mut plain = run(&dir, &["--", "sh", "-c", show]);
    plain.env("HDF5_PLUGIN_PATH", format!("/a:{}:/b", dir.display()));
    let expected =
        format!("{}:/a:/b\nbypass under_vol=0;under_info={{}}\nunset\nunset\nunset\n", dir.display());
    assert_eq!(stdout(&output(plain)), expected);

    let mut full = run(&dir, &["--threads", "3", "--stats-out", "out.json", "--", "sh", "-c", show]);
    full.env("HDF5_PLUGIN_PATH", "/a").current_dir(&dir);
    let expected = format!(
        "{0}:/a\nh5stats under_vol=518;under_info={{under_vol=0;under_info={{}}}}\n3\n1\n{0}/out.json\n",
        dir.display()
    );
    assert_eq!(stdout(&output(full)), expected);
}

#[test]
fn a_missing_plugin_is_an_error_that_says_where_it_was_looked_for() {
    let dir = directory("empty");
    let missing = output(run(&dir, &["--", "true"]));
    assert_eq!(code(&missing), 2);
    assert!(stderr(&missing).contains("libh5bypass_vol.so"), "{}", stderr(&missing));
    assert!(stderr(&missing).contains(dir.to_str().unwrap()), "{}", stderr(&missing));

    let mut by_variable = h5bypass();
    by_variable.args(["run", "--", "true"]).env("H5BYPASS_PLUGIN_DIR", &dir);
    let by_variable = output(by_variable);
    assert_eq!(code(&by_variable), 2);
    assert!(stderr(&by_variable).contains(dir.to_str().unwrap()), "{}", stderr(&by_variable));
}

#[test]
fn the_plugin_is_found_beside_an_installed_executable() {
    let prefix = directory("prefix");
    let (bin, lib) = (prefix.join("bin"), prefix.join("lib/h5bypass/plugin"));
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::create_dir_all(&lib).unwrap();
    compile(&lib.join("libh5bypass_vol.so"), PLUGIN, &[]);
    let installed = bin.join("h5bypass");
    std::fs::hard_link(env!("CARGO_BIN_EXE_h5bypass"), &installed).unwrap();
    let output = Command::new(installed)
        .args(["run", "--", "sh", "-c", "echo $HDF5_PLUGIN_PATH"])
        .env_remove("HDF5_VOL_CONNECTOR")
        .env_remove("H5BYPASS_PLUGIN_DIR")
        .env("HDF5_PLUGIN_PATH", "")
        .output()
        .unwrap();
    assert_eq!(stdout(&output), format!("{}\n", lib.canonicalize().unwrap().display()));
}

#[test]
fn statistics_need_their_plugin() {
    let dir = directory("nostats");
    compile(&dir.join("libh5bypass_vol.so"), PLUGIN, &[]);
    let output = output(run(&dir, &["--stats", "--", "true"]));
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("libh5stats_vol.so"), "{}", stderr(&output));
}

/// Refuses to start the command, and says all of this.
fn assert_refused(command: Command, parts: &[&str]) {
    let output = output(command);
    let said = stderr(&output);
    assert_eq!((code(&output), stdout(&output).as_str()), (2, ""), "{said}");
    for part in parts {
        assert!(said.contains(part), "no '{part}' in: {said}");
    }
    assert!(!said.contains("os error") && !said.contains("panicked"), "{said}");
}

#[test]
fn a_plugin_that_cannot_be_loaded_is_refused() {
    let started = &["--", "echo", "started"];
    let empty = plugin_directory("plugin-empty");
    assert_refused(run(&empty, started), &["libh5bypass_vol.so", "not a shared library", "->"]);

    let dir = directory("plugin-other");
    let plugin = dir.join("libh5bypass_vol.so");
    std::fs::write(&plugin, "text that is long enough for a header of a shared library, and is none")
        .unwrap();
    assert_refused(run(&dir, started), &["not a shared library", "invalid ELF header"]);
    std::fs::copy("/bin/sh", &plugin).unwrap();
    assert_refused(run(&dir, started), &["it is a program, not a shared library"]);
    compile(&plugin, "int nothing;", &[]);
    assert_refused(run(&dir, started), &["not an HDF5 plugin", "H5PLget_plugin_info"]);

    // For another processor: ELF's number of it is in the header.
    compile(&plugin, PLUGIN, &[]);
    let mut bytes = std::fs::read(&plugin).unwrap();
    let other: u16 = if cfg!(target_arch = "aarch64") { 62 } else { 183 };
    bytes[18..20].copy_from_slice(&other.to_le_bytes());
    std::fs::write(&plugin, bytes).unwrap();
    assert_refused(run(&dir, started), &["it was built for", "x86-64", "aarch64"]);
}

#[test]
fn a_library_that_the_plugin_needs_is_named() {
    let dir = directory("plugin-needs");
    let needed = dir.join("libneeded-by-test.so");
    compile(&needed, "int needed(void) { return 0; }", &[]);
    let source = format!("int needed(void); int user(void) {{ return needed(); }}\n{PLUGIN}");
    let (file, plugin) = (dir.join("user.c"), dir.join("libh5bypass_vol.so"));
    std::fs::write(&file, source).unwrap();
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-Wl,--no-as-needed", "-o"])
        .args([&plugin, &file])
        .arg(format!("-L{}", dir.display()))
        .arg("-lneeded-by-test")
        .status()
        .unwrap();
    assert!(status.success());
    std::fs::rename(&needed, dir.join("gone")).unwrap();
    let refused = run(&dir, &["--", "echo", "started"]);
    assert_refused(refused, &["it needs libneeded-by-test.so, which was not found", "LD_LIBRARY_PATH"]);
}

#[test]
fn the_statistics_plugin_is_tried_where_it_is_used() {
    let dir = loadable_plugin("plugin-stats");
    std::fs::write(dir.join("libh5stats_vol.so"), "").unwrap();
    assert_eq!(code(&output(run(&dir, &["--", "true"]))), 0);
    assert_refused(
        run(&dir, &["--stats", "--", "echo", "started"]),
        &["libh5stats_vol.so", "not a shared library"],
    );
    let mut stacked = run(&dir, &["--", "echo", "started"]);
    stacked.env("HDF5_VOL_CONNECTOR", "h5stats under_vol=518;under_info={}");
    assert_refused(stacked, &["libh5stats_vol.so"]);
}

#[test]
fn an_invalid_variable_is_refused_before_the_command_starts() {
    let dir = loadable_plugin("invalid-variable");
    let with = |name: &str, value: &str, options: &[&str]| {
        let mut command = run(&dir, &[options, &["--", "echo", "started"]].concat());
        command.env(name, value);
        command
    };
    assert_refused(
        with("BYPASS_VOL_NTHREADS", "abc", &[]),
        &["BYPASS_VOL_NTHREADS='abc'", "whole number", "unset"],
    );
    assert_refused(with("BYPASS_VOL_CACHE", "64MB", &[]), &["BYPASS_VOL_CACHE='64MB'", "64M"]);
    for (name, value, options) in [
        ("BYPASS_VOL_CACHE", "64m", &[][..]),
        ("BYPASS_VOL_NTHREADS", "", &[]),
        ("BYPASS_VOL_NTHREADS", "abc", &["-t", "2"]),
    ] {
        assert_eq!(stdout(&output(with(name, value, options))), "started\n", "{name}={value}");
    }
}

/// What `run` and `doctor` guard against: with a stale environment h5py crashes as soon as it opens a file.
#[test]
fn h5py_runs_only_through_a_plugin_that_loads() {
    let (Some(python), Some(plugins)) =
        (std::env::var_os("H5BYPASS_PYTHON"), std::env::var_os("H5BYPASS_PLUGIN_DIR"))
    else {
        return;
    };
    let dir = directory("h5py");
    let stale = |command: &mut Command| {
        command
            .arg("-c")
            .arg("import h5py; h5py.File('x.h5', 'w').close(); print('written')")
            .current_dir(&dir);
        command.env("HDF5_PLUGIN_PATH", "/no/such/folder").env("HDF5_VOL_CONNECTOR", "bypass");
        command.output().unwrap()
    };
    let crashed = stale(&mut Command::new(&python));
    assert_eq!(crashed.status.signal(), Some(11), "the README says that it crashes: {crashed:?}");

    let mut command = h5bypass();
    command.args(["run", "--plugin-dir"]).arg(&plugins).arg("--").arg(&python);
    let output = stale(&mut command);
    assert_eq!((code(&output), stdout(&output).as_str()), (0, "written\n"), "{}", stderr(&output));
}

#[test]
fn another_connector_is_refused_and_can_be_replaced() {
    let dir = loadable_plugin("foreign");
    let mut refused = run(&dir, &["--", "true"]);
    refused.env("HDF5_VOL_CONNECTOR", "async under_vol=0;under_info={}");
    let refused = output(refused);
    assert_eq!(code(&refused), 2);
    let text = stderr(&refused);
    assert!(text.contains("'async'") && text.contains("unset HDF5_VOL_CONNECTOR"), "{text}");

    let mut replaced = run(&dir, &["--replace", "--", "sh", "-c", "echo $HDF5_VOL_CONNECTOR"]);
    replaced.env("HDF5_VOL_CONNECTOR", "async under_vol=0;under_info={}");
    assert_eq!(stdout(&output(replaced)), "bypass under_vol=0;under_info={}\n");
}

#[test]
fn disabled_plugins_are_refused() {
    let dir = loadable_plugin("disabled");
    let mut command = run(&dir, &["--", "true"]);
    command.env("HDF5_PLUGIN_PRELOAD", "::");
    let output = output(command);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("HDF5_PLUGIN_PRELOAD"), "{}", stderr(&output));
}

#[test]
fn a_shell_evaluates_the_printed_environment() {
    let dir = loadable_plugin("it's a \"$HOME\" `dir` \\");
    let script = r#"
        eval "$("$0" run --print-env --threads 2 --plugin-dir "$1")" || exit 9
        eval "$("$0" run --print-env --threads 2 --plugin-dir "$1")" || exit 9
        printf '%s\n' "$HDF5_PLUGIN_PATH" "$HDF5_VOL_CONNECTOR" "$BYPASS_VOL_NTHREADS"
    "#;
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_h5bypass")])
        .arg(&dir)
        .env_remove("HDF5_VOL_CONNECTOR")
        .env("HDF5_PLUGIN_PATH", "/x y")
        .output()
        .unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(stdout(&output), format!("{}:/x y\nbypass under_vol=0;under_info={{}}\n2\n", dir.display()));
}

#[test]
fn wrong_usage_is_2() {
    let dir = loadable_plugin("usage");
    assert_eq!(code(&output(run(&dir, &[]))), 2);
    assert_eq!(code(&output(run(&dir, &["--threads", "0", "true"]))), 2);
    assert_eq!(code(&output(run(&dir, &["--stats-out", "/no/such/dir/x", "true"]))), 2);
    let typo = output(run(&dir, &["--thread", "2", "true"]));
    assert_eq!(code(&typo), 2);
    assert!(stderr(&typo).contains("--threads"), "{}", stderr(&typo));
}

#[test]
fn nobody_who_reads_is_no_panic() {
    let dir = loadable_plugin("unread");
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let printed = run(&dir, &["--print-env"]).stdout(full()).output().unwrap();
    assert_eq!(stderr(&printed), "h5bypass: cannot write to standard output: No space left on device\n");
    assert_eq!(code(&printed), 2);
    // Complaints that nobody can read.
    let complaint = run(&dir, &["--", "no-such-command-here"]).stderr(full()).status().unwrap();
    assert_eq!(complaint.code(), Some(127));
}
