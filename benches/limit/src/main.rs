//! `limit`: how fast this machine reads a range of a file with plain parallel `pread`.

use std::fs::File;
use std::num::NonZero;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Parser;

const PAGE: usize = 4096;

/// What this machine can do without HDF5.
#[derive(Debug, Parser)]
#[command(name = "limit")]
enum Args {
    /// Read a range of a file with several threads and print the median of the rates.
    Read(Read),
}

#[derive(Debug, clap::Args)]
struct Read {
    /// The file.
    file: PathBuf,
    /// First byte of the range; sizes may end in KiB, MiB or GiB.
    #[arg(value_parser = parse_size)]
    offset: u64,
    /// Bytes of the range.
    #[arg(value_parser = parse_size)]
    length: u64,
    /// Threads that read.
    #[arg(long, default_value = "2")]
    threads: NonZero<usize>,
    /// Bytes of a single read.
    #[arg(long, default_value = "1MiB", value_parser = parse_size)]
    piece: u64,
    /// Where in a page the buffer begins. 1 to 63 more than where the range begins in its page is slow.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..4096))]
    page_offset: u16,
    /// How often to read.
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
}

fn main() -> Result<()> {
    let Args::Read(read) = Args::parse();
    let file = File::open(&read.file).with_context(|| format!("cannot open {}", read.file.display()))?;
    let length = usize::try_from(read.length).context("the range is too long")?;
    let piece = usize::try_from(read.piece).ok().and_then(NonZero::new).context("a piece has no bytes")?;
    ensure!(length > 0, "the range has no bytes");
    // Written to, so that every page of it exists before the clock runs.
    let mut buffer = vec![1; length + 2 * PAGE];
    let skip = buffer.as_ptr().align_offset(PAGE) + usize::from(read.page_offset);
    let buffer = &mut buffer[skip..skip + length];
    let mut seconds = Vec::new();
    // The first one brings the range into the page cache and is not counted.
    for _ in 0..=read.rounds {
        let begin = Instant::now();
        limit::read(&file, read.offset, buffer, read.threads, piece).context("cannot read")?;
        seconds.push(begin.elapsed().as_secs_f64());
    }
    let seconds = &mut seconds[1..];
    seconds.sort_by(f64::total_cmp);
    #[expect(clippy::cast_precision_loss, reason = "a rate is shown with three digits")]
    let rate = |seconds: f64| read.length as f64 / seconds / 1e9;
    let at = |quarter: usize| rate(seconds[(seconds.len() - 1) * quarter / 4]);
    println!("{:.2} GB/s (middle half {:.2} .. {:.2})", at(2), at(3), at(1));
    Ok(())
}

fn parse_size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "" => 0,
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        unit => return Err(format!("'{unit}' is none of KiB, MiB, GiB")),
    };
    let number: u64 = digits.parse().map_err(|error| format!("{error}"))?;
    number.checked_mul(1 << unit).ok_or_else(|| "too large".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("0"), Ok(0));
        assert_eq!(parse_size("64KiB"), Ok(65536));
        assert_eq!(parse_size("1MiB"), Ok(1 << 20));
        assert!(parse_size("1MB").is_err());
        assert!(parse_size("99999999999GiB").is_err());
        assert!(parse_size("").is_err());
    }
}
