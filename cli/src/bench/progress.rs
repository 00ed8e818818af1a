//! The progress of the measurements, as one line on the terminal.

use std::time::{Duration, Instant};

use bench_suite::controller::Watch;
use bench_suite::{Event, Scenario};

use crate::process::progress::StatusLine;

/// Width of the bar.
const BAR: usize = 20;
/// The shortest time between two updates.
const INTERVAL: Duration = Duration::from_millis(100);

/// Follows the measurements.
#[derive(Debug)]
pub(super) struct Progress {
    line: StatusLine,
    all: usize,
    started: Instant,
    shown: Option<Instant>,
    /// Scenarios that are done.
    done: usize,
    name: String,
    /// The worker's last message, and its progress through the rounds.
    stage: String,
    part: f64,
}

impl Progress {
    pub(super) fn new(all: usize) -> Self {
        Self {
            line: StatusLine::new(),
            all,
            started: Instant::now(),
            shown: None,
            done: 0,
            name: String::new(),
            stage: String::new(),
            part: 0.0,
        }
    }

    fn show(&mut self, is_urgent: bool) {
        if !is_urgent && self.shown.is_some_and(|shown| shown.elapsed() < INTERVAL) {
            return;
        }
        self.shown = Some(Instant::now());
        self.line.show(&self.text(self.started.elapsed()));
    }

    fn text(&self, elapsed: Duration) -> String {
        let (number, all) = (self.done, self.all.max(1));
        #[expect(clippy::cast_precision_loss, reason = "a number of scenarios")]
        let share = ((number as f64 + self.part) / all as f64).clamp(0.0, 1.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "not more than the bar is wide"
        )]
        let full = (share * BAR as f64) as usize;
        let left = if share > 0.0 && number > 0 {
            format!(", {} left", roughly(elapsed.mul_f64(((1.0 - share) / share).min(1e6))))
        } else {
            String::new()
        };
        let bar = format!("{}{}", "#".repeat(full), "-".repeat(BAR - full));
        format!("[{bar}] {number}/{all}{left}  {}  {}", self.name, self.stage)
    }
}

impl Watch for Progress {
    fn begins(&mut self, number: usize, scenario: &Scenario) {
        (self.done, self.part) = (number, 0.0);
        self.name.clone_from(&scenario.name);
        self.stage.clear();
        self.show(true);
    }

    fn hears(&mut self, event: &Event) {
        match event {
            Event::Stage(stage) => self.stage = stage.chars().filter(|each| !each.is_control()).collect(),
            Event::Round { done, of } => {
                self.stage = format!("round {done}/{of}");
                self.part = f64::from(*done) / f64::from((*of).max(1));
            }
            _ => return,
        }
        self.show(false);
    }
}

/// A time, rounded.
fn roughly(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..=89 => format!("{seconds} s"),
        seconds @ 90..=5399 => format!("{} min", (seconds + 30) / 60),
        seconds => format!("{} h", (seconds + 1800) / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_it_is() {
        let mut progress = Progress::new(4);
        progress.begins(1, &Scenario::new("reads/x", "Reads", "x"));
        progress.hears(&Event::Round { done: 1, of: 2 });
        assert_eq!(
            progress.text(Duration::from_secs(30)),
            "[#######-------------] 1/4, 50 s left  reads/x  round 1/2"
        );
        progress.hears(&Event::Stage("writing \x1b[31mfiles".into()));
        assert!(progress.text(Duration::ZERO).ends_with("writing [31mfiles"));
    }

    #[test]
    fn times_are_rough() {
        for (seconds, text) in [(3, "3 s"), (100, "2 min"), (4000, "67 min"), (8000, "2 h")] {
            assert_eq!(roughly(Duration::from_secs(seconds)), text);
        }
    }
}
