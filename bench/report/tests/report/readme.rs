//! The figures of README.md.

use bench_report::Results;
use bench_report::readme::{BEGIN, Colours, END, chart, with_table};

fn baseline() -> Results {
    Results::read(include_str!("../../../baseline.json")).unwrap()
}

/// A README with the lines between which the table stands, and an older table.
fn readme() -> String {
    format!("# Title\n\n{BEGIN}\nan older table\n{END}\n\nMore.\n")
}

/// The baseline, in which a row has this ratio.
fn with_ratio(name: &str, ratio: f64) -> Results {
    let mut results = baseline();
    for row in results.rows.iter_mut().filter(|row| row.name == name) {
        if let bench_report::Outcome::Measured(measured) = &mut row.outcome {
            measured.ratio.median = ratio;
        }
    }
    results
}

#[test]
fn the_fastest_comes_first_and_what_is_slower_is_marked() {
    let text = with_table(&readme(), &with_ratio("gzip", 123.4)).unwrap();
    assert!(text.contains("|---|---:|\n| Read a gzip dataset | 123 |\n"), "{text}");
    assert!(
        text.starts_with("# Title\n") && text.ends_with("\nMore.\n") && !text.contains("older"),
        "{text}"
    );
    let text = with_table(&readme(), &with_ratio("gzip", 0.5)).unwrap();
    assert!(text.contains("\n| Read a gzip dataset | *0.50* |\n"), "{text}");
    // Writing the table twice is writing it once.
    assert_eq!(with_table(&text, &with_ratio("gzip", 0.5)).unwrap(), text);
}

#[test]
fn slower_rows_have_a_colour_of_their_own() {
    let slower = |results: &Results| chart(results, Colours::LIGHT).unwrap().matches("#d1560f").count();
    // Bar and figure.
    assert_eq!(slower(&with_ratio("gzip", 0.5)), slower(&baseline()) + 2);
    assert!(!chart(&baseline(), Colours::DARK).unwrap().contains("#d1560f"));
}

#[test]
fn what_is_missing_is_named() {
    let mut results = baseline();
    results.rows.retain(|row| row.name != "zstd");
    let error = with_table(&readme(), &results).unwrap_err().to_string();
    assert_eq!(error, "the README shows 'zstd', which was not measured");
    let error = with_table("no marks", &baseline()).unwrap_err().to_string();
    assert!(error.contains(BEGIN), "{error}");
}
