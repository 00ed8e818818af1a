//! The trace as Chrome's trace viewer and Perfetto read it: the "JSON object format" of trace events.

use std::cmp::Reverse;
use std::io::{self, Write};
use std::process;

use crate::clock;
use crate::kind::{Kind, Shown};
use crate::label::{Label, Labels, Name};
use crate::lane::Lane;
use crate::record::Record;
use crate::text::{push_microseconds, push_number, push_text};

/// Bytes that are written at a time.
const TOGETHER: usize = 64 * 1024;

/// What a trace ends with.
pub(crate) const END: &str = "\n]}\n";

/// Writes what the lists have now that began at this time or later, and that so many spans are in none of them.
pub(crate) fn write(
    to: &mut dyn Write,
    lanes: &[&Lane],
    labels: &Labels,
    unheard: u64,
    since: u64,
) -> io::Result<()> {
    let dropped = lanes.iter().map(|lane| lane.dropped()).sum::<u64>() + unheard;
    let mut writer = Writer { to, labels: Shapes::of(labels), text: Vec::new(), is_first: true };
    writer.beginning(dropped);
    for lane in lanes {
        writer.lane(lane, since)?;
    }
    writer.push(&[END]);
    writer.flush()
}

/// What a trace that is written bit by bit gets next, without its end. `written` is how many spans of each list it has.
pub(crate) fn more(
    lanes: &[&Lane],
    labels: &Labels,
    written: &mut Vec<usize>,
    is_beginning: bool,
) -> Vec<u8> {
    let mut nowhere = io::sink();
    let mut writer =
        Writer { to: &mut nowhere, labels: Shapes::of(labels), text: Vec::new(), is_first: is_beginning };
    if is_beginning {
        writer.beginning(0);
    }
    for (number, lane) in lanes.iter().enumerate() {
        if number == written.len() {
            writer.thread(lane);
            written.push(0);
        }
        let records = lane.records_from(written[number]);
        written[number] += records.len();
        for record in in_order(records, None) {
            writer.span(&record, lane.thread.number);
        }
    }
    writer.text
}

struct Writer<'w> {
    to: &'w mut dyn Write,
    labels: Shapes,
    /// What is not written yet.
    text: Vec<u8>,
    is_first: bool,
}

impl Writer<'_> {
    fn push(&mut self, texts: &[&str]) {
        for text in texts {
            self.text.extend_from_slice(text.as_bytes());
        }
    }

    fn push_number(&mut self, key: &str, number: u64) {
        self.text.extend_from_slice(key.as_bytes());
        push_number(&mut self.text, number);
    }

    fn flush(&mut self) -> io::Result<()> {
        let written = self.to.write_all(&self.text);
        self.text.clear();
        written
    }

    /// What is told about the process.
    fn beginning(&mut self, dropped: u64) {
        let (version, command) = (env!("CARGO_PKG_VERSION"), command());
        // It begins with this, so that a trace of ours can be told from other files.
        self.push(&["{\"otherData\":{\"producer\":\"h5bypass ", version, "\",\"command\":"]);
        push_text(&mut self.text, &command);
        for (key, number) in [
            (",\"process\":", u64::from(process::id())),
            (",\"started_us\":", clock::time_of_day()),
            (",\"dropped\":", dropped),
        ] {
            self.push_number(key, number);
        }
        self.push(&["},\n\"displayTimeUnit\":\"ns\",\n\"traceEvents\":["]);
        self.named("process_name", 0, &command);
    }

    /// Begins an event of this thread.
    fn event(&mut self, name: &str, kind: &str, thread: u64) {
        let separator = if std::mem::take(&mut self.is_first) { "\n" } else { ",\n" };
        self.push(&[separator, "{\"name\":\"", name, "\",\"ph\":\"", kind]);
        self.push_number("\",\"pid\":", u64::from(process::id()));
        self.push_number(",\"tid\":", thread);
    }

    /// Gives a thread a name.
    fn named(&mut self, what: &str, thread: u64, name: &str) {
        self.event(what, "M", thread);
        self.push(&[",\"args\":{\"name\":"]);
        push_text(&mut self.text, name);
        self.push(&["}}"]);
    }

    /// What is told about a thread.
    fn thread(&mut self, lane: &Lane) {
        let thread = &lane.thread;
        self.named("thread_name", thread.number, &thread.name);
        self.event("thread_sort_index", "M", thread.number);
        self.push_number(",\"args\":{\"sort_index\":", u64::from(thread.rank));
        self.push(&["}}"]);
    }

    fn lane(&mut self, lane: &Lane, since: u64) -> io::Result<()> {
        let thread = &lane.thread;
        self.thread(lane);
        let mut records = in_order(lane.records(), lane.pending());
        records.retain(|record| record.start >= since);
        for record in &records {
            self.span(record, thread.number);
            if self.text.len() >= TOGETHER {
                self.flush()?;
            }
        }
        if lane.dropped() > 0 {
            self.event("no room from here on", "i", thread.number);
            self.push(&[",\"s\":\"t\",\"ts\":"]);
            push_microseconds(&mut self.text, records.iter().map(|record| record.end).max().unwrap_or(0));
            self.push_number(",\"args\":{\"dropped\":", lane.dropped());
            self.push(&["}}"]);
        }
        Ok(())
    }

    fn span(&mut self, record: &Record, thread: u64) {
        let &Record { kind, label, count, passed_on, reason, bytes, start, end } = record;
        self.event(kind.name(), "X", thread);
        self.push(&[",\"cat\":\"", kind.category(), "\",\"ts\":"]);
        push_microseconds(&mut self.text, start);
        self.push(&[",\"dur\":"]);
        push_microseconds(&mut self.text, end.saturating_sub(start));
        self.push(&[",\"args\":{"]);
        let before = self.text.len();
        // Each argument ends with a comma, and the last one is taken away.
        let shape = self.labels.of_label(label);
        match kind.shown() {
            Shown::Dataset => self.text.extend_from_slice(&shape.dataset),
            Shown::Filters => self.text.extend_from_slice(&shape.filters),
            Shown::Nothing => {}
        }
        self.push(&[kind.note()]);
        let counted = match kind {
            _ if count <= 1 => None,
            Kind::ShortReads | Kind::ShortWrites => Some("\"calls\":"),
            Kind::Read | Kind::Write => Some("\"datasets\":"),
            _ => Some("\"chunks\":"),
        };
        for (key, number) in [
            (Some("\"bytes\":").filter(|_| bytes > 0), bytes),
            (counted, u64::from(count)),
            (Some("\"passed on\":").filter(|_| passed_on > 0), u64::from(passed_on)),
        ] {
            if let Some(key) = key {
                self.push_number(key, number);
                self.text.push(b',');
            }
        }
        self.text.extend_from_slice(&self.labels.of_label(reason).reason);
        if self.text.len() > before {
            self.text.pop();
        }
        self.push(&["}}"]);
    }
}

