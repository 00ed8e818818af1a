//! The table for the terminal.

use bench_report::table::{Look, text};
use bench_report::{Outcome, Results};

use crate::sample::{Make, NASTY, about, row, sample, small};

fn plain(results: &Results, width: usize) -> String {
    text(results, Look { width, has_colours: false })
}

/// Columns of a line. The sample has a few letters that take two.
fn columns(line: &str) -> usize {
    line.chars().map(|letter| if "深さ温度".contains(letter) { 2 } else { 1 }).sum()
}

#[test]
fn it_fits_any_width_and_no_line_ends_with_a_space() {
    let results = sample();
    for width in [60, 72, 80, 84, 85, 99, 100, 113, 114, 140, 250] {
        let table = plain(&results, width);
        for line in table.lines() {
            assert!(columns(line) <= width, "{width}: {} in '{line}'", columns(line));
            assert_eq!(line, line.trim_end(), "{width}");
        }
        let last = "49 of 54 targets met, 5 missed 93 measured, 8 slower than native, 1 skipped, 3 failed";
        assert!(table.replace('\n', " ").ends_with(&format!(" {last} ")), "{width}");
    }
}

#[test]
fn a_row_has_its_figures_in_columns() {
    let results = sample();
    let table = plain(&results, 100);
    let expected = "\
Compressed and converted reads              native     bypass  ratio  middle half target         cpu
  all, gzip 4 + shuffle, 1 MiB of rows   0.36 GB/s  1.81 GB/s   5.02   4.82..5.22   4.50    OK  3.14
    limit 1.74 GB/s, our share 104 % (100..108 %), target 80 %
    memory 6 MiB (native 18 MiB), target at most 64 MiB
  all, the same in 512 x 512 chunks      0.35 GB/s  1.54 GB/s   4.41   4.23..4.59   4.50  MISS  2.76
    limit 1.53 GB/s, our share 101 % (97..105 %), target 80 %; missed: ratio 4.41, target 4.50
";
    assert!(table.contains(expected), "{table}");
    for line in [
        "  all, contiguous                        1.40 GB/s  1.41 GB/s   1.01   0.97..1.05   1.00    OK  0.63\n    \
         left to native HDF5: one thread writes at a time\n",
        "  all, blosc lz4\n    skipped: this libhdf5 finds no filter 32001 (blosc)\n",
        "    FAILED: wrong data: 3 bytes of dataset 'many' differ from what native HDF5 reads\n",
        "    files 87.7 MiB (native 87.0 MiB, +0.8 %), target at most 5.0 % larger\n",
        "    HDF5 of tables; limit 5.31 GB/s, our share 96 % (92..100 %)\n",
    ] {
        assert!(table.contains(line), "{line}\nis not in\n{table}");
    }
}

#[test]
fn a_wide_terminal_has_columns_for_the_limit() {
    let table = plain(&sample(), 120);
    let heading = table.lines().find(|line| line.starts_with("Compressed")).unwrap();
    assert!(heading.ends_with("limit  our share   cpu"), "{heading}");
    let gzip = table.lines().find(|line| line.contains("all, gzip 4")).unwrap();
    assert!(gzip.ends_with("1.74 GB/s      104 %  3.14"), "{gzip}");
}

#[test]
fn a_narrow_terminal_has_all_figures_one_after_the_other() {
    let row = small("name", "Group", "open, read 64 bytes, close", 61.0, 0.95).asking(0.9);
    let table = plain(&Results { rows: vec![row], timeline: None, ..sample() }, 60);
    let expected = "\
Group
  open, read 64 bytes, close
    61.0 us -> 64.2 us; ratio 0.95 (0.91..0.99)
    target 0.90: OK; cpu 0.95
";
    assert!(table.contains(expected), "{table}");
}

