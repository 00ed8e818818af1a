//! The page, as far as it can be judged without a browser.

use bench_report::page::html;
use bench_report::{Outcome, RatioOf, Results, Span, Thread, Timeline};

use crate::sample::{Make, NASTY, row, sample};

/// What every page has to be.
fn check(page: &str) {
    assert!(page.starts_with("<!doctype html>\n<html lang=\"en\">"));
    assert!(page.ends_with("</html>\n"));
    for outside in ["http:", "https:", "url(", "@import", "<link", "src=\"", "<iframe"] {
        assert!(!page.contains(outside), "{outside}");
    }
    // Two scripts of ours: the spans, if there are, and the program.
    let scripts = page.matches("<script").count();
    assert!((1..=2).contains(&scripts) && scripts == page.matches("</script>").count(), "{scripts}");
    assert!(!page.contains("NaN") && !page.contains("inf%"));
    for tag in
        ["section", "div", "svg", "table", "tr", "td", "th", "figure", "header", "main", "ul", "li", "p"]
    {
        let opened = page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

fn section<'p>(page: &'p str, id: &str) -> &'p str {
    let after = page.split_once(&format!("<section id=\"{id}\">")).unwrap().1;
    after.split_once("</section>").unwrap().0
}

/// The value of each attribute of this name.
fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    let parts = page.split(attribute).skip(1);
    parts.map(|part| part.split('"').next().unwrap()).collect()
}

