//! What a program that uses the connector may ask it while it runs; the Python module `h5bypass` does.

use std::path::Path;

use crate::report::summary;

/// Begins to record a trace; the rest is the name of its file.
const START_TRACE: &str = "start trace ";

/// The answer, or what is wrong.
pub(crate) fn answer(question: &str) -> Result<String, String> {
    match question {
        "statistics" => summary::as_json(),
        "stop trace" => trace::stop().map(|file| file.display().to_string()),
        other => match other.strip_prefix(START_TRACE) {
            Some(file) => start_trace(Path::new(file)),
            None => Err(format!("there is no answer to '{other}'")),
        },
    }
}

fn start_trace(file: &Path) -> Result<String, String> {
    if trace::is_on() {
        return Err("a trace is being recorded already".to_owned());
    }
    trace::start(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(String::new())
}
