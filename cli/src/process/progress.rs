//! One line on the terminal that says what is being tried; nothing if there is no terminal.

use std::io::{IsTerminal as _, Write as _};
use std::path::Path;

use crate::plain;

/// Removed from the terminal with the value.
#[derive(Debug)]
pub(crate) struct Progress {
    shown: bool,
}

impl Progress {
    pub(crate) fn new() -> Self {
        let term = std::env::var("TERM").ok();
        Self { shown: std::io::stderr().is_terminal() && plain::has_cursor(term.as_deref()) }
    }

    /// Replaces the line.
    pub(crate) fn show(&self, number: usize, of: usize, library: &Path) {
        self.say(&format!("trying {number} of {of}: "), &library.to_string_lossy());
    }

    /// Replaces the line; what does not fit of the second part is left out at its beginning.
    pub(crate) fn say(&self, what: &str, name: &str) {
        self.write(&format!("{what}{}", tail(name, 60)));
    }

    fn write(&self, line: &str) {
        if self.shown {
            // Carriage return and "erase to the end of the line". Not being able to show progress is no failure.
            let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.write("");
    }
}

/// The end of a text, at most so many characters of it: a line that wraps could not be replaced.
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
