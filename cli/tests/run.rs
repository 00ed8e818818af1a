//! `h5bypass run` from the outside: exit codes, messages and the environment the command gets. No plugin is loaded
//! here, files of its name are enough.

mod common;

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Output};

use common::{code, directory, h5bypass, plugin_directory, stderr, stdout};

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
    let dir = plugin_directory("codes");
    assert_eq!(code(&output(run(&dir, &["--", "true"]))), 0);
    assert_eq!(code(&output(run(&dir, &["--", "false"]))), 1);
    assert_eq!(code(&output(run(&dir, &["--", "sh", "-c", "exit 7"]))), 7);
    assert_eq!(code(&output(run(&dir, &["sh", "-c", "exit 7"]))), 7);
}

#[test]
fn the_signal_is_the_commands() {
    let dir = plugin_directory("signals");
    let output = output(run(&dir, &["--", "sh", "-c", "kill -TERM $$"]));
    assert_eq!(output.status.signal(), Some(15));
}

#[test]
fn a_missing_command_is_127() {
    let dir = plugin_directory("missing");
    let bare = output(run(&dir, &["--", "no-such-command-here"]));
    assert_eq!(code(&bare), 127);
    assert_eq!(stderr(&bare), "h5bypass: no-such-command-here: command not found\n");
    assert_eq!(code(&output(run(&dir, &["--", "/no/such/command"]))), 127);
}

#[test]
fn a_command_that_cannot_be_executed_is_126() {
    let dir = plugin_directory("unexecutable");
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
    let dir = plugin_directory("environment");
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
    std::fs::write(lib.join("libh5bypass_vol.so"), "").unwrap();
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
    std::fs::write(dir.join("libh5bypass_vol.so"), "").unwrap();
    let output = output(run(&dir, &["--stats", "--", "true"]));
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("libh5stats_vol.so"), "{}", stderr(&output));
}

#[test]
fn another_connector_is_refused_and_can_be_replaced() {
    let dir = plugin_directory("foreign");
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
    let dir = plugin_directory("disabled");
    let mut command = run(&dir, &["--", "true"]);
    command.env("HDF5_PLUGIN_PRELOAD", "::");
    let output = output(command);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("HDF5_PLUGIN_PRELOAD"), "{}", stderr(&output));
}

#[test]
fn a_shell_evaluates_the_printed_environment() {
    let dir = plugin_directory("it's a \"$HOME\" `dir` \\");
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
    let dir = plugin_directory("usage");
    assert_eq!(code(&output(run(&dir, &[]))), 2);
    assert_eq!(code(&output(run(&dir, &["--threads", "0", "true"]))), 2);
    assert_eq!(code(&output(run(&dir, &["--stats-out", "/no/such/dir/x", "true"]))), 2);
    let typo = output(run(&dir, &["--thread", "2", "true"]));
    assert_eq!(code(&typo), 2);
    assert!(stderr(&typo).contains("--threads"), "{}", stderr(&typo));
}
