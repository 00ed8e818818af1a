//! The machine that is measured on, as far as a reader of the figures needs to know it. Nothing about its owner.

use std::ffi::CString;
use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// What is known about this machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    /// The processor's name.
    pub processor: String,
    /// Numbers that tell processors of the same name apart.
    pub processor_model: Option<String>,
    /// The number of processors that we may use.
    pub cores: u32,
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes of memory that are available.
    pub available: u64,
    /// The system and its version.
    pub system: String,
    /// The load average of the last minute.
    pub load: f64,
}

impl Machine {
    /// This machine. What the system does not tell is "unknown".
    pub fn this() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let (processors, memory) = (text("/proc/cpuinfo"), text("/proc/meminfo"));
        Self {
            processor: processor(&processors),
            processor_model: processor_model(&processors),
            cores: u32::try_from(cores).unwrap_or(u32::MAX),
            memory: kibibytes(&memory, "MemTotal").unwrap_or(0),
            available: kibibytes(&memory, "MemAvailable").unwrap_or(0),
            system: system(&text("/etc/os-release"), &text("/proc/sys/kernel/osrelease")),
            load: text("/proc/loadavg").split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0),
        }
    }
}

/// The `model name : ...` of x86, or else the kind of processor.
fn processor(information: &str) -> String {
    let known = value_of(information, "model name").or_else(|| value_of(information, "Model"));
    let known = known.filter(|name| !name.is_empty());
    known.unwrap_or_else(|| format!("{} processor", std::env::consts::ARCH))
}

/// What x86 has beside the name.
fn processor_model(information: &str) -> Option<String> {
    let number = |key| value_of(information, key);
    let (family, model, stepping) = (number("cpu family")?, number("model")?, number("stepping")?);
    Some(format!("family {family}, model {model}, stepping {stepping}"))
}

/// The first value of a key.
fn value_of(information: &str, key: &str) -> Option<String> {
    let mut lines = information.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim().to_owned())
}

fn kibibytes(information: &str, key: &str) -> Option<u64> {
    let (_, value) =
        information.lines().filter_map(|line| line.split_once(':')).find(|(name, _)| *name == key)?;
    value.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The distribution's name and the kernel's version.
fn system(release: &str, kernel: &str) -> String {
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let name = name.map_or("Linux", |name| name.trim_matches('"'));
    format!("{name}, Linux {}, {}", kernel.trim(), std::env::consts::ARCH)
}

/// The file system of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSystem {
    /// Its kind, such as "ext4".
    pub kind: String,
    /// Bytes that may be written.
    pub free: u64,
}

impl FileSystem {
    /// The file system of a file or folder.
    ///
    /// # Errors
    /// The system's error.
    pub fn of(path: &Path) -> io::Result<Self> {
        let path = CString::new(path.as_os_str().as_bytes())?;
        let mut found = MaybeUninit::<libc::statfs>::uninit();
        // SAFETY: the path is a C string, and there is room for the answer.
        if unsafe { libc::statfs(path.as_ptr(), found.as_mut_ptr()) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it was filled in, as it did not fail.
        let found = unsafe { found.assume_init() };
        let block = u64::try_from(found.f_bsize).unwrap_or(0);
        #[expect(
            clippy::cast_sign_loss,
            clippy::cast_possible_truncation,
            reason = "numbers of 32 bits, some extended"
        )]
        let kind = kind_of(found.f_type as u32);
        Ok(Self { kind, free: found.f_bavail.saturating_mul(block) })
    }
}

/// Names of common file systems, by their numbers in statfs(2).
fn kind_of(number: u32) -> String {
    let name = match number {
        0xef53 => "ext4",
        0x5846_5342 => "xfs",
        0x9123_683e => "btrfs",
        0x0102_1994 => "tmpfs",
        0x794c_7630 => "overlay",
        0x2fc1_2fc1 => "zfs",
        0xf2f5_2010 => "f2fs",
        0x6969 => "nfs",
        0xff53_4d42 | 0xfe53_4d42 => "cifs",
        0x6573_5546 => "fuse",
        0x0bd0_0bd0 => "lustre",
        0x4750_4653 => "gpfs",
        0x1983_0326 => "beegfs",
        0x00c3_6400 => "ceph",
        0x0102_1997 => "9p",
        0x4d44 => "vfat",
        0x2011_bab0 => "exfat",
        0x5346_544e => "ntfs",
        0x7371_7368 => "squashfs",
        0x8584_58f6 => "ramfs",
        other => return format!("file system {other:#x}"),
    };
    name.to_owned()
}

/// Today's date in UTC, such as 2026-11-16.
pub fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = date_of(seconds / 86_400);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The date that is this many days after 1970-01-01. Years are counted from March, so that the leap day is the last day of
/// the year.
fn date_of(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known() {
        let machine = Machine::this();
        assert!(machine.cores > 0 && machine.memory >= machine.available && machine.available > 0);
        assert!(machine.system.contains("Linux") && !machine.processor.is_empty());
    }

    #[test]
    fn what_the_system_tells_is_taken_apart() {
        assert_eq!(processor("processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\n"), "Some CPU @ 3 GHz");
        assert!(processor("CPU part : 0xd0c\n").ends_with("processor"));
        let numbers = "cpu family\t: 6\nmodel\t\t: 207\nmodel name\t: Some CPU\nstepping\t: 2\n";
        assert_eq!(processor_model(numbers).as_deref(), Some("family 6, model 207, stepping 2"));
        assert_eq!(processor_model("CPU part : 0xd0c\n"), None);
        assert_eq!(kibibytes("MemTotal:  16 kB\nMemFree: 1 kB\n", "MemTotal"), Some(16 << 10));
        assert_eq!(kibibytes("MemTotal: lots\n", "MemTotal"), None);
        let system = system("ID=x\nPRETTY_NAME=\"Some Linux 12\"\n", "6.1.0\n");
        assert!(system.starts_with("Some Linux 12, Linux 6.1.0, "), "{system}");
    }

    #[test]
    fn days_have_dates() {
        for (days, date) in [
            (0, (1970, 1, 1)),
            (58, (1970, 2, 28)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (11_017, (2000, 3, 1)),
            (20_773, (2026, 11, 16)),
            (47_540, (2100, 2, 28)),
            (47_541, (2100, 3, 1)),
        ] {
            assert_eq!(date_of(days), date);
        }
    }

    #[test]
    fn folders_are_on_file_systems() {
        assert!(FileSystem::of(Path::new("/")).unwrap().free < u64::MAX);
        assert!(FileSystem::of(Path::new("/no/such/folder")).is_err());
        assert!(kind_of(0xef53).starts_with("ext"));
        assert!(kind_of(0x1234_5678).contains("0x12345678"));
    }
}
