//! A progress line on the terminal. Nothing is shown without a terminal.

use std::io::Write as _;

use bench_suite::controller::width_of_errors;

use crate::plain;

/// A line that each call replaces. Dropping the value removes it.
#[derive(Debug)]
pub(crate) struct StatusLine {
    /// Columns, if there is a terminal.
    width: Option<usize>,
}

impl StatusLine {
    pub(crate) fn new() -> Self {
        let term = std::env::var("TERM").ok();
        Self { width: width_of_errors().filter(|_| plain::has_cursor(term.as_deref())) }
    }

    fn is_shown(&self) -> bool {
        self.width.is_some()
    }

    /// Shows a text, truncated if it does not fit.
    pub(crate) fn show(&self, text: &str) {
        let Some(width) = self.width else { return };
        self.replace(&text.chars().take(room(width)).collect::<String>());
    }

    /// Shows a text and a name. A long name is shortened at its beginning, because the end of a path says more.
    pub(crate) fn show_name(&self, text: &str, name: &str) {
        let Some(width) = self.width else { return };
        self.show(&format!("{text}{}", tail(name, room(width).saturating_sub(text.chars().count()))));
    }

    fn replace(&self, line: &str) {
        if self.is_shown() {
            // Carriage return and "erase to the end of the line". Failing to show progress is not an error.
            let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
        }
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.replace("");
    }
}

/// The number of characters that fit on a line. A line that wraps could not be replaced.
fn room(width: usize) -> usize {
    width.saturating_sub(1)
}

/// The end of a text, at most this many characters of it.
fn tail(text: &str, characters: usize) -> String {
    let skipped = text.chars().count().saturating_sub(characters);
    if skipped == 0 {
        text.into()
    } else {
        format!("...{}", text.chars().skip(skipped + 3).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_paths_lose_their_beginning() {
        assert_eq!(tail("abc", 3), "abc");
        assert_eq!(tail("0123456789", 6), "...789");
        assert_eq!(tail("ää0123456789", 6).chars().count(), 6);
    }
}
