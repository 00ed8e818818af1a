//! What launchers of parallel programs tell their processes: which one it is, and how many there are on the machine.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::num::NonZeroUsize;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::thread::available_parallelism;

/// Variables with the number of a process: of MPICH and its relatives, Open MPI, PMIx, Slurm.
const RANKS: [&str; 4] = ["PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"];

/// Variables with the number of processes on this machine. Slurm's may be followed by a number of machines, as in `4(x2)`.
const PROCESSES: [&str; 4] = [
    "MPI_LOCALNRANKS",
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "MV2_COMM_WORLD_LOCAL_SIZE",
    "SLURM_STEP_TASKS_PER_NODE",
];

/// The number that a value begins with.
fn number(value: &OsStr) -> Option<usize> {
    let digits = value.as_bytes().iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&value.as_bytes()[..digits]).ok()?.parse().ok()
}

/// The first number that one of these variables holds.
fn first(names: [&'static str; 4], look_up: impl Fn(&'static str) -> Option<OsString>) -> Option<usize> {
    names.into_iter().find_map(|name| number(&look_up(name)?))
}

/// A file name with the number of this process among the processes of the program in the place of each `%r`. Without a
/// launcher that tells it, that is the process id, as for `%p`.
pub fn with_rank(name: OsString, look_up: impl Fn(&'static str) -> Option<OsString>) -> OsString {
    let text = name.as_bytes();
    if !text.windows(2).any(|pair| pair == b"%r") {
        return name;
    }
    let rank = first(RANKS, look_up).map_or_else(|| "%p".to_owned(), |rank| rank.to_string());
    let (mut replaced, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.windows(2).position(|pair| pair == b"%r") {
        replaced.extend_from_slice(&rest[..at]);
        replaced.extend_from_slice(rank.as_bytes());
        rest = &rest[at + 2..];
    }
    replaced.extend_from_slice(rest);
    OsString::from_vec(replaced)
}

/// This process's share of the machine's cores, if there are several processes on the machine. What the launcher has bound it
/// to is all its own.
pub fn share_of_cores(look_up: impl Fn(&'static str) -> Option<OsString>) -> Option<NonZeroUsize> {
    let processes = first(PROCESSES, look_up).filter(|processes| *processes > 1)?;
    let available = available_parallelism().map_or(1, NonZeroUsize::get);
    let online = fs::read_to_string("/sys/devices/system/cpu/online").ok();
    let cores = online.as_deref().and_then(count_of).unwrap_or(available);
    NonZeroUsize::new((cores / processes).clamp(1, available))
}

/// How many numbers a list such as `0-3,8` has.
fn count_of(list: &str) -> Option<usize> {
    let ranges = list.trim().split(',').map(|range| {
        let (low, high) = range.split_once('-').unwrap_or((range, range));
        let (low, high): (usize, usize) = (low.parse().ok()?, high.parse().ok()?);
        high.checked_sub(low)?.checked_add(1)
    });
    ranges.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(name: &'static str, value: &'static str) -> impl Fn(&'static str) -> Option<OsString> {
        move |wanted| (wanted == name).then(|| value.into())
    }

    #[test]
    fn the_rank_has_its_place_in_a_name() {
        let name = |name: &str, variable, value| with_rank(name.into(), environment(variable, value));
        assert_eq!(name("s-%r.json", "PMI_RANK", "3"), "s-3.json");
        assert_eq!(name("%r%r%%r", "OMPI_COMM_WORLD_RANK", "12"), "1212%12");
        assert_eq!(name("s-%r.json", "SLURM_PROCID", "0"), "s-0.json");
        assert_eq!(name("s-%r.json", "OTHER", "3"), "s-%p.json");
        assert_eq!(name("s-%p.json", "PMI_RANK", "3"), "s-%p.json");
        assert_eq!(name("s-%r.json", "PMI_RANK", "x"), "s-%p.json");
    }

    #[test]
    fn cores_are_shared_by_the_processes_of_a_machine() {
        let share = |variable, value| share_of_cores(environment(variable, value)).map(NonZeroUsize::get);
        assert_eq!(share("OTHER", "2"), None);
        assert_eq!(share("MPI_LOCALNRANKS", "1"), None);
        assert_eq!(share("MPI_LOCALNRANKS", "1000000"), Some(1));
        assert_eq!(share("SLURM_STEP_TASKS_PER_NODE", "1000000(x2)"), Some(1));
        let all = available_parallelism().unwrap().get();
        assert!(share("OMPI_COMM_WORLD_LOCAL_SIZE", "2").is_some_and(|share| (1..=all).contains(&share)));
    }

    #[test]
    fn cores_are_counted_in_a_list() {
        assert_eq!(count_of("0-3,8\n"), Some(5));
        assert_eq!(count_of("0"), Some(1));
        assert_eq!(count_of("3-0"), None);
        assert_eq!(count_of(""), None);
    }
}
