//! Why the dynamic linker does not load a file, and what to do about it. The linker's own message names only the symptom:
//! for example, it says "No such file" about a library for another processor.

use std::path::Path;

use super::library_file::Architecture;
use crate::probe::LACKS;

/// What keeps a file from being loaded, or from being what it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// Not an ELF file, or only a part of one.
    NotALibrary,
    Executable,
    /// Built for another processor: its name, and the name of this one.
    OtherProcessor(String, String),
    /// It needs a library of this name, which is missing.
    Missing(String),
    /// It needs this version of the C library, which is newer than this system's.
    OldSystem(String),
    /// It can be loaded, but does not have this function.
    Lacks(String),
    /// Anything else. Only the linker's message says what.
    Other,
}

impl Obstacle {
    /// Finds the obstacle from the file and the linker's message.
    pub(super) fn of(file: &Path, said: &str) -> Self {
        if let Some(function) = said.strip_prefix(LACKS) {
            return Self::Lacks(function.to_owned());
        }
        let Some(theirs) = Architecture::of(file) else { return Self::NotALibrary };
        if let Some(ours) = Architecture::ours().filter(|ours| *ours != theirs) {
            return Self::OtherProcessor(theirs.name(), ours.name());
        }
        if said.contains("cannot dynamically load") && said.contains("executable") {
            return Self::Executable;
        }
        if said.contains("file too short") || said.contains("invalid ELF header") {
            return Self::NotALibrary;
        }
        if let Some((missing, _)) = said.split_once(": cannot open shared object file") {
            return Self::Missing(missing.to_owned());
        }
        let version = said.split(['`', '\'']).find(|word| word.starts_with("GLIBC"));
        version.map_or(Self::Other, |version| Self::OldSystem(version.to_owned()))
    }

    /// Describes it in a clause. The linker's message is included where it says more.
    pub(super) fn sentence(&self, said: &str) -> String {
        match self {
            Self::NotALibrary => format!("it is not a shared library ({said})"),
            Self::Executable => "it is a program, not a shared library".into(),
            Self::OtherProcessor(theirs, ours) => {
                format!("it was built for {theirs}, but this machine is {ours}")
            }
            Self::Missing(library) => format!("it needs {library}, which was not found"),
            Self::OldSystem(version) => {
                format!("it needs {version}, but the C library on this machine is older")
            }
            Self::Lacks(function) => format!("it has no function {function}"),
            Self::Other => said.to_owned(),
        }
    }

    /// What to do if the file should be one of our plugins.
    pub(super) fn advice_for_plugin(&self) -> String {
        match self {
            Self::NotALibrary => "the file is damaged or not a plugin: rebuild or reinstall h5bypass".into(),
            Self::Executable | Self::Lacks(_) => {
                "this is not the plugin: rebuild or reinstall h5bypass".into()
            }
            Self::OtherProcessor(..) => {
                "build h5bypass on this machine, or install it for this processor".into()
            }
            Self::Missing(library) => install(library),
            Self::OldSystem(_) => {
                "build h5bypass on this machine, or install a build for an older Linux".into()
            }
            Self::Other => "rebuild or reinstall h5bypass".into(),
        }
    }

    /// What to do if the file should be a libhdf5.
    pub(super) fn advice_for_library(&self) -> String {
        match self {
            Self::NotALibrary | Self::Executable | Self::Lacks(_) => {
                "this is not a shared libhdf5: name one, such as /usr/lib/libhdf5.so or the copy in a Python package".into()
            }
            Self::OtherProcessor(..) => "no program on this machine can load it: choose another library".into(),
            Self::Missing(library) => install(library),
            Self::OldSystem(_) => "install a libhdf5 that was built for this system".into(),
            Self::Other => "no program can load this library as it is: reinstall it".into(),
        }
    }
}

fn install(library: &str) -> String {
    format!("install the package that provides {library}, or add its directory to LD_LIBRARY_PATH")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_linkers_words_are_understood() {
        let ours = std::env::current_exe().unwrap();
        for (said, expected) in [
            ("x: file too short", Obstacle::NotALibrary),
            ("/x: cannot dynamically load position-independent executable", Obstacle::Executable),
            (
                "libz.so.9: cannot open shared object file: No such file or directory",
                Obstacle::Missing("libz.so.9".into()),
            ),
            (
                "/lib/libc.so.6: version `GLIBC_2.99' not found (required by /x)",
                Obstacle::OldSystem("GLIBC_2.99".into()),
            ),
            ("the library has no H5open", Obstacle::Lacks("H5open".into())),
            ("something new", Obstacle::Other),
        ] {
            let obstacle = Obstacle::of(&ours, said);
            assert_eq!(obstacle, expected, "{said}");
            assert!(!obstacle.sentence(said).is_empty() && !obstacle.advice_for_plugin().is_empty());
            assert!(!obstacle.advice_for_library().is_empty());
        }
        let text = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        assert_eq!(Obstacle::of(text, "invalid ELF header"), Obstacle::NotALibrary);
    }
}
