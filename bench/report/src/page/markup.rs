//! HTML, of which nothing in a name is a part.

use crate::{Measured, figures};

pub(super) use page_look::escape;

/// JSON that can stand in a script: nothing in it ends the script or begins a comment. Outside of strings JSON has none of
/// these letters.
pub(super) fn in_script(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '<' => safe.push_str("\\u003c"),
            '>' => safe.push_str("\\u003e"),
            '&' => safe.push_str("\\u0026"),
            '\u{2028}' => safe.push_str("\\u2028"),
            '\u{2029}' => safe.push_str("\\u2029"),
            _ => safe.push(letter),
        }
    }
    safe
}

/// A ratio as it is spoken: 5.0×, 71×.
pub(super) fn times(ratio: f64) -> String {
    match ratio {
        r if !r.is_finite() => "-".to_owned(),
        r if r < 0.995 => format!("{r:.2}×"),
        r if r < 9.95 => format!("{r:.1}×"),
        r => format!("{r:.0}×"),
    }
}

/// Seconds, with a unit as it is printed.
pub(super) fn duration(seconds: f64) -> String {
    figures::duration(seconds).replace(" us", " µs")
}

/// Of one pass: a rate, or the time of a call.
pub(super) fn speed(measured: &Measured, seconds: f64) -> String {
    figures::speed(measured, seconds).replace(" us", " µs")
}

/// Native HDF5 and bypass; a unit that they share once.
pub(super) fn speeds(measured: &Measured) -> String {
    let [native, bypass] = figures::speeds(measured).map(|speed| speed.replace(" us", " µs"));
    match (native.split_once(' '), bypass.split_once(' ')) {
        (Some((value, unit)), Some((_, other))) if unit == other => format!("{value} → {bypass}"),
        _ => format!("{native} → {bypass}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_does_not_end_a_script() {
        let name = "</script><!--\u{2028}&";
        let json = in_script(&serde_json::to_string(name).unwrap());
        assert_eq!(json, "\"\\u003c/script\\u003e\\u003c!--\\u2028\\u0026\"");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), name);
    }

    #[test]
    fn ratios_are_spoken() {
        let spoken = [0.314, 0.99, 0.996, 1.0, 5.04, 9.96, 71.2].map(times);
        assert_eq!(spoken, ["0.31×", "0.99×", "1.0×", "1.0×", "5.0×", "10×", "71×"]);
    }
}
