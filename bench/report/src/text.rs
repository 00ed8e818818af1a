//! Text for terminals: harmless, measured and wrapped.

pub(crate) use page_look::printable;

/// Columns that a text takes: two for the letters of East Asia and for pictures, none for accents by themselves.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

fn columns_of(letter: char) -> usize {
    match u32::from(letter) {
        0x300..=0x36f => 0,
        0x1100..=0x115f
        | 0x2e80..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// Lines of at most this many columns, broken between words where that is possible; at least one.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(2);
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let length = columns(word);
        if used > 0 && used + 1 + length <= width {
            add(&mut lines, " ");
            used += 1;
        } else if used > 0 {
            lines.push(String::new());
            used = 0;
        }
        for letter in word.chars() {
            let length = columns_of(letter);
            if used + length > width {
                lines.push(String::new());
                used = 0;
            }
            add(&mut lines, letter.encode_utf8(&mut [0; 4]));
            used += length;
        }
    }
    lines
}

fn add(lines: &mut [String], text: &str) {
    if let Some(line) = lines.last_mut() {
        line.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_between_words_and_long_words_anywhere() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefghij k", 4), ["abcd", "efgh", "ij k"]);
        assert_eq!(wrap("深深深", 4), ["深深", "深"]);
        assert_eq!(wrap("", 10), [""]);
        assert_eq!(columns("e\u{301}深"), 3);
    }
}
