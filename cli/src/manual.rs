//! `h5bypass completions` and `h5bypass man`: made from the command line itself, so that they are never out of date.

use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::CommandFactory as _;

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::plain;

/// Prints the completions for a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "h5bypass", &mut script);
    io::stdout().lock().write_all(&script).context(plain::NO_OUTPUT)?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the manual page, or writes those of all commands.
pub(crate) fn man(args: &ManArgs) -> Result<ExitCode> {
    if let Some(folder) = &args.directory {
        std::fs::create_dir_all(folder).with_context(|| format!("{}", folder.display()))?;
        clap_mangen::generate_to(Cli::command(), folder).with_context(|| format!("{}", folder.display()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(Cli::command()).render(&mut page).context("cannot make the page")?;
    io::stdout().lock().write_all(&page).context(plain::NO_OUTPUT)?;
    Ok(ExitCode::SUCCESS)
}
