//! How far the worker is, as a line on the terminal.

use std::time::{Duration, Instant};

use crate::explain::size::Bytes;
use crate::explain::wording::printable;
use crate::process::progress::StatusLine;

/// Width of the bar.
const BAR: u64 = 20;
/// Nothing is shown before this time.
const SILENCE: Duration = Duration::from_millis(500);

/// The line.
#[derive(Debug)]
pub(crate) struct Line {
    status: StatusLine,
    started: Instant,
}

impl Line {
    pub(crate) fn new() -> Self {
        Self { status: StatusLine::new(), started: Instant::now() }
    }

    /// Shows where the work is, and how far. How much there is to do may be known.
    pub(crate) fn show(&self, path: &str, bytes: u64, all: Option<u64>) {
        let elapsed = self.started.elapsed();
        if elapsed >= SILENCE {
            self.status.show_name(&text(bytes, all, elapsed), &printable(path));
        }
    }
}

fn text(bytes: u64, all: Option<u64>, elapsed: Duration) -> String {
    let milliseconds = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX).max(1);
    let rate = u64::try_from(u128::from(bytes) * 1000 / u128::from(milliseconds)).unwrap_or(u64::MAX);
    let bar = match all.filter(|all| *all > 0) {
        None => String::new(),
        Some(all) => {
            let full =
                u64::try_from(u128::from(bytes.min(all)) * u128::from(BAR) / u128::from(all)).unwrap_or(0);
            let (full, rest) = (full.min(BAR), BAR - full.min(BAR));
            let some = |character: &str, count: u64| character.repeat(usize::try_from(count).unwrap_or(0));
            format!("[{}{}] ", some("#", full), some("-", rest))
        }
    };
    format!("{bar}{}, {}/s  ", Bytes(bytes), Bytes(rate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_the_rate_and_a_bar_if_the_end_is_known() {
        assert_eq!(text(3 << 20, None, Duration::from_secs(3)), "3 MiB, 1 MiB/s  ");
        assert_eq!(
            text(1 << 20, Some(4 << 20), Duration::from_secs(2)),
            "[#####---------------] 1 MiB, 512 KiB/s  "
        );
        assert_eq!(text(9, Some(3), Duration::ZERO), "[####################] 9 B, 8.7 KiB/s  ");
    }
}
