//! Whether a row is as required.

use crate::figures::{bytes, percent, ratio};
use crate::{Asked, Measured, Outcome, Proof, Results, Row, Spread};

impl Asked {
    /// What is said behind a figure of memory.
    pub(crate) fn peak_text(&self) -> String {
        self.peak.map(|most| format!(", target at most {}", bytes(most))).unwrap_or_default()
    }

    /// What is said behind sizes of files.
    pub(crate) fn larger_text(&self) -> String {
        self.larger_percent.map(|most| format!(", target at most {most:.1} % larger")).unwrap_or_default()
    }
}

impl Row {
    /// The figures, if there are.
    pub fn measured(&self) -> Option<&Measured> {
        match &self.outcome {
            Outcome::Measured(measured) => Some(measured),
            Outcome::Skipped(_) | Outcome::Failed(_) => None,
        }
    }

    /// Whether anything is required of it.
    pub fn is_asked(&self) -> bool {
        let asked = &self.asked;
        asked.ratio.is_some()
            || asked.share.is_some()
            || asked.peak.is_some()
            || asked.larger_percent.is_some()
    }

    /// What is required of it and not reached, each as a sentence without an end; by medians. A row that was not
    /// bypassed is not what was asked for, however fast it is.
    pub fn misses(&self) -> Vec<String> {
        let Some(measured) = self.measured() else { return Vec::new() };
        let asked = &self.asked;
        let mut misses = Vec::new();
        if let Some(least) = asked.ratio.filter(|least| measured.ratio.median < *least) {
            misses.push(format!("ratio {}, target {}", ratio(measured.ratio.median), ratio(least)));
        }
        if let (Some(least), Some(share)) = (asked.share, measured.share)
            && share.median < least
        {
            misses.push(format!("{} of the limit, target {}", percent(share.median), percent(least)));
        }
        if let (Some(most), Some(peak)) = (asked.peak, measured.peak)
            && peak.bypass > most
        {
            misses.push(format!("{} of memory, target at most {}", bytes(peak.bypass), bytes(most)));
        }
        if let (Some(most), Some(larger)) = (asked.larger_percent, measured.larger_percent())
            && larger > most
        {
            misses.push(format!("files {larger:.1} % larger, target at most {most:.1} %"));
        }
        if let Proof::PassedOn(why) = &measured.proof
            && self.is_asked()
        {
            misses.push(format!("not bypassed: {why}"));
        }
        misses
    }

    /// "OK" or "MISS", if anything is required.
    pub(crate) fn verdict(&self) -> &'static str {
        match (self.is_asked(), self.misses().is_empty()) {
            (false, _) => "",
            (true, true) => "OK",
            (true, false) => "MISS",
        }
    }

    /// That and why it was not bypassed, unless it is among the misses; and whether it should have been.
    pub(crate) fn passed_on(&self) -> Option<(String, bool)> {
        match &self.measured()?.proof {
            Proof::Decided(why) => Some((format!("left to native HDF5: {why}"), false)),
            Proof::PassedOn(why) if !self.is_asked() => Some((format!("not bypassed: {why}"), true)),
            Proof::PassedOn(_) | Proof::Bypassed => None,
        }
    }

    /// Whether native HDF5 is faster, by medians.
    pub fn is_slower(&self) -> bool {
        self.measured().is_some_and(|measured| measured.ratio.median < 1.0)
    }

    /// Whether it is slower than native HDF5 or less than what is required.
    pub(crate) fn is_loss(&self) -> bool {
        self.is_slower() || !self.misses().is_empty()
    }
}

impl Measured {
    /// The same with [`RatioOf::Medians`](crate::RatioOf::Medians).
    #[must_use]
    pub fn with_ratios_of_medians(mut self) -> Self {
        let of = |over: &Spread, under: &Spread| {
            let ratio = over.median / under.median;
            Spread { median: ratio, low: ratio, high: ratio }
        };
        self.ratio = of(&self.native.seconds, &self.bypass.seconds);
        self.cpu_ratio = of(&self.native.cpu, &self.bypass.cpu);
        self.share = self.limit.as_ref().map(|limit| of(&limit.seconds, &self.bypass.seconds));
        self
    }

    /// By how many percent the files are larger than native HDF5's; negative when they are smaller.
    pub fn larger_percent(&self) -> Option<f64> {
        let sizes = self.sizes.filter(|sizes| sizes.native > 0)?;
        #[expect(
            clippy::cast_precision_loss,
            reason = "a file of 2^53 bytes is compared to the byte elsewhere"
        )]
        let (native, bypass) = (sizes.native as f64, sizes.bypass as f64);
        Some((bypass - native) / native * 100.0)
    }
}

/// How many rows came out how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Measured.
    pub measured: usize,
    /// Measured, something was required, and all of it is reached.
    pub ok: usize,
    /// Measured, and something required is not reached.
    pub missed: usize,
    /// Measured, and slower than native HDF5; they are in `ok` or `missed`, too, if something was required.
    pub slower: usize,
    /// Not measured here.
    pub skipped: usize,
    /// Went wrong.
    pub failed: usize,
}

impl Tally {
    /// Counts.
    pub fn of(results: &Results) -> Self {
        let mut tally = Self::default();
        for row in &results.rows {
            match &row.outcome {
                Outcome::Measured(_) if !row.misses().is_empty() => tally.missed += 1,
                Outcome::Measured(_) if row.is_asked() => tally.ok += 1,
                Outcome::Measured(_) => {}
                Outcome::Skipped(_) => tally.skipped += 1,
                Outcome::Failed(_) => tally.failed += 1,
            }
            tally.measured += usize::from(row.measured().is_some());
            tally.slower += usize::from(row.is_slower());
        }
        tally
    }
}
