//! A C program that prints what the C compiler makes of the headers.

use std::collections::BTreeMap;
use std::path::Path;

use super::compiler::{major, run};
use super::declared::{Layout, constants, enums, layouts, strings};
use super::source::{Source, c_type};

/// The headers that the crate mirrors (`hdf5.h` wants those of all file drivers too). The native connector's
/// is last, with the MPI operations that only parallel builds declare. The lines after it make
/// `H5F_ACC_RDONLY` and the like constants in 1.x: there they also call into the library, which is not
/// linked.
const PRELUDE: &str = "\
#include <stdio.h>
#include <time.h>
#include \"H5public.h\"
#include \"H5Dpublic.h\"
#include \"H5Epublic.h\"
#include \"H5Gpublic.h\"
#include \"H5PLpublic.h\"
#include \"H5Ppublic.h\"
#include \"H5Spublic.h\"
#include \"H5Tdevelop.h\"
#include \"H5Zdevelop.h\"
#include \"H5VLconnector.h\"
#define H5_HAVE_PARALLEL 1
#include \"H5VLnative.h\"
#undef H5OPEN
#define H5OPEN
#undef H5CHECK
#define H5CHECK
#define VALUE(name, x) printf((x) < 0 ? \"const \" name \"=%lld\\n\" : \"const \" name \"=%llu\\n\", (long long)(x))
#define SAME(name, a, b) printf(\"type \" name \"=%s\\n\", __builtin_types_compatible_p(a, b) ? \"same\" : \"differs\")
";

/// Enum constants that 1.x does not have.
const SINCE_2: [&str; 2] = ["H5T_COMPLEX", "H5F_LIBVER_V200"];

/// What the program is to print, and where its lines are not about every version, for which.
struct Probe {
    c: String,
    expected: BTreeMap<String, String>,
    major: u32,
}

impl Probe {
    fn expect(&mut self, key: &str, value: &impl ToString) {
        let before = self.expected.insert(key.to_owned(), value.to_string());
        assert!(before.is_none(), "{key} is listed twice");
    }

    fn line(&mut self, text: &str) {
        self.c.push_str(text);
        self.c.push('\n');
    }

    fn layout(&mut self, layout: &Layout, types: &[(String, String)]) {
        let name = layout.name;
        self.line(&format!(
            r#"printf("size {name}=%zu\nalign {name}=%zu\n", sizeof({name}), _Alignof({name}));"#
        ));
        self.expect(&format!("size {name}"), &layout.size);
        self.expect(&format!("align {name}"), &layout.align);
        for field in &layout.fields {
            let rust = field.name;
            if !in_version(rust, name, self.major) {
                continue;
            }
            let key = format!("{name}.{rust}");
            let c = c_field(rust);
            self.line(&format!(
                r#"printf("offset {key}=%zu\nsize {key}=%zu\n", offsetof({name}, {c}), sizeof((({name} *)0)->{c}));"#
            ));
            self.expect(&format!("offset {key}"), &field.offset);
            self.expect(&format!("size {key}"), &field.size);
            let rust_type = &types.iter().find(|(field, _)| field == rust).expect("a field in the source").1;
            self.line(&format!(r#"SAME("{key}", __typeof__((({name} *)0)->{c}), {});"#, c_type(rust_type)));
            self.expect(&format!("type {key}"), &"same");
        }
    }

    fn constant(&mut self, name: &str, expression: &str, value: &str) {
        self.line(&format!(r#"VALUE("{name}", {expression});"#));
        self.expect(&format!("const {name}"), &value);
    }
}

/// The name of a field in C.
fn c_field(rust: &str) -> &str {
    match rust {
        "chunk_read_v1" => "chunk_read",
        "chunk_write_v1" => "chunk_write",
        _ if rust.starts_with('_') => rust,
        _ => rust.trim_end_matches('_'),
    }
}

/// Whether a struct of the native connector, or a field of their union, is that of this major version: the
/// two that changed in 2.0 are declared twice.
fn in_version(item: &str, owner: &str, major: u32) -> bool {
    let of_1 = item.ends_with("_v1") || item.ends_with("_v1_t");
    let changed = of_1
        || matches!(item, "H5VL_native_dataset_chunk_read_t" | "H5VL_native_dataset_chunk_write_t")
        || (owner == "H5VL_native_dataset_optional_args_t" && matches!(item, "chunk_read" | "chunk_write"));
    !changed || of_1 == (major < 2)
}

/// Compiles and runs the program against the headers in `dir`, and returns what differs, one line each.
pub fn compare(dir: &Path) -> Vec<String> {
    let source = Source::read();
    let mut probe = Probe { c: PRELUDE.to_owned(), expected: BTreeMap::new(), major: major(dir) };

    let layouts: Vec<_> = layouts().into_iter().filter(|l| in_version(l.name, "", probe.major)).collect();
    for layout in &layouts {
        let name = layout.name;
        if let Some((parent, steps)) = layout.anonymous_in {
            let steps: Vec<_> = steps.iter().map(|step| c_field(step)).collect();
            probe.line(&format!("typedef __typeof__((({parent} *)0)->{}) {name};", steps.join(".")));
        } else if let Some(c) = name.strip_suffix("_v1_t") {
            probe.line(&format!("typedef {c}_t {name};"));
        }
    }
    probe.line("int main(void) {");
    for layout in &layouts {
        probe.layout(layout, &source.records[layout.name]);
    }
    for (name, constants) in enums() {
        probe.line(&format!(r#"printf("size {name}=%zu\n", sizeof({name}));"#));
        probe.expect(&format!("size {name}"), &size_of::<std::ffi::c_int>());
        for (constant, value) in constants {
            if probe.major >= 2 || !SINCE_2.contains(&constant) {
                probe.constant(constant, constant, &value);
            }
        }
    }
    for (constant, value) in constants() {
        // Not the macro, see the documentation of the constant.
        let all = "H5O_INFO_BASIC | H5O_INFO_TIME | H5O_INFO_NUM_ATTRS";
        probe.constant(constant, if constant == "H5O_INFO_ALL" { all } else { constant }, &value);
    }
    for (constant, value) in strings() {
        probe.line(&format!(r#"printf("const {constant}=%s\n", {constant});"#));
        probe.expect(&format!("const {constant}"), &value);
    }
    for (alias, target) in &source.aliases {
        if alias == "time_t" {
            // `long` or `long long`, whichever has 64 bits.
            probe.line(r#"printf("size time_t=%zu\n", sizeof(time_t));"#);
            probe.expect("size time_t", &size_of::<h5_abi::time_t>());
        } else {
            probe.line(&format!(r#"SAME("{alias}", {alias}, {});"#, c_type(target)));
            probe.expect(&format!("type {alias}"), &"same");
        }
    }
    probe.line("return 0;\n}");

    let printed = run(dir, "layout", &probe.c);
    let mut differences = Vec::new();
    for (key, rust) in &probe.expected {
        let c = printed.get(key.as_str()).map_or("nothing", String::as_str);
        if c != rust {
            differences.push(match key.strip_prefix("type ") {
                Some(name) => format!("{name}: not the type that C has"),
                None => format!("{key}: {c} in C, {rust} in Rust"),
            });
        }
    }
    assert_eq!(printed.len(), probe.expected.len(), "the C program printed more than was asked for");
    differences
}
