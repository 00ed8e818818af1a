//! Filters as the command line names them.

use std::str::FromStr;

use bench_suite::controller::Unknown;

/// Filters by their names: number, options that are used if none are given, and how many may be given.
const KNOWN: [(&str, i32, &[u32], usize); 9] = [
    ("gzip", 1, &[6], 1),
    ("deflate", 1, &[6], 1),
    ("shuffle", 2, &[], 0),
    ("fletcher32", 3, &[], 0),
    ("szip", 4, &[32], 1),
    ("bzip2", 307, &[9], 1),
    ("lzf", 32000, &[], 0),
    ("lz4", 32004, &[0], 1),
    ("zstd", 32015, &[3], 1),
];
/// The name of no filters.
const NONE: &str = "none";
/// Szip's coding (nearest neighbour), which comes before its number of pixels.
const SZIP: (i32, u32) = (4, 32);

/// Filters in the order of writing: numbers and options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Filters(pub(crate) Vec<(i32, Vec<u32>)>);

impl FromStr for Filters {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim() == NONE {
            return Ok(Self(Vec::new()));
        }
        text.split(',').map(|part| filter(part.trim())).collect::<Result<_, _>>().map(Self)
    }
}

fn filter(text: &str) -> Result<(i32, Vec<u32>), String> {
    let mut words = text.split(':');
    let name = words.next().unwrap_or_default();
    let options = words
        .map(|word| {
            word.parse::<u32>()
                .map_err(|_| format!("'{word}' is not an option of a filter: expected a number"))
        })
        .collect::<Result<Vec<u32>, String>>()?;
    if let Ok(number) = name.parse::<i32>() {
        return Ok((number, options));
    }
    let Some((_, number, usual, most)) = KNOWN.into_iter().find(|(known, ..)| *known == name) else {
        let names: Vec<_> = KNOWN.iter().map(|(known, ..)| *known).chain([NONE]).collect();
        let unknown = Unknown::new("filter", name, names.iter().copied());
        return Err(format!("{unknown}\n  known: {}, or the number of any other filter", names.join(", ")));
    };
    if options.len() > most {
        return Err(format!("{name} takes {most} option{}", if most == 1 { "" } else { "s" }));
    }
    if number == 1 && options.iter().any(|level| *level > 9) {
        return Err(format!("{name} has levels from 0 to 9"));
    }
    let mut options = if options.is_empty() { usual.to_vec() } else { options };
    if number == SZIP.0 {
        options.insert(0, SZIP.1);
    }
    Ok((number, options))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_filters() {
        for (text, expected) in [
            ("none", vec![]),
            ("gzip:4", vec![(1, vec![4])]),
            ("shuffle,zstd:3", vec![(2, vec![]), (32015, vec![3])]),
            ("shuffle, zstd", vec![(2, vec![]), (32015, vec![3])]),
            ("32008:0:2", vec![(32008, vec![0, 2])]),
            ("szip", vec![(4, vec![32, 32])]),
        ] {
            assert_eq!(text.parse(), Ok(Filters(expected)), "{text}");
        }
    }

    #[test]
    fn typos_are_answered_with_what_was_meant() {
        let wrong = |text: &str| text.parse::<Filters>().unwrap_err();
        assert!(wrong("zst").contains("did you mean zstd?"), "{}", wrong("zst"));
        assert!(wrong("snappy").contains("gzip, deflate, shuffle"), "{}", wrong("snappy"));
        assert!(wrong("gzip:x").contains("'x'"));
        assert!(wrong("gzip:10").contains("0 to 9"));
        assert!(wrong("shuffle:3").contains("0 options"));
        assert!(!wrong("").is_empty());
    }
}