/// Labels as they are written, made once.
struct Shapes(Vec<Shape>);

#[derive(Default)]
struct Shape {
    dataset: Vec<u8>,
    filters: Vec<u8>,
    reason: Vec<u8>,
}

impl Shapes {
    fn of(labels: &Labels) -> Self {
        // The first is that of no label.
        Self([Shape::default()].into_iter().chain(labels.names().iter().map(Shape::of)).collect())
    }

    fn of_label(&self, label: Label) -> &Shape {
        let number = usize::try_from(label.number()).unwrap_or(usize::MAX);
        self.0.get(number).unwrap_or(&self.0[0])
    }
}

impl Shape {
    fn of(name: &Name) -> Self {
        let mut shape = Self::default();
        let argument = |key: &str, value: &str, text: &mut Vec<u8>| {
            text.extend_from_slice(key.as_bytes());
            push_text(text, value);
            text.push(b',');
        };
        match name {
            Name::Reason(reason) => argument("\"reason\":", reason, &mut shape.reason),
            Name::Dataset { file, dataset, filters } => {
                argument("\"file\":", file, &mut shape.dataset);
                argument("\"dataset\":", dataset, &mut shape.dataset);
                if !filters.is_empty() {
                    argument("\"filters\":", filters, &mut shape.filters);
                }
            }
        }
        shape
    }
}

/// In the order in which they began, those inside of others after them. `pending` is of calls that are being counted.
fn in_order(records: Vec<Record>, pending: Option<Record>) -> Vec<Record> {
    let mut list: Vec<_> = (0_usize..).zip(records.into_iter().chain(pending)).collect();
    // Of two that take the same time, the one that ended later is around the other.
    list.sort_unstable_by_key(|(number, record)| (record.start, Reverse(record.end), Reverse(*number)));
    list.into_iter().map(|(_, record)| record).collect()
}

/// The command of this process, as far as the system tells.
fn command() -> String {
    let bytes = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]).replace('\0', " ");
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use serde_json::Value;

    use super::*;
    use crate::thread_name::ThreadName;

    #[test]
    fn outer_ones_come_first() {
        let record = |kind, start, end| Record::new(kind, Label::NONE, start, end);
        // In the order in which they ended.
        let ended = vec![
            record(Kind::Plan, 5, 7),
            record(Kind::Fetch, 7, 7),
            record(Kind::Task, 7, 7),
            record(Kind::Read, 5, 9),
            record(Kind::LockWait, 11, 12),
        ];
        let pending = record(Kind::ShortReads, 10, 12);
        let kinds: Vec<_> = in_order(ended, Some(pending)).iter().map(|record| record.kind).collect();
        let expected = [Kind::Read, Kind::Plan, Kind::Task, Kind::Fetch, Kind::ShortReads, Kind::LockWait];
        assert_eq!(kinds, expected);
    }

    #[test]
    fn what_there_was_no_room_for_is_told() {
        let room = Box::leak(Box::new(AtomicUsize::new(300)));
        let thread = ThreadName { number: 77, name: "a \"thread\"".to_owned(), rank: 3 };
        let lane = Lane::new(thread, room).unwrap();
        for start in 0..300 {
            lane.push(Record::new(Kind::Fetch, Label::NONE, start * 1000, start * 1000 + 500));
        }
        let mut text = Vec::new();
        write(&mut text, &[&lane], &Labels::new(), 5, 0).unwrap();
        let document: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(document["otherData"]["dropped"], 44 + 5);
        let events = document["traceEvents"].as_array().unwrap();
        let last = events.last().unwrap();
        assert_eq!((&last["ph"], &last["args"]["dropped"]), (&Value::from("i"), &Value::from(44)));
        assert_eq!((&last["tid"], &last["ts"]), (&Value::from(77), &Value::from(255.5)));
        assert_eq!(events.iter().filter(|event| event["ph"] == "X").count(), 256);
        assert_eq!(events[1]["args"]["name"], "a \"thread\"");
    }
}