#[test]
fn the_whole_sample_makes_a_page() {
    let results = sample();
    let page = html(&results);
    check(&page);
    assert_eq!(section(&page, "figures").matches("<tr><th scope=\"row\">").count(), results.rows.len());
    for part in [
        "<h1>What h5bypass gains over native HDF5</h1>",
        "Half of 93 scenarios run at least <b>2.0×</b> as fast.",
        "<b class=\"loss\">8</b> are slower</a>",
        "49 of 54 targets are met.",
        "<h2>Every scenario</h2>",
        "<h2>Where native is faster</h2>",
        "<h2>More threads</h2>",
        "<h2>What each thread did</h2>",
        "<h2>All figures</h2>",
        "<span class=\"times gain\">5.0×</span>",
        "skipped: this libhdf5 finds no filter 32001 (blosc)",
        "<dt>Machine</dt><dd>AMD EPYC 7763 64-Core Processor, 2 cores, 8 GiB of memory",
        "prefers-color-scheme: dark",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn names_are_text_wherever_they_stand() {
    let mut results = sample();
    for text in [&mut results.about.command, &mut results.about.processor, &mut results.about.version] {
        NASTY.clone_into(text);
    }
    results.about.file = Some(NASTY.to_owned());
    results.about.libraries[0].name = NASTY.to_owned();
    for row in &mut results.rows {
        for text in [&mut row.name, &mut row.what, &mut row.group, &mut row.library] {
            text.push_str(NASTY);
        }
    }
    let page = html(&results);
    check(&page);
    assert!(!page.contains("<script>document") && !page.contains("<img"));
    assert!(page.contains(
        "&lt;script&gt;document.title=&#39;x&#39;&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"
    ));
    assert!(page.contains("\\u003c/script\\u003e\\u003cscript\\u003e"), "in the spans");
    assert!(!page.contains('\u{202e}') && !page.contains('\u{1b}'));
}

#[test]
fn the_slower_ones_have_their_own_section_and_nobody_else_is_in_it() {
    let page = html(&sample());
    let slower = section(&page, "slower");
    assert_eq!(slower.matches("class=\"loser\"").count(), 8);
    assert_eq!(slower.matches("<b class=\"loss\">").count(), 8);
    assert!(!slower.contains("class=\"gain\""));
    let fast = Results { rows: vec![row("name", "Group", "what", 1.0, 2.0)], timeline: None, ..sample() };
    assert!(!html(&fast).contains("id=\"slower\""));
}

#[test]
fn bars_stay_inside_of_their_pictures() {
    let mut results = sample();
    results.rows.push(row("extreme", "Group", "extreme", 1.0, 5000.0).with_limit(1e-7, None).asking(1e9));
    results.rows.push(row("stopped", "Group", "stopped", 1.0, 1e-9));
    let page = html(&results);
    check(&page);
    let places = ["x=\"", "x1=\"", "x2=\"", "width=\""].into_iter().flat_map(|name| values(&page, name));
    let percents: Vec<f64> = places.filter_map(|value| value.strip_suffix('%')?.parse().ok()).collect();
    assert!(percents.len() > 500);
    assert!(percents.iter().all(|percent| (0.0..=100.3).contains(percent)), "{percents:?}");
}

#[test]
fn every_picture_can_be_heard() {
    let page = html(&sample());
    let pictures = page.matches("role=\"img\"").count();
    assert_eq!(pictures, page.matches("role=\"img\" aria-label=\"").count());
    // Each bar, but not the marks that explain them, which are hidden from those who listen.
    let bars = page.matches("<div class=\"bar\">").count();
    assert!(bars > 40 && pictures > bars);
    assert_eq!(
        page.matches("<title>").count(),
        1 + pictures - 1 + page.matches("<circle").count(),
        "the canvas has none"
    );
    assert!(page.contains("<title>all, gzip 4 + shuffle, 1 MiB of rows: 5.02 times as fast as native HDF5, middle half 4.82..5.22; target 4.50; the limit is 4.83 times as fast, our share of it 104 %"));
}

#[test]
fn rows_over_threads_are_lines_and_a_lonely_one_is_a_bar() {
    let page = html(&sample());
    let scaling = section(&page, "scaling");
    assert_eq!(scaling.matches("<figure>").count(), 2);
    assert!(
        scaling.contains("<figcaption>gzip</figcaption>")
            && scaling.contains("<figcaption>contiguous</figcaption>")
    );
    assert_eq!(scaling.matches("<polyline").count(), 6);
    assert!(scaling.contains("<title>bypass, 2: 1.84 GB/s</title>"));
    assert!(scaling.contains("threads of the pool") && scaling.contains("threads of the application"));

    let mut alone = sample();
    alone.rows.retain(|row| row.group != "Scaling" || row.name == "scaling-pool-2");
    let page = html(&alone);
    check(&page);
    assert!(!page.contains("id=\"scaling\"") && page.contains("<span class=\"what\">gzip, pool of 2</span>"));
}

#[test]
fn the_matrix_is_a_table_in_colours() {
    let page = html(&sample());
    let matrix = section(&page, "matrix");
    assert_eq!(matrix.matches("<tr><th scope=\"row\">").count(), 16);
    assert_eq!(matrix.matches("var(--loss)").count(), 2);
    assert_eq!(matrix.matches("var(--gain)").count(), 45);
    assert!(
        matrix.contains("<td class=\"none bad\" title=\"the worker was killed by signal 9\">failed</td>")
    );
}

#[test]
fn spans_are_nested_and_summed_up() {
    let span = |kind: &str, start, duration| Span { kind: kind.to_owned(), start, duration };
    let spans = vec![span("read", 0.0, 1000.0), span("fetch", 100.0, 200.0), span("decode", 300.0, 600.0)];
    let timeline =
        Timeline { what: "a read".to_owned(), threads: vec![Thread { name: "main".to_owned(), spans }] };
    let page = html(&Results { timeline: Some(timeline), ..sample() });
    check(&page);
    let json = page.split_once("id=\"spans\">").unwrap().1.split_once("</script>").unwrap().0;
    assert_eq!(
        json,
        "{\"length\":1000.0,\"kinds\":[[\"read\",\"around\"],[\"decode\",\"k0\"],[\"fetch\",\"k1\"]],\
         \"threads\":[{\"name\":\"main\",\"levels\":2,\
         \"spans\":[0,0,0,10000,2,1,1000,2000,1,1,3000,6000]}]}"
    );
    assert!(page.contains("decode <b>60 %</b>") && page.contains("read <b>20 %</b>"));
    assert!(page.contains("<th scope=\"row\">main</th><td>200 µs</td><td>600 µs</td><td>200 µs</td>"));
}

#[test]
fn thousands_of_spans_stay_a_small_page() {
    let spans = (0..6000).map(|number| Span {
        kind: "decode".to_owned(),
        start: f64::from(number) * 7.0,
        duration: 6.5,
    });
    let threads = vec![Thread { name: "main".to_owned(), spans: spans.collect() }];
    let with = html(&Results { timeline: Some(Timeline { what: "x".to_owned(), threads }), ..sample() });
    let without = html(&Results { timeline: None, ..sample() });
    assert!(with.len() - without.len() < 100_000, "{}", with.len() - without.len());
}

#[test]
fn results_with_nothing_in_them_make_a_page_too() {
    let empty = Timeline { what: "nothing".to_owned(), threads: Vec::new() };
    for timeline in [None, Some(empty)] {
        let page = html(&Results { rows: Vec::new(), timeline, ..sample() });
        check(&page);
        assert!(page.contains("Nothing was measured."));
    }
}

#[test]
fn of_a_users_own_file_the_headline_has_the_first_rows() {
    let mut results = sample();
    results.about.file = Some("mine.h5".to_owned());
    results.rows = (0..7)
        .map(|number| row(&format!("own-{number}"), "/data", &format!("way {number}"), 1.0, 2.0))
        .collect();
    let page = html(&results);
    check(&page);
    assert!(page.contains("<h1>What h5bypass gains on mine.h5</h1>"));
    assert_eq!(page.matches("class=\"pair\"").count(), 5);
}

/// The page of rows without targets, limits and memory, with ratios of medians.
fn bare_page() -> String {
    let rows = [("a", 4.7), ("b", 0.5)].map(|(name, ratio)| {
        let mut row = row(name, "Group", name, 1.0, ratio);
        row.outcome = match row.outcome {
            Outcome::Measured(measured) => Outcome::Measured(Box::new(measured.with_ratios_of_medians())),
            other => other,
        };
        row
    });
    let mut results = Results { rows: rows.to_vec(), timeline: None, ..sample() };
    results.about.ratio_of = RatioOf::Medians;
    html(&results)
}

#[test]
fn nothing_is_shown_or_explained_that_no_row_has() {
    let page = bare_page();
    check(&page);
    let body = page.split_once("<body>").unwrap().1;
    for absent in [
        "target",
        "asked",
        "limit of",
        "the limit",
        ">limit<",
        "memory (native)",
        "middle half",
        "<th scope=\"col\">notes",
    ] {
        assert!(!body.contains(absent), "{absent}");
    }
    assert!(page.contains("is the ratio of these two medians"), "the definition is stated");
    assert!(!page.contains("Each round gives one ratio"));
    // No column is empty.
    let table = body.split_once("<table class=\"all\">").unwrap().1.split_once("</table>").unwrap().0;
    assert!(!table.contains("<td></td>"), "{table}");
    let whole = html(&sample());
    for present in ["target", "limit", "middle half", "Each round gives one ratio", "memory (native)"] {
        assert!(whole.contains(present), "{present}");
    }
}

#[test]
fn ratios_of_medians_are_those_of_the_speeds_beside_them() {
    let row = row("name", "Group", "what", 1.0, 8.6).with(|measured| {
        measured.native.seconds.median = 4.7;
        measured.bypass.seconds.median = 1.0;
        measured.cpu_ratio.median = 3.0;
    });
    let measured = row.measured().unwrap().clone().with_ratios_of_medians();
    assert!(
        (measured.ratio.median - 4.7).abs() < 1e-9 && (measured.ratio.low - measured.ratio.high).abs() < 1e-9
    );
    let cpu = measured.native.cpu.median / measured.bypass.cpu.median;
    assert!((measured.cpu_ratio.median - cpu).abs() < 1e-9);
}