#[test]
fn the_matrix_is_a_grid() {
    let table = plain(&sample(), 100);
    let expected = "\
Matrix
  Reading, HDF5 of tables: GB/s native -> bypass, ratio
                                             4 threads 4 threads + pool of 2  1 thread + pool of 2
  one dataset, contiguous          2.85 -> 6.77  2.38    2.35 -> 4.41  1.88    1.85 -> 5.09  2.75
";
    assert!(table.contains(expected), "{table}");
    assert!(table.contains(
        "  many datasets, contiguous        1.60 -> 3.40  2.12    2.85 -> 4.63  1.62    2.35 -> 5.88  2.50!\n"
    ));
    assert!(
        table.contains("    ! many datasets, contiguous, 1 thread + pool of 2: ratio 2.50, target 4.00\n")
    );
    assert!(table.contains("2.35 -> 4.11  1.75                 FAILED   3.10 -> 6.59  2.12\n"));
    assert!(table.contains(
        "    many files, chunked, 4 threads + pool of 2: FAILED: the worker was killed by signal 9\n"
    ));
}

#[test]
fn a_second_row_for_a_place_in_the_matrix_is_not_lost() {
    let mut results = sample();
    let mut twice = results.rows.iter().find(|row| row.cell.is_some()).unwrap().clone();
    "once more".clone_into(&mut twice.what);
    results.rows.push(twice);
    assert!(plain(&results, 100).contains("\n  once more  "));
}

#[test]
fn faster_is_green_and_slower_is_red() {
    let rows = vec![
        row("a", "Group", "fast", 1.0, 2.0).asking(1.5),
        row("b", "Group", "slow", 1.0, 0.5).asking(1.5),
        row("c", "Group", "same", 1.0, 1.0),
    ];
    let results = Results { rows, timeline: None, ..sample() };
    let table = text(&results, Look { width: 100, has_colours: true });
    for part in [
        "\x1b[32m2.00\x1b[0m",
        "\x1b[32mOK\x1b[0m",
        "\x1b[31m0.50\x1b[0m",
        "\x1b[31mMISS\x1b[0m",
        "\x1b[32m1.00\x1b[0m",
    ] {
        assert!(table.contains(part), "{part:?} is not in\n{table}");
    }
    let mut bare = String::new();
    let mut parts = table.split('\x1b');
    bare += parts.next().unwrap();
    for part in parts {
        bare += part.split_once('m').unwrap().1;
    }
    assert_eq!(bare, plain(&results, 100), "colours change nothing else");
}

#[test]
fn names_do_not_steer_the_terminal() {
    let mut results = sample();
    results.about.file = Some(NASTY.to_owned());
    results.about.processor = NASTY.to_owned();
    for has_colours in [false, true] {
        let table = text(&results, Look { width: 100, has_colours });
        assert!(!table.contains("\u{1b}[31m\u{202e}") && !table.contains('\u{202e}'));
        assert!(has_colours || !table.contains('\u{1b}'));
    }
}

#[test]
fn no_rows_make_no_table_but_a_last_line() {
    let empty = Results { rows: Vec::new(), timeline: None, ..sample() };
    assert!(plain(&empty, 100).ends_with("\n\n0 measured, 0 slower than native, 0 skipped, 0 failed\n"));
}

#[test]
fn a_busy_machine_is_told() {
    let mut results = Results { about: about(), ..sample() };
    assert!(!plain(&results, 100).contains("busy"));
    results.about.load = 1.34;
    assert!(
        plain(&results, 100).contains("the machine was busy (load 1.3): trust the ratios, not the rates\n")
    );
}

#[test]
fn a_long_reason_is_told_in_full() {
    let mut failed = row("name", "Group", "what", 1.0, 1.0);
    failed.outcome =
        Outcome::Failed((0..60).map(|number| format!("word{number}")).collect::<Vec<_>>().join(" "));
    let table = plain(&Results { rows: vec![failed], timeline: None, ..sample() }, 80);
    assert!((0..60).all(|number| table.contains(&format!("word{number}"))));
}

#[test]
fn nobody_hears_of_targets_where_there_are_none() {
    let rows = vec![row("a", "Group", "fast", 1.0, 2.0), row("b", "Group", "slow", 1.0, 0.5)];
    let results = Results { rows, timeline: None, ..sample() };
    for width in [60, 100, 140] {
        let table = plain(&results, width);
        for word in ["target", "asked", "missed", "MISS", "OK"] {
            assert!(!table.contains(word), "'{word}' in\n{table}");
        }
        assert!(table.ends_with("\n2 measured, 1 slower than native, 0 skipped, 0 failed\n"), "{table}");
        assert!(!table.contains("limit"), "{table}");
    }
}
