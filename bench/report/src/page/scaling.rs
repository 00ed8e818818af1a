//! Lines over the number of threads.

use crate::figures::{rate, three_digits};
use crate::{Measured, Row, Times};

use super::markup::{escape, speed};

/// The picture's size, and where in it the lines are.
const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 278.0;
const LEFT: f64 = 50.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 38.0;
const BOTTOM: f64 = 42.0;

/// A line.
struct Way {
    class: &'static str,
    name: &'static str,
    times: fn(&Measured) -> Option<&Times>,
}

/// From the lowest to the topmost where they meet.
const WAYS: [Way; 3] = [
    Way { class: "limit", name: "limit", times: |measured| measured.limit.as_ref() },
    Way { class: "native", name: "native", times: |measured| Some(&measured.native) },
    Way { class: "gain", name: "bypass", times: |measured| Some(&measured.bypass) },
];

/// Rows that differ in the number of threads only.
pub(super) struct Series<'a> {
    /// Whose threads become more.
    threads: Threads,
    /// By their number.
    points: Vec<(u32, &'a Row, &'a Measured)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Threads {
    Application,
    Pool,
}

/// The series in these rows, and the rows that are in none: alone, or without figures.
pub(super) fn split<'a>(rows: &[&'a Row]) -> (Vec<Series<'a>>, Vec<&'a Row>) {
    let mut families: Vec<(String, Vec<&'a Row>)> = Vec::new();
    for row in rows.iter().copied() {
        let family =
            format!("{} {}", row.name.trim_end_matches(|letter: char| letter.is_ascii_digit()), row.library);
        match families.iter_mut().find(|(other, _)| *other == family) {
            Some((_, rows)) => rows.push(row),
            None => families.push((family, vec![row])),
        }
    }
    let (mut all, mut others) = (Vec::new(), Vec::new());
    for (_, rows) in families {
        let threads = if rows.iter().any(|row| row.application_threads != rows[0].application_threads) {
            Threads::Application
        } else {
            Threads::Pool
        };
        let number = |row: &Row| match threads {
            Threads::Application => row.application_threads,
            Threads::Pool => row.pool_threads,
        };
        let mut points: Vec<_> =
            rows.iter().filter_map(|row| Some((number(row), *row, row.measured()?))).collect();
        points.sort_by_key(|(number, ..)| *number);
        points.dedup_by_key(|(number, ..)| *number);
        if points.len() < 2 {
            others.extend(rows);
            continue;
        }
        others.extend(rows.into_iter().filter(|row| row.measured().is_none()));
        all.push(Series { threads, points });
    }
    (all, others)
}

impl Series<'_> {
    /// What all of its rows begin with, up to a comma if there is one.
    fn title(&self) -> String {
        let first = self.points[0].1.what.as_str();
        let is_shared =
            |end: &usize| self.points.iter().all(|(_, row, _)| row.what.starts_with(&first[..*end]));
        let ends = first.char_indices().map(|(at, letter)| at + letter.len_utf8());
        let shared = &first[..ends.take_while(is_shared).last().unwrap_or(0)];
        let title = shared.rsplit_once(',').map_or(shared, |(before, _)| before);
        if title.trim().is_empty() { first.to_owned() } else { title.trim().to_owned() }
    }

    /// As a picture; `cores` is where more threads cannot help.
    pub(super) fn picture(&self, cores: u32) -> String {
        let all = self.points.iter().flat_map(|(_, _, measured)| {
            WAYS.iter().filter_map(|way| Some(height(measured, (way.times)(measured)?)))
        });
        let (step, top) = steps(all.fold(0.0, f64::max));
        let y = |value: f64| HEIGHT - BOTTOM - value / top * (HEIGHT - BOTTOM - TOP);
        let mut inside = self.grid(step, top, cores, y);
        for Way { class, name, times } in &WAYS {
            let places: Vec<(f64, f64, String)> = self
                .points
                .iter()
                .enumerate()
                .filter_map(|(index, (number, _, measured))| {
                    let times = times(measured)?;
                    let words = format!("{name}, {number}: {}", speed(measured, times.seconds.median));
                    Some((self.x(index), y(height(measured, times)), words))
                })
                .collect();
            let line: Vec<String> = places.iter().map(|(x, y, _)| format!("{x:.1},{y:.1}")).collect();
            inside += &format!("<polyline class=\"{class}\" points=\"{}\"/>", line.join(" "));
            for (x, y, words) in places {
                inside += &format!(
                    "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"><title>{words}</title></circle>"
                );
            }
        }
        let whose = match self.threads {
            Threads::Application => "threads of the application",
            Threads::Pool => "threads of the pool",
        };
        let title = escape(&self.title());
        inside += &format!(
            "<text class=\"unit\" x=\"{LEFT}\" y=\"14\">GB/s</text>\
             <text class=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{whose}</text>",
            (LEFT + WIDTH - RIGHT) / 2.0,
            HEIGHT - 6.0
        );
        format!(
            "<figure><figcaption>{title}</figcaption><svg class=\"lines\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             aria-label=\"{title}: GB/s over {whose}\"><title>{title}: GB/s over {whose}</title>{inside}</svg></figure>\n"
        )
    }

    fn grid(&self, step: f64, top: f64, cores: u32, y: impl Fn(f64) -> f64) -> String {
        let mut inside = String::new();
        let mut value = 0.0;
        while value <= top * 1.001 {
            let y = y(value);
            inside += &format!(
                "<line class=\"line\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <text class=\"end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 8.0,
                y + 4.0,
                short(value)
            );
            value += step;
        }
        for (index, (number, ..)) in self.points.iter().enumerate() {
            let x = self.x(index);
            inside += &format!(
                "<text class=\"middle\" x=\"{x:.1}\" y=\"{:.1}\">{number}</text>",
                HEIGHT - BOTTOM + 17.0
            );
            if *number == cores {
                // In the middle over its line, unless that is at an end.
                let (class, place) = match index {
                    0 => ("begin", x),
                    last if last + 1 == self.points.len() => ("end", WIDTH - RIGHT),
                    _ => ("middle", x),
                };
                inside += &format!(
                    "<line class=\"cores\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{:.1}\"/>\
                     <text class=\"{class}\" x=\"{place:.1}\" y=\"{:.1}\">as many as cores</text>",
                    HEIGHT - BOTTOM,
                    TOP - 6.0
                );
            }
        }
        inside
    }

    #[expect(clippy::cast_precision_loss, reason = "there are few numbers of threads")]
    fn x(&self, index: usize) -> f64 {
        let room = WIDTH - LEFT - RIGHT - 50.0;
        LEFT + 25.0 + room * index as f64 / (self.points.len() - 1) as f64
    }
}

/// GB/s
fn height(measured: &Measured, times: &Times) -> f64 {
    let value = rate(measured, times.seconds.median);
    if value.is_finite() { value } else { 0.0 }
}

/// Round steps, about five of them, up to at least this.
fn steps(greatest: f64) -> (f64, f64) {
    if greatest <= 0.0 {
        return (1.0, 1.0);
    }
    let rough = greatest / 5.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|one| one * power).find(|step| *step >= rough * 0.999);
    let step = step.unwrap_or(rough);
    (step, step * (greatest / step).ceil())
}

/// A number without digits that say nothing.
fn short(value: f64) -> String {
    let text = three_digits(value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_reach_the_greatest() {
        for greatest in [0.003, 0.9, 1.0, 4.99, 7.3, 1234.0] {
            let (step, top) = steps(greatest);
            assert!(top >= greatest * 0.999 && top <= greatest * 1.5, "{greatest}: {top}");
            assert!((4.0..=6.1).contains(&(top / step).round()) || top / step <= 6.0, "{greatest}: {step}");
        }
        assert_eq!(steps(0.0), (1.0, 1.0));
        assert_eq!([0.0, 0.5, 2.0, 12.5, 100.0].map(short), ["0", "0.5", "2", "12.5", "100"]);
    }
}
