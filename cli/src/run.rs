//! `h5bypass run`: sets the environment and becomes the command.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context as _, Result, bail};
use settings::Fault;

use crate::args::RunArgs;
use crate::connector::{self, Base, Spec};
use crate::environment::{Changes, Existing, NTHREADS, STATS, TRACE, VOL_CONNECTOR, Wishes};
use crate::libraries::plugin;
use crate::{plain, plugin_dir, shell, variables};

/// The beginning of every trace file that is not empty.
const TRACE_BEGINNING: &[u8] = b"{\"otherData\":{\"producer\":\"h5bypass ";

/// A shell's exit code for a command that does not exist.
const EXIT_NOT_FOUND: u8 = 127;
/// A shell's exit code for a command that exists but cannot be executed.
const EXIT_NOT_EXECUTABLE: u8 = 126;

/// Becomes the command. Returns only if nothing was started.
pub(crate) fn run(args: &RunArgs) -> Result<ExitCode> {
    let wishes = wishes(args)?;
    let mut changes = Changes::new(&wishes, &Existing::read())?;
    check_variables(args)?;
    plugin::check(&plugins(&wishes, &changes))?;
    let trace = args.trace.as_deref().map(|file| output_file("--trace", file)).transpose()?;
    changes.set.extend(trace.iter().map(|file| (TRACE, file.into())));
    if args.print_env {
        shell::write_changes(&mut io::stdout().lock(), &changes).context(plain::NO_OUTPUT)?;
        return Ok(ExitCode::SUCCESS);
    }
    let Some((program, arguments)) = args.command.split_first() else { bail!("no command given") };
    let mut command = Command::new(program);
    command.args(arguments);
    changes.apply(&mut command);
    if let Some(file) = &trace {
        remove_old_trace(file)?;
    }
    let error = command.exec();
    let (message, code) = exec_failure(program, &error);
    plain::say(&message);
    Ok(ExitCode::from(code))
}

/// The plugins that HDF5 will load. If one cannot be loaded, some clients crash and do not say why.
fn plugins(wishes: &Wishes, changes: &Changes) -> Vec<PathBuf> {
    let stacked = changes.get(VOL_CONNECTOR).and_then(|value| Spec::parse(value.to_str()?));
    let stats = stacked.is_some_and(|spec| spec.name == connector::STATS).then_some(plugin_dir::STATS_FILE);
    [wishes.base.file()].into_iter().chain(stats).map(|file| wishes.plugin_dir.join(file)).collect()
}

/// Fails if a variable has an invalid value, unless an option overrides it.
fn check_variables(args: &RunArgs) -> Result<()> {
    let is_overridden = |fault: &Fault| {
        fault.variable == NTHREADS && args.threads.is_some()
            || fault.variable == STATS && (args.stats || args.stats_out.is_some())
    };
    match variables::faults().into_iter().find(|fault| !is_overridden(fault)) {
        Some(fault) => bail!("{fault}\n  -> {}", variables::advice(&fault)),
        None => Ok(()),
    }
}

fn wishes(args: &RunArgs) -> Result<Wishes> {
    let settings = settings(args)?;
    let plugin_dir = plugin_dir::find_file(args.plugin_dir.as_deref(), args.connector.file())?;
    let stats = args.stats || args.stats_out.is_some();
    if stats && !plugin_dir.join(plugin_dir::STATS_FILE).is_file() {
        bail!("--stats needs {}, which is not in {}", plugin_dir::STATS_FILE, plugin_dir.display());
    }
    let stats_out = args.stats_out.as_deref().map(|file| output_file("--stats-out", file)).transpose()?;
    Ok(Wishes {
        base: args.connector,
        settings,
        plugin_dir,
        threads: args.threads,
        stats,
        stats_out,
        replace: args.replace,
    })
}

/// The settings of the Zarr connector. Fails if an option is not for the connector.
fn settings(args: &RunArgs) -> Result<Vec<&'static str>> {
    let of_zarr = [("--all", args.all, "all=1"), ("--stub", args.stub, "stub=1")];
    let of_bypass = [
        ("--threads", args.threads.is_some()),
        ("--stats", args.stats),
        ("--stats-out", args.stats_out.is_some()),
        ("--trace", args.trace.is_some()),
    ];
    match args.connector {
        Base::Bypass => match of_zarr.iter().find(|(_, given, _)| *given) {
            Some((option, ..)) => bail!("{option} is for the Zarr connector: add --connector zarr"),
            None => Ok(Vec::new()),
        },
        Base::Zarr => match of_bypass.iter().find(|(_, given)| *given) {
            Some((option, _)) => {
                bail!("{option} is not for the Zarr connector (ZARR_VOL_STATS=FILE counts what that does)")
            }
            None => Ok(of_zarr.iter().filter(|(_, given, _)| *given).map(|(.., setting)| *setting).collect()),
        },
    }
}

/// The absolute path of a file that is written when the command ends. A path that cannot be written is reported now, not then.
fn output_file(option: &str, file: &Path) -> Result<PathBuf> {
    let path = std::path::absolute(file).with_context(|| format!("{option} {}", file.display()))?;
    if path.is_dir() {
        bail!("{option} {} is a directory", file.display());
    }
    if !path.parent().is_some_and(Path::is_dir) {
        bail!("{option} {}: its directory does not exist", file.display());
    }
    Ok(path)
}

/// Removes a trace of an earlier run. The connector does not overwrite an existing file, because another process may have
/// written it. A file that is not a trace is never removed.
fn remove_old_trace(path: &Path) -> Result<()> {
    // A link may point to something that another program has open, as /dev/stdout does.
    if !path.symlink_metadata().is_ok_and(|there| there.is_file()) {
        return Ok(());
    }
    let context = || format!("--trace {}", path.display());
    let mut beginning = Vec::new();
    let file = File::open(path).with_context(context)?;
    file.take(TRACE_BEGINNING.len() as u64).read_to_end(&mut beginning).with_context(context)?;
    if !beginning.is_empty() && beginning != TRACE_BEGINNING {
        bail!("--trace {} exists and is not an h5bypass trace; refusing to overwrite it", path.display());
    }
    std::fs::remove_file(path).with_context(context)
}

/// The message and the exit code when the command could not be started.
fn exec_failure(program: &OsStr, error: &io::Error) -> (String, u8) {
    let name = Path::new(program).display();
    match error.kind() {
        // The file exists, so it is the interpreter in its first line that is missing.
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
        let file = |file: &str| output_file("--stats-out", Path::new(file));
        assert!(file("/no/such/dir/x.json").is_err());
        assert!(file("/tmp").is_err());
        assert!(file("x.json").unwrap().is_absolute());
    }

    #[test]
    fn nothing_but_a_trace_is_removed() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("trace.json");
        for content in ["data", "{", "{\"otherData\":{\"producer\":\"somebody"] {
            std::fs::write(&path, content).unwrap();
            assert!(remove_old_trace(&path).unwrap_err().to_string().contains("is not an h5bypass trace"));
            assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
        }
        for content in ["", "{\"otherData\":{\"producer\":\"h5bypass 0.1.0\"}"] {
            std::fs::write(&path, content).unwrap();
            remove_old_trace(&path).unwrap();
            assert!(!path.exists());
        }
        remove_old_trace(&path).unwrap();
        remove_old_trace(Path::new("/dev/null")).unwrap();
    }
}
