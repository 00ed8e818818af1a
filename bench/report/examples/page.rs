//! Prints the page, or with `table` or `performance` that, made of the JSON file that is named next, or else of made-up
//! results. PERFORMANCE.md has other libraries too if a file of theirs is named after it:
//!
//! ```sh
//! cargo run -p bench-report --example page > page.html
//! cargo run -p bench-report --example page -- table results.json
//! cargo run -p bench-report --example page -- performance bench/baseline.json bench/peers.json
//! ```

#[path = "../tests/report/sample.rs"]
mod sample;

use std::env::args;
use std::error::Error;

use bench_report::peers::PeerResults;
use bench_report::table::{self, Look};
use bench_report::{Results, page, performance};

fn main() -> Result<(), Box<dyn Error>> {
    let results = match args().nth(2) {
        Some(path) => Results::read(&std::fs::read_to_string(path)?)?,
        None => sample::sample(),
    };
    match args().nth(1).as_deref() {
        Some("table") => print!("{}", table::text(&results, Look { width: 100, has_colours: true })),
        Some("performance") => {
            let peers = match args().nth(3) {
                Some(path) => Some(PeerResults::read(&std::fs::read_to_string(path)?)?),
                None => None,
            };
            print!("{}", performance::markdown(&results, peers.as_ref(), None));
        }
        Some("page") | None => print!("{}", page::html(&results)),
        Some(other) => return Err(format!("'{other}' is none of page, table, performance").into()),
    }
    Ok(())
}
