//! How far it is: for those who show it, and for those who want to stop it.

/// Follows the work.
pub trait Progress {
    /// An object is begun.
    fn begins(&mut self, path: &str);

    /// So many bytes of elements are there in all.
    fn expects(&mut self, bytes: u64);

    /// So many bytes of elements more are done.
    fn moved(&mut self, bytes: u64);

    /// Whether to stop.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Shows nothing, and never stops.
#[derive(Debug, Clone, Copy, Default)]
pub struct Quiet;

impl Progress for Quiet {
    fn begins(&mut self, _: &str) {}
    fn expects(&mut self, _: u64) {}
    fn moved(&mut self, _: u64) {}
}
