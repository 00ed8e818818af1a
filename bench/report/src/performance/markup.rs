//! Markdown, of which nothing in a name is a part.

use crate::text::{printable, wrap};

/// Columns of a paragraph.
const WIDTH: usize = 120;

/// A document that is written from top to bottom.
#[derive(Default)]
pub(super) struct Text(String);

impl Text {
    pub(super) fn line(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push('\n');
    }

    /// After an empty line, in lines of a length that can be read as it is.
    pub(super) fn paragraph(&mut self, text: &str) {
        self.line("");
        // A heading is one line.
        let width = if text.starts_with('#') { usize::MAX } else { WIDTH };
        for line in wrap(text, width) {
            self.line(&line);
        }
    }

    /// A list.
    pub(super) fn list(&mut self, items: &[String]) {
        self.line("");
        for item in items {
            self.line(&format!("* {item}"));
        }
    }

    /// A line of a table.
    pub(super) fn cells(&mut self, cells: &[String]) {
        self.line(&format!("| {} |", cells.join(" | ")));
    }

    /// The heading of a table: the first column is text, the others are figures.
    pub(super) fn heading(&mut self, cells: &[&str]) {
        self.line("");
        self.line(&format!("| {} |", cells.join(" | ")));
        self.line(&format!("|---|{}", "---:|".repeat(cells.len() - 1)));
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}

/// Text that stands for itself, also in a table.
pub(super) fn escape(text: &str) -> String {
    let letters: Vec<char> = printable(text).chars().collect();
    let is_inside_word = |index: usize| {
        let is_word = |place: Option<usize>| {
            place.and_then(|at| letters.get(at)).is_some_and(|one| one.is_alphanumeric())
        };
        is_word(index.checked_sub(1)) && is_word(Some(index + 1))
    };
    let mut escaped = String::new();
    for (index, letter) in letters.iter().enumerate() {
        let is_markup = match letter {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|' | '~' | '&' => true,
            '_' => !is_inside_word(index),
            '#' => index == 0,
            _ => false,
        };
        if is_markup {
            escaped.push('\\');
        }
        escaped.push(*letter);
    }
    escaped
}

/// Text as code. A backtick, or a bar that would end a cell, is not possible there: such text is shown plainly.
pub(super) fn code(text: &str) -> String {
    if text.contains(['`', '|']) || text.trim().is_empty() {
        return escape(text);
    }
    format!("`{}`", printable(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_markup() {
        assert_eq!(escape("H5Dread_multi of 8 x 16 MiB"), "H5Dread_multi of 8 x 16 MiB");
        assert_eq!(escape("a|b <b> [x](y) *c* _d_"), "a\\|b \\<b\\> \\[x\\](y) \\*c\\* \\_d\\_");
        assert_eq!(escape("two\nlines"), "two lines");
        assert_eq!(escape("&lt; \\"), "\\&lt; \\\\");
        assert_eq!(code("h5bypass bench"), "`h5bypass bench`");
        assert_eq!(code("a`b|c"), "a\\`b\\|c");
    }
}
