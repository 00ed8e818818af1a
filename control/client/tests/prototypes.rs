//! Compares the functions that the client declares with the C headers of HDF5, as the C compiler sees them.
//!
//! The list in `src/functions.rs` is read as text and written out as C types. Two files of `h5-abi`'s own test do that:
//! it compares the types that the prototypes are made of.

#![expect(unreachable_pub, reason = "the modules of a test have no other user")]

#[path = "../../h5-abi/tests/support/compiler.rs"]
mod compiler;
#[path = "../../h5-abi/tests/support/source.rs"]
#[expect(dead_code, reason = "the test of `h5-abi` uses the rest")]
mod source;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use compiler::{header_dirs, major, run};
use source::c_type;

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
#include \"H5VLconnector.h\"
#include \"H5VLconnector_passthru.h\"
#define SAME(name, a, b) printf(name \"=%s\\n\", __builtin_types_compatible_p(a, b) ? \"same\" : \"differs\")
int main(void) {
";

/// Whether the headers of this major version declare the function. 2.0 gave `H5Dread_chunk` the room there is, under
/// another name, and made the old name a macro; complex numbers came with it.
fn is_declared(function: &str, major: u32) -> bool {
    match function {
        "H5Dread_chunk" => major < 2,
        "H5Dread_chunk2" | "H5Tcomplex_create" => major >= 2,
        _ => true,
    }
}

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
    let (_, list) = text.split_once("IDENTIFIERS: &[&str] = &[\n").expect("the beginning of the list");
    let (list, _) = list.split_once("];").expect("the end of the list");
    list.split(',')
        .map(|name| name.trim().trim_matches('"').to_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

#[test]
fn prototypes_are_those_of_the_headers() {
    let (functions, variables) = (declared(), variables());
    assert!(functions.len() > 150 && variables.len() > 30, "the lists are read");
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
