//! Which files are a libhdf5: judged by the name, and by the architecture in the header.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// What may follow `libhdf5` in the file name: the flavours of the main library, as distributions name them. Anything else
/// (`_hl`, `_cpp`, `_fortran`, `_tools`, `_serial_hl`, ...) is another library on top of it.
const FLAVOURS: [&str; 7] = ["", "_serial", "_openmpi", "_mpich", "_mpi", "_parallel", "_debug"];

/// Whether a file of this name is the main library, such as `libhdf5.so`, `libhdf5_openmpi.so.310.5.1`, or, with the hash
/// that wheels add, `libhdf5-9e18f0c6.so.320.0.0`.
pub(super) fn is_main_library(name: &str) -> bool {
    let Some((stem, versions)) = name.strip_prefix("libhdf5").and_then(|rest| rest.split_once(".so")) else {
        return false;
    };
    let flavour = stem.split_once('-').map_or(stem, |(flavour, _)| flavour);
    let mut numbers = versions.split('.');
    let directly_after = numbers.next() == Some("");
    FLAVOURS.contains(&flavour)
        && directly_after
        && numbers.all(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The fields of an ELF header that decide which machines can load the file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Architecture {
    class_and_order: [u8; 2],
    machine: [u8; 2],
}

impl Architecture {
    /// The architecture of a file. `None` if it is not an ELF file.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let mut header = [0; 20];
        File::open(path).and_then(|mut file| file.read_exact(&mut header)).ok()?;
        let [0x7f, b'E', b'L', b'F', class, order, .., machine_0, machine_1] = header else { return None };
        Some(Self { class_and_order: [class, order], machine: [machine_0, machine_1] })
    }

    /// The architecture of this program.
    pub(super) fn ours() -> Option<Self> {
        std::env::current_exe().ok().and_then(|executable| Self::of(&executable))
    }

    /// The usual name.
    pub(super) fn name(&self) -> String {
        let [class, order] = self.class_and_order;
        let machine = match order {
            2 => u16::from_be_bytes(self.machine),
            _ => u16::from_le_bytes(self.machine),
        };
        match machine {
            3 => "x86, 32 bits".into(),
            21 if order == 2 => "POWER, big-endian".into(),
            21 => "POWER".into(),
            22 => "s390x".into(),
            40 => "ARM, 32 bits".into(),
            62 if class == 1 => "x86-64 with 32-bit pointers (x32)".into(),
            62 => "x86-64".into(),
            183 => "ARM, 64 bits (aarch64)".into(),
            243 => "RISC-V".into(),
            other => format!("ELF machine {other}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn main_libraries_are_recognised() {
        for name in [
            "libhdf5.so",
            "libhdf5.so.310",
            "libhdf5.so.310.5.1",
            "libhdf5-9e18f0c6.so.320.0.0",
            "libhdf5_serial.so.103.3.0",
            "libhdf5_openmpi.so",
            "libhdf5_serial-12ab.so.103",
        ] {
            assert!(is_main_library(name), "{name}");
        }
    }

    #[test]
    fn other_files_are_not() {
        for name in [
            "libhdf5_hl.so.310",
            "libhdf5_hl-69da89c9.so.320.0.0",
            "libhdf5_serial_hl.so.100",
            "libhdf5_serialhl_fortran.so",
            "libhdf5_cpp.so",
            "libhdf5_fortran.so.310",
            "libhdf5_f90cstub.so",
            "libhdf5_tools.so",
            "libhdf5_java.so",
            "libhdf5hl_fortran.so",
            "libhdf5.settings",
            "libhdf5.a",
            "libhdf5.so.debug",
            "libhdf5.so-gdb.py",
            "libhdf5.sos",
            "libhdf5.so.",
            "libhdf5",
            "xlibhdf5.so",
        ] {
            assert!(!is_main_library(name), "{name}");
        }
    }

    #[test]
    fn processors_have_names() {
        let named = |machine: u16, class| {
            Architecture { class_and_order: [class, 1], machine: machine.to_le_bytes() }.name()
        };
        assert_eq!(named(62, 2), "x86-64");
        assert_eq!(named(3, 1), "x86, 32 bits");
        assert!(named(183, 2).contains("aarch64"));
        assert!(named(9999, 2).contains("9999"));
        assert_eq!(Architecture::ours(), Architecture::of(&std::env::current_exe().unwrap()));
    }

    #[test]
    fn this_program_has_an_architecture_and_this_source_has_none() {
        assert!(Architecture::of(&std::env::current_exe().unwrap()).is_some());
        assert!(Architecture::of(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))).is_none());
    }
}
