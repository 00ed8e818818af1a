//! One line, in colours or not.

use crate::text::columns;

/// How a part of a line is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Paint {
    Plain,
    Heading,
    Dim,
    /// As required, or faster.
    Good,
    /// Missed, slower, or failed.
    Bad,
}

impl Paint {
    fn code(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Heading => Some("1"),
            Self::Dim => Some("2"),
            Self::Good => Some("32"),
            Self::Bad => Some("31"),
        }
    }
}

/// Parts beside each other.
#[derive(Debug, Default)]
pub(super) struct Line(Vec<(String, Paint)>);

impl Line {
    pub(super) fn of(text: impl Into<String>, paint: Paint) -> Self {
        Self(vec![(text.into(), paint)])
    }

    /// After so many spaces.
    pub(super) fn indented(spaces: usize, text: impl Into<String>, paint: Paint) -> Self {
        Self(vec![(" ".repeat(spaces), Paint::Plain), (text.into(), paint)])
    }

    pub(super) fn push(&mut self, text: &str, paint: Paint) {
        self.0.push((text.to_owned(), paint));
    }

    /// In a column, at its left end.
    pub(super) fn left(&mut self, text: &str, width: usize, paint: Paint) {
        self.push(text, paint);
        self.spaces(width.saturating_sub(columns(text)));
    }

    /// In a column, at its right end.
    pub(super) fn right(&mut self, text: &str, width: usize, paint: Paint) {
        self.spaces(width.saturating_sub(columns(text)));
        self.push(text, paint);
    }

    pub(super) fn spaces(&mut self, count: usize) {
        self.push(&" ".repeat(count), Paint::Plain);
    }

    /// Without spaces at its end.
    pub(super) fn render(&self, has_colours: bool) -> String {
        let visible =
            self.0.iter().rposition(|(text, _)| !text.trim_end().is_empty()).map_or(0, |last| last + 1);
        let mut line = String::new();
        for (index, (text, paint)) in self.0[..visible].iter().enumerate() {
            let text = if index + 1 == visible { text.trim_end() } else { text };
            match paint.code().filter(|_| has_colours && !text.is_empty()) {
                Some(code) => line.extend(["\x1b[", code, "m", text, "\x1b[0m"]),
                None => line.push_str(text),
            }
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_no_spaces_at_its_end_also_inside_of_colours() {
        let mut line = Line::of("a", Paint::Heading);
        line.left("b  ", 10, Paint::Good);
        line.spaces(5);
        assert_eq!(line.render(true), "\x1b[1ma\x1b[0m\x1b[32mb\x1b[0m");
        assert_eq!(line.render(false), "ab");
        assert_eq!(Line::default().render(true), "");
    }
}
