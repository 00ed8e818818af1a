//! Compares functions that a crate declares with the C headers of HDF5, as the C compiler sees them.
//!
//! The list in the crate's `src/functions.rs` is read as text and written out as C types.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::compiler::{header_dirs, major, run};
use crate::source::c_type;

/// The headers of all functions.
const PRELUDE: &str = "\
#include <stdio.h>
#include <time.h>
#include \"H5public.h\"
#include \"H5Apublic.h\"
#include \"H5Dpublic.h\"
#include \"H5Epublic.h\"
#include \"H5Fpublic.h\"
#include \"H5Gpublic.h\"
#include \"H5Ipublic.h\"
#include \"H5Lpublic.h\"
#include \"H5Opublic.h\"
#include \"H5PLpublic.h\"
#include \"H5Ppublic.h\"
#include \"H5Rpublic.h\"
#include \"H5Spublic.h\"
#include \"H5Tpublic.h\"
#include \"H5Zpublic.h\"
#include \"H5FDcore.h\"
#include \"H5FDfamily.h\"
#include \"H5FDstdio.h\"
#include \"H5VLconnector.h\"
#include \"H5VLconnector_passthru.h\"
#define SAME(name, a, b) printf(name \"=%s\\n\", __builtin_types_compatible_p(a, b) ? \"same\" : \"differs\")
int main(void) {
";

/// Names and C types of all functions in the list.
fn declared() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/functions.rs"))
        .expect("the list of functions");
    let (_, list) = text.split_once("\nfunctions! {\n").expect("the beginning of the list");
    let (list, _) = list.split_once("\n}\n").expect("the end of the list");
    let prototype = |line: &str| {
        let (name, rest) = line.trim().strip_prefix("fn ")?.split_once('(')?;
        let signature = rest.trim_end_matches(';');
        Some((name.to_owned(), c_type(&format!("Option<unsafe extern \"C\" fn({signature}>"))))
    };
    list.split(';').filter_map(|item| prototype(item.trim_start())).collect()
}

/// Names of all variables in the list.
fn variables() -> Vec<String> {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/functions.rs"))
        .expect("the list of variables");
    let (_, list) = text.split_once("IDENTIFIERS: &[&str] =").expect("the beginning of the list");
    let (list, _) = list.split_once("];").expect("the end of the list");
    list.split(',')
        .map(|name| name.trim_matches(|part: char| part.is_whitespace() || "&[\"".contains(part)).to_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

/// Compares all of them. `is_declared` tells whether the headers of a major version declare a function. There are at least so many
/// functions and variables.
pub fn compare(is_declared: impl Fn(&str, u32) -> bool, least: (usize, usize)) {
    let (functions, variables) = (declared(), variables());
    assert!(functions.len() > least.0 && variables.len() > least.1, "the lists are read");
    for dir in header_dirs() {
        let (mut program, mut expected) = (PRELUDE.to_owned(), Vec::new());
        let major = major(&dir);
        for (name, c_type) in functions.iter().filter(|(name, _)| is_declared(name, major)) {
            writeln!(program, r#"SAME("{name}", __typeof__(&{name}), {c_type});"#)
                .expect("a String takes it");
            expected.push(name);
        }
        for name in &variables {
            writeln!(program, r#"SAME("{name}", __typeof__({name}), hid_t);"#).expect("a String takes it");
            expected.push(name);
        }
        program.push_str("return 0;\n}\n");
        let printed = run(&dir, "prototypes", &program);
        let wrong: Vec<_> = expected
            .iter()
            .filter(|name| printed.get(name.as_str()).is_none_or(|found| found != "same"))
            .collect();
        assert!(wrong.is_empty(), "{}: not as in C: {wrong:?}", dir.display());
        assert_eq!(printed.len(), expected.len(), "the C program printed more than was asked for");
    }
}
