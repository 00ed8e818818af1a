//! A trace that is written bit by bit, and is a whole one after each: of a process that may end at any moment.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use crate::json;
use crate::label::Labels;
use crate::lane::Lane;

/// How far a trace is written.
#[derive(Debug)]
pub(crate) struct Saved {
    file: File,
    /// Where its end is, which is written over by what comes next.
    end: u64,
    /// How many spans of each list are in there.
    written: Vec<usize>,
}

impl Saved {
    /// Begins to write an empty file.
    pub(crate) fn new(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().write(true).open(path)?;
        Ok(Self { file, end: 0, written: Vec::new() })
    }

    /// Adds what is new.
    pub(crate) fn add(&mut self, lanes: &[&Lane], labels: &Labels) -> io::Result<()> {
        let mut text = json::more(lanes, labels, &mut self.written, self.end == 0);
        let length = text.len() as u64;
        if length == 0 {
            return Ok(());
        }
        text.extend_from_slice(json::END.as_bytes());
        self.file.write_all_at(&text, self.end)?;
        self.end += length;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use serde_json::Value;

    use super::*;
    use crate::kind::Kind;
    use crate::label::Label;
    use crate::record::Record;
    use crate::thread_name::ThreadName;

    #[test]
    fn it_is_a_whole_trace_after_each_bit() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path();
        let lane = |number| {
            let thread = ThreadName { number, name: format!("thread {number}"), rank: 0 };
            Lane::new(thread, Box::leak(Box::new(AtomicUsize::new(100_000)))).unwrap()
        };
        let (one, two) = (lane(1), lane(2));
        let (mut saved, labels) = (Saved::new(path).unwrap(), Labels::new());
        let mut expected = 0;
        for round in 0..20_u64 {
            for start in 0..round {
                one.push(Record::new(Kind::Fetch, Label::NONE, start, start + 1));
                expected += 1;
            }
            let lanes: &[&Lane] = if round < 10 { &[&one] } else { &[&one, &two] };
            saved.add(lanes, &labels).unwrap();
            let document: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
            let events = document["traceEvents"].as_array().unwrap();
            assert_eq!(events.iter().filter(|event| event["ph"] == "X").count(), expected);
            let named = events.iter().filter(|event| event["name"] == "thread_name").count();
            assert_eq!(named, lanes.len());
        }
    }
}
