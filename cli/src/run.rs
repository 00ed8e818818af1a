//! `h5bypass run`: sets the environment and becomes the command.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};

use crate::args::RunArgs;
use crate::environment::{Changes, Existing, Wishes};
use crate::{plugin_dir, shell};

/// What a shell exits with when the command does not exist.
const EXIT_NOT_FOUND: u8 = 127;
/// What a shell exits with when the command exists and cannot be executed.
const EXIT_NOT_EXECUTABLE: u8 = 126;

/// Comes back only if nothing was started.
pub(crate) fn run(args: &RunArgs) -> Result<ExitCode> {
    let changes = Changes::new(&wishes(args)?, &Existing::read())?;
    if args.print_env {
        shell::write_changes(&mut io::stdout().lock(), &changes)?;
        return Ok(ExitCode::SUCCESS);
    }
    let Some((program, arguments)) = args.command.split_first() else { bail!("no command given") };
    let mut command = Command::new(program);
    command.args(arguments);
    changes.apply(&mut command);
    let error = command.exec();
    let (message, code) = exec_failure(program, &error);
    anstream::eprintln!("h5bypass: {message}");
    Ok(ExitCode::from(code))
}

fn wishes(args: &RunArgs) -> Result<Wishes> {
    let plugin_dir = plugin_dir::find(args.plugin_dir.as_deref())?;
    let stats = args.stats || args.stats_out.is_some();
    if stats && !plugin_dir.join(plugin_dir::STATS_FILE).is_file() {
        bail!("--stats needs {}, which is not in {}", plugin_dir::STATS_FILE, plugin_dir.display());
    }
    let stats_out = args.stats_out.as_deref().map(output_file).transpose()?;
    Ok(Wishes { plugin_dir, threads: args.threads, stats, stats_out, replace: args.replace })
}

/// The absolute path of a file that will be written only when the command ends: better to complain now.
fn output_file(file: &Path) -> Result<PathBuf> {
    let path = std::path::absolute(file).with_context(|| format!("--stats-out {}", file.display()))?;
    if path.is_dir() {
        bail!("--stats-out {} is a directory", file.display());
    }
    if !path.parent().is_some_and(Path::is_dir) {
        bail!("--stats-out {}: its directory does not exist", file.display());
    }
    Ok(path)
}

/// What to say, and the exit code, when the command could not be started.
fn exec_failure(program: &OsStr, error: &io::Error) -> (String, u8) {
    let name = Path::new(program).display();
    match error.kind() {
        // The file is there, so what is missing is the interpreter its first line names.
        io::ErrorKind::NotFound if has_slash(program) && Path::new(program).exists() => {
            (format!("{name}: cannot be executed: its interpreter was not found"), EXIT_NOT_EXECUTABLE)
        }
        io::ErrorKind::NotFound if has_slash(program) => (format!("{name}: no such file"), EXIT_NOT_FOUND),
        io::ErrorKind::NotFound => (format!("{name}: command not found"), EXIT_NOT_FOUND),
        _ if Path::new(program).is_dir() => (format!("{name}: is a directory"), EXIT_NOT_EXECUTABLE),
        _ => (format!("{name}: cannot be executed: {error}"), EXIT_NOT_EXECUTABLE),
    }
}

fn has_slash(program: &OsStr) -> bool {
    program.as_encoded_bytes().contains(&b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_are_those_of_a_shell() {
        let failure = |program: &str, kind: io::ErrorKind| exec_failure(OsStr::new(program), &kind.into()).1;
        assert_eq!(failure("nosuch", io::ErrorKind::NotFound), 127);
        assert_eq!(failure("/no/such", io::ErrorKind::NotFound), 127);
        assert_eq!(failure("/bin/sh", io::ErrorKind::NotFound), 126);
        assert_eq!(failure("/bin", io::ErrorKind::PermissionDenied), 126);
        assert_eq!(failure("x", io::ErrorKind::PermissionDenied), 126);
    }

    #[test]
    fn the_output_file_needs_a_directory() {
        assert!(output_file(Path::new("/no/such/dir/x.json")).is_err());
        assert!(output_file(Path::new("/tmp")).is_err());
        assert!(output_file(Path::new("x.json")).unwrap().is_absolute());
    }
}
