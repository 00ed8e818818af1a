//! Messages for people: on standard error, without the error numbers that Rust adds to the system's messages.

use std::io::Write as _;

/// How the number begins that Rust appends to the system's message.
const NUMBER: &str = " (os error ";

/// The error when standard output is full or closed.
pub(crate) const NO_OUTPUT: &str = "cannot write to standard output";

/// Whether the terminal can replace a line. `TERM` says what kind of terminal it is.
pub(crate) fn has_cursor(term: Option<&str>) -> bool {
    term.is_some_and(|term| !term.is_empty() && term != "dumb")
}

/// Prints a message about progress or a problem. It is not an error if nobody reads standard error any more.
pub(crate) fn say(message: &str) {
    let _ = writeln!(anstream::stderr(), "h5bypass: {}", words(message));
}

/// A message without `(os error 2)` and the like.
pub(crate) fn words(message: &str) -> String {
    let mut words = String::with_capacity(message.len());
    let mut rest = message;
    while let Some((before, after)) = rest.split_once(NUMBER) {
        words.push_str(before);
        rest = match after.split_once(')') {
            Some((number, after)) if number.bytes().all(|byte| byte.is_ascii_digit()) => after,
            _ => {
                words.push_str(NUMBER);
                after
            }
        };
    }
    words + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_that_nobody_knows_gets_no_control_characters() {
        assert!(has_cursor(Some("xterm-256color")));
        assert!(!has_cursor(Some("dumb")) && !has_cursor(Some("")) && !has_cursor(None));
    }

    #[test]
    fn numbers_of_errors_are_left_out() {
        let error = std::io::Error::from_raw_os_error(2).to_string();
        assert_eq!(
            words(&format!("x: {error}: y: {error}")),
            "x: No such file or directory: y: No such file or directory"
        );
        for other in ["plain", "odd (os error two)", "cut (os error 2", ""] {
            assert_eq!(words(other), other);
        }
    }
}
