//! A headless Chromium, in which the tests look at the benchmark's page.
//!
//! An installed one is used if there is one. Otherwise Debian's package is unpacked below `target/`, with the dependencies
//! that are not installed. It comes from the system's package sources, but with separate lists and archives. Nothing is
//! installed or changed outside, and root is not needed.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use std::{env, io};

use anyhow::{Context, Result, bail, ensure};

use super::stamp::Stamp;
use crate::layout::Layout;
use crate::shell;

/// The names of an installed Chromium.
const NAMES: [&str; 7] = [
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "headless_shell",
];

/// Debian's package, and its program.
const PACKAGE: &str = "chromium-headless-shell";
const PROGRAM: &str = "usr/lib/chromium/chromium-headless-shell";

/// The time limit for downloads, in seconds: enough for 60 MB over a slow connection.
const FETCHING: u32 = 300;
/// The time limit for everything else, which takes about a second.
const OTHERWISE: u32 = 60;

/// A page that shows this only if its script runs.
const TRIAL: &str =
    "<!doctype html><p id=\"out\"></p><script>out.textContent = \"6 * 7 = \" + 6 * 7</script>";
const SHOWN: &str = "6 * 7 = 42";

/// A program that opens pages, or why there is none.
pub(crate) fn browser(layout: &Layout) -> Result<PathBuf> {
    for installed in NAMES.into_iter().filter_map(in_path) {
        match open_a_page(layout, &installed) {
            Ok(()) => return Ok(installed),
            Err(error) => println!("{error:#}; looking for another"),
        }
    }
    let fetched = fetched(layout)?;
    open_a_page(layout, &fetched)?;
    Ok(fetched)
}

