//! Where a trace, or another file that a process writes when it ends, goes.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// How many names are tried.
const TRIES: u32 = 100;

/// Where names are not of files but of what processes have open, be that a file.
const STREAMS: [&str; 3] = ["/dev/std", "/dev/fd/", "/proc/"];

/// A file that is this process's to write, as long as everybody claims before writing.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    /// The name that was asked for, if another had to be taken.
    instead_of: Option<PathBuf>,
    /// It is not a file but a pipe or a device: it is not replaced, and nobody can claim it.
    is_stream: bool,
}

/// Claims the file of this name for a process, by creating it: empty, until the process ends. If it is there, it is
/// another process's, and the process id is appended.
///
/// # Errors
/// If it cannot be created.
pub fn claim(pattern: &Path, process: u32) -> io::Result<Claim> {
    let wanted = with_process(pattern.as_os_str(), process);
    let mut path = wanted.clone();
    for attempt in 1..=TRIES {
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(_) => {
                let instead_of = (path != wanted).then_some(wanted);
                return Ok(Claim { path, instead_of, is_stream: false });
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        if is_stream(&path) {
            // Says also why a directory cannot be written.
            OpenOptions::new().append(true).open(&path)?;
            return Ok(Claim { path, instead_of: None, is_stream: true });
        }
        let mut other = wanted.clone().into_os_string();
        other.push(format!(".{process}"));
        if attempt > 1 {
            other.push(format!(".{attempt}"));
        }
        path = PathBuf::from(other);
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

impl Claim {
    /// The name that it has got.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is a pipe or a device, which can only be added to.
    pub(crate) fn is_stream(&self) -> bool {
        self.is_stream
    }

    /// The name that was asked for, if another file had it.
    pub fn instead_of(&self) -> Option<&Path> {
        self.instead_of.as_deref()
    }

    /// Writes it: beside it first, so that nobody sees half of a file.
    ///
    /// # Errors
    /// If it cannot be written; then it is as it was.
    pub fn write(&self, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        if self.is_stream {
            return written(OpenOptions::new().append(true).open(&self.path)?, content);
        }
        let mut partial = self.path.clone().into_os_string();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let outcome = File::create(&partial)
            .and_then(|file| written(file, content))
            .and_then(|()| fs::rename(&partial, &self.path));
        if outcome.is_err() {
            let _ = fs::remove_file(&partial);
        }
        outcome
    }
}

/// Whether something that is there is written to as it is, and not replaced.
fn is_stream(path: &Path) -> bool {
    let is_open_file =
        STREAMS.iter().any(|prefix| path.as_os_str().as_bytes().starts_with(prefix.as_bytes()));
    is_open_file || fs::metadata(path).is_ok_and(|there| !there.is_file())
}

fn written(file: File, content: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    content(&mut file)?;
    file.flush()
}

/// The name with the process id in the place of each `%p`.
fn with_process(pattern: &OsStr, process: u32) -> PathBuf {
    let process = process.to_string();
    let mut name = Vec::new();
    let mut rest = pattern.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        if byte == b'%' && tail.first() == Some(&b'p') {
            name.extend_from_slice(process.as_bytes());
            rest = &tail[1..];
        } else {
            name.push(byte);
            rest = tail;
        }
    }
    PathBuf::from(OsString::from_vec(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_id_goes_where_it_was_asked_for() {
        let name = |pattern: &str| with_process(OsStr::new(pattern), 42);
        assert_eq!(name("out.json"), Path::new("out.json"));
        assert_eq!(name("out-%p.json"), Path::new("out-42.json"));
        assert_eq!(name("%p%p%%p%"), Path::new("4242%42%"));
        assert_eq!(with_process(OsStr::from_bytes(b"\xff%p"), 7).as_os_str().as_bytes(), b"\xff7");
    }

    #[test]
    fn the_first_gets_the_name_and_nobody_is_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        let pattern = directory.path().join("out.json");
        let claims: Vec<_> = [1, 2, 2, 2].map(|process| claim(&pattern, process).unwrap()).into();
        let names: Vec<_> =
            claims.iter().map(|claim| claim.path().file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["out.json", "out.json.2", "out.json.2.2", "out.json.2.3"]);
        assert_eq!(claims[0].instead_of(), None);
        assert_eq!(claims[1].instead_of(), Some(&*pattern));
        for (number, claim) in claims.iter().enumerate() {
            assert_eq!(fs::read(claim.path()).unwrap(), b"");
            claim.write(|to| write!(to, "{number}")).unwrap();
        }
        for (number, claim) in claims.iter().enumerate() {
            assert_eq!(fs::read_to_string(claim.path()).unwrap(), number.to_string());
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 4);
    }

    #[test]
    fn what_fails_halfway_leaves_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        let claim = claim(&directory.path().join("out.json"), 1).unwrap();
        let fails = |to: &mut dyn Write| to.write_all(b"half").and(Err(io::Error::other("stop")));
        assert_eq!(claim.write(fails).unwrap_err().to_string(), "stop");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn devices_are_written_and_not_replaced() {
        let claim = claim(Path::new("/dev/null"), 1).unwrap();
        claim.write(|to| to.write_all(b"text")).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn what_a_process_has_open_is_appended_to() {
        use std::os::fd::AsRawFd as _;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        fs::write(&path, "before ").unwrap();
        let log = File::open(&path).unwrap();
        let claim = claim(Path::new(&format!("/proc/self/fd/{}", log.as_raw_fd())), 1).unwrap();
        claim.write(|to| to.write_all(b"text")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "before text");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_written_is_told_at_once() {
        let kind = |path: &str| claim(Path::new(path), 1).unwrap_err().kind();
        assert_eq!(kind("/no/such/folder/out.json"), io::ErrorKind::NotFound);
        assert_eq!(kind("/"), io::ErrorKind::IsADirectory);
        assert_eq!(kind("/dev/null/out.json"), io::ErrorKind::NotADirectory);
    }
}
