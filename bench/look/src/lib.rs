//! What the pages of the benchmark and of the statistics connector have in common. A plugin contains it, so it needs nothing else.

#![forbid(unsafe_code)]

const STYLE: &str = include_str!("style.css");

/// A page that needs nothing else: no network, no other files. The title and the body are HTML.
pub fn page(title: &str, body: &str, script: &str) -> String {
    // Whatever a name may have smuggled in, nothing is loaded from anywhere.
    let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
    let script = if script.is_empty() { String::new() } else { format!("<script>\n{script}</script>\n") };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n{body}</main>\n{script}</body>\n</html>\n"
    )
}

/// Text that stands for itself, between tags and in quoted attributes.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in printable(text).chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// What a terminal shows as it stands: line breaks become spaces, and what would steer the terminal or turn the direction of
/// writing becomes its number.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => shown.push(' '),
            _ if letter.is_control() || is_invisible(letter) => shown.extend(letter.escape_unicode()),
            _ => shown.push(letter),
        }
    }
    shown
}

/// Without a shape of their own: marks of direction, joiners, and the mark of byte order.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_neither_a_tag_nor_an_attribute() {
        assert_eq!(
            escape("<b title=\"x\" id='y'>&amp;</b>\u{202e}"),
            "&lt;b title=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;&lt;/b&gt;\\u{202e}"
        );
    }

    #[test]
    fn nothing_steers_a_terminal() {
        assert_eq!(printable("a\x1b[31mred\x07"), "a\\u{1b}[31mred\\u{7}");
        assert_eq!(printable("two\nlines\tand a tab"), "two lines and a tab");
        assert_eq!(printable("abc\u{202e}fdp.exe"), "abc\\u{202e}fdp.exe");
        assert_eq!(printable("\u{9b}31m"), "\\u{9b}31m");
        assert_eq!(printable("Größe 深さ"), "Größe 深さ");
    }
}