fn in_path(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// Some browsers that are installed cannot read files everywhere, or miss libraries.
fn open_a_page(layout: &Layout, browser: &Path) -> Result<()> {
    let place = layout.scratch("browser");
    shell::empty_folder(&place)?;
    let page = place.join("page.html");
    fs::write(&page, TRIAL).with_context(|| format!("cannot write {}", page.display()))?;
    let mut open = within(OTHERWISE, browser);
    open.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--dump-dom"]);
    open.arg(format!("--user-data-dir={}", place.join("profile").display()));
    open.arg(address(&page));
    let finished = shell::run_logged(layout, "setup-browser-trial", &mut open)?;
    let shown = fs::read(&finished.log).context("cannot read what a browser printed")?;
    ensure!(
        String::from_utf8_lossy(&shown).contains(SHOWN),
        "{} does not open a page ({}); it printed: {}",
        browser.display(),
        finished.status,
        finished.log.display()
    );
    fs::remove_dir_all(&place).with_context(|| format!("cannot remove {}", place.display()))
}

/// The URL of a file.
fn address(file: &Path) -> String {
    file.to_string_lossy().chars().fold("file://".to_owned(), |mut address, letter| {
        match letter {
            '%' | '#' | '?' | ' ' => {
                let _ = write!(address, "%{:02X}", u32::from(letter));
            }
            _ => address.push(letter),
        }
        address
    })
}

/// Debian's, unpacked once.
fn fetched(layout: &Layout) -> Result<PathBuf> {
    let folder = layout.own().join("browser");
    let start = folder.join("chromium");
    let system = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let stamp =
        Stamp::new(folder.with_extension("stamp"), format!("{PACKAGE}\n{}\n{system}", settings(&folder)));
    if stamp.covers(&start) {
        return Ok(start);
    }
    for tool in ["apt-get", "dpkg-deb"] {
        ensure!(
            in_path(tool).is_some(),
            "no Chromium is installed, and there is no {tool} to fetch Debian's"
        );
    }
    stamp.revoke()?;
    print!("fetching a headless Chromium for the tests ... ");
    io::stdout().flush().context("cannot write to the terminal")?;
    let started = Instant::now();
    let made = fetch(layout, &folder).and_then(|()| unpack(layout, &folder)).and_then(|()| {
        fs::write(&start, start_script(&folder)?)
            .context("cannot write the script that starts the browser")?;
        fs::set_permissions(&start, fs::Permissions::from_mode(0o755)).context("cannot make it executable")
    });
    println!("{}{}", shell::seconds(started.elapsed()), if made.is_ok() { "" } else { ", failed" });
    made.context("no Chromium is installed, and none can be fetched")?;
    stamp.grant()?;
    Ok(start)
}

/// Gets the lists and the archives.
fn fetch(layout: &Layout, folder: &Path) -> Result<()> {
    shell::empty_folder(folder)?;
    for part in ["lists/partial", "cache/archives/partial", "root"] {
        shell::empty_folder(&folder.join(part))?;
    }
    let configuration = folder.join("apt.conf");
    fs::write(&configuration, settings(folder)).context("cannot write apt's configuration")?;
    let apt = |arguments: &[&str]| {
        let mut apt = within(FETCHING, Path::new("apt-get"));
        apt.env("LC_ALL", "C").arg("-c").arg(&configuration).args(arguments);
        apt
    };

    // A source that is not needed may be unreachable. It only matters whether the package is found.
    let lists = shell::run_logged(layout, "setup-browser-lists", &mut apt(&["-qq", "update"]))?;
    let install =
        ["-qq", "--yes", "--no-install-recommends", "--no-remove", "--download-only", "install", PACKAGE];
    let archives = shell::run_logged(layout, "setup-browser-archives", &mut apt(&install))?;
    if archives.status.success() {
        return Ok(());
    }
    let why = complaint(&archives.log).unwrap_or_else(|| archives.status.to_string());
    match complaint(&lists.log) {
        Some(before) => bail!("{why}; before that: {before}"),
        None => bail!("{why} ({})", archives.log.display()),
    }
}

/// Unpacks the archives and removes them and the lists.
fn unpack(layout: &Layout, folder: &Path) -> Result<()> {
    let archives = folder.join("cache/archives");
    for entry in fs::read_dir(&archives).context("cannot list the archives")? {
        let archive = entry.context("cannot list the archives")?.path();
        if archive.extension().is_some_and(|end| end == "deb") {
            let mut unpack = within(OTHERWISE, Path::new("dpkg-deb"));
            unpack.arg("--extract").arg(&archive).arg(folder.join("root"));
            let finished = shell::run_logged(layout, "setup-browser-unpack", &mut unpack)?;
            ensure!(
                finished.status.success(),
                "cannot unpack {}: {}",
                archive.display(),
                finished.log.display()
            );
        }
    }
    for made in ["cache", "lists"] {
        fs::remove_dir_all(folder.join(made)).with_context(|| format!("cannot remove apt's {made}"))?;
    }
    Ok(())
}

/// The configuration that makes apt work without root, in its own folder. The sources and keys are the system's. The system's
/// hooks are not run, because those of container images clean up the system's folders.
fn settings(folder: &Path) -> String {
    format!(
        r#"Dir::State::lists "{0}/lists";
Dir::Cache "{0}/cache";
APT::Sandbox::User "";
Debug::NoLocking "true";
Acquire::Retries "1";
Acquire::http::Timeout "20";
Acquire::https::Timeout "20";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
"#,
        folder.display()
    )
}

/// Starts the program with the libraries that were unpacked with it, and their fonts where the system has none.
fn start_script(folder: &Path) -> Result<String> {
    let root = folder.join("root");
    ensure!(root.join(PROGRAM).is_file(), "the package {PACKAGE} has no {PROGRAM}");
    let mut libraries = String::new();
    for place in ["lib", "usr/lib"] {
        let Ok(entries) = fs::read_dir(root.join(place)) else { continue };
        for name in entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()) {
            // Multiarch: x86_64-linux-gnu. PulseAudio keeps a library of its own in a folder below.
            if name.contains("-linux-gnu") {
                let _ = write!(libraries, "$root/{place}/{name}:$root/{place}/{name}/pulseaudio:");
            }
        }
    }
    let mut script = format!(
        "#!/bin/sh\nroot=$(dirname \"$0\")/root\nexport LD_LIBRARY_PATH=\"{}\"\n",
        libraries.trim_end_matches(':')
    );
    if !Path::new("/etc/fonts/fonts.conf").exists() {
        let fonts = folder.join("fonts.conf");
        let text = format!(
            "<fontconfig><dir>{}</dir><cachedir>{}</cachedir></fontconfig>\n",
            root.join("usr/share/fonts").display(),
            folder.join("fonts").display()
        );
        fs::write(&fonts, text).with_context(|| format!("cannot write {}", fonts.display()))?;
        script += "export FONTCONFIG_FILE=\"$(dirname \"$0\")/fonts.conf\"\n";
    }
    let _ = writeln!(script, "exec \"$root/{PROGRAM}\" \"$@\"");
    Ok(script)
}

/// A command that is killed after some seconds.
fn within(seconds: u32, program: &Path) -> Command {
    let mut command = shell::command("timeout");
    command.arg("--kill-after=5").arg(seconds.to_string()).arg(program);
    command
}

/// The first error in apt's log.
fn complaint(log: &Path) -> Option<String> {
    let lines = BufReader::new(fs::File::open(log).ok()?).lines().map_while(Result::ok);
    first_complaint(lines)
}

fn first_complaint(lines: impl Iterator<Item = String>) -> Option<String> {
    let lines: Vec<String> = lines.collect();
    let of_kind = |kind: &str| lines.iter().find_map(|line| line.strip_prefix(kind));
    of_kind("E: ").or_else(|| of_kind("W: ")).map(|line| line.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_an_address() {
        assert_eq!(address(Path::new("/a b/50%/#1?.html")), "file:///a%20b/50%25/%231%3F.html");
    }

    #[test]
    fn what_went_wrong_is_found() {
        let first = |text: &str| first_complaint(text.lines().map(str::to_owned));
        assert_eq!(first("W: slow\nE: No such package\nE: Bye"), Some("No such package".to_owned()));
        assert_eq!(first("Reading\nW: Failed to fetch"), Some("Failed to fetch".to_owned()));
        assert_eq!(first("Reading"), None);
    }

    #[test]
    fn apt_is_told_to_leave_the_system_alone() {
        let settings = settings(Path::new("/x"));
        for part in ["lists \"/x/lists\"", "Cache \"/x/cache\"", "#clear APT::Update::Post-Invoke;"] {
            assert!(settings.contains(part), "{part}");
        }
    }
}
