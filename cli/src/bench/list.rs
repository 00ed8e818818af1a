//! `h5bypass bench --list`: the scenarios, with their targets.

use std::io::{self, Write};

use bench_report::Asked;
use bench_suite::Scenario;
use owo_colors::OwoColorize as _;

/// Writes the list. The stream decides whether to keep the colours.
pub(super) fn write(out: &mut impl Write, scenarios: &[Scenario]) -> io::Result<()> {
    let name = scenarios.iter().map(|scenario| scenario.name.len()).max().unwrap_or(0);
    let targets: Vec<_> = scenarios.iter().map(|scenario| wording(&scenario.asked)).collect();
    let wide = targets.iter().map(|target| target.chars().count()).max().unwrap_or(0);
    let mut group = "";
    for (scenario, target) in scenarios.iter().zip(&targets) {
        if scenario.group != group {
            let blank = if group.is_empty() { "" } else { "\n" };
            group = scenario.group;
            writeln!(out, "{blank}{}", group.bold())?;
        }
        writeln!(out, "  {:name$}  {target:wide$}  {}", scenario.name, scenario.what)?;
    }
    out.flush()
}

/// The targets in a few words: the ratio, the share of the limit, memory, file sizes.
fn wording(asked: &Asked) -> String {
    let parts = [
        asked.ratio.map(|ratio| format!("{ratio}x")),
        asked.share.map(|share| format!("{:.0} % of the limit", share * 100.0)),
        asked.peak.map(|peak| format!("at most {} MiB", peak >> 20)),
        asked.larger_percent.map(|percent| format!("files +{percent} %")),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "-".into() } else { parts.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenarios_stand_under_their_headings() {
        let mut asking = Scenario::new("reads/a", "Reads", "all of it").asking(1.5);
        asking.asked.share = Some(0.9);
        let all = [asking, Scenario::new("reads/bc", "Reads", "some"), Scenario::new("w", "Writes", "new")];
        let mut out = Vec::new();
        write(&mut anstream::StripStream::new(&mut out), &all).unwrap();
        let expected = "\
Reads
  reads/a   1.5x, 90 % of the limit  all of it
  reads/bc  -                        some

Writes
  w         -                        new
";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
