//! A reader of this crate's own source: just enough to know which items it declares, with which types.
//!
//! Rust cannot be asked for the type of a field or the signature of a callback, so they are read from the
//! text and written out as C (see [`c_type`]) for the C compiler to compare.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Items by name.
#[derive(Default)]
pub struct Source {
    /// Structs and unions with public fields: names and types of the fields, in order.
    pub records: BTreeMap<String, Vec<(String, String)>>,
    /// Constants outside of enums.
    pub constants: Vec<String>,
    /// Enums and their constants.
    pub enums: BTreeMap<String, Vec<String>>,
    /// Type aliases and what they stand for.
    pub aliases: BTreeMap<String, String>,
}

impl Source {
    /// Reads everything under `src`.
    pub fn read() -> Self {
        let mut source = Self::default();
        source.read_dir(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
        source
    }

    fn read_dir(&mut self, dir: &Path) {
        for entry in fs::read_dir(dir).expect("the source of this crate") {
            let path = entry.expect("a directory entry").path();
            if path.is_dir() {
                self.read_dir(&path);
            } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("src/lib.rs") {
                self.read_text(&fs::read_to_string(&path).expect("a source file"));
            }
        }
    }

    fn read_text(&mut self, text: &str) {
        let text: String = text
            .lines()
            .map(|line| line.split("//").next().unwrap_or(""))
            .filter(|line| !line.trim_start().starts_with("#["))
            .collect::<Vec<_>>()
            .join("\n");
        for (start, _) in text.match_indices("\npub ") {
            let item = &text[start + 5..];
            let (kind, rest) = item.split_once(' ').expect("a kind of item");
            let name = word(rest);
            match kind {
                "struct" | "union" if rest[name.len()..].starts_with(" {") => {
                    let fields: Vec<_> =
                        split_top(block(rest), ',').iter().filter_map(|f| field(f)).collect();
                    if !fields.is_empty() {
                        self.records.insert(name.to_owned(), fields);
                    }
                }
                "const" => self.constants.push(name.to_owned()),
                "type" => {
                    let (_, value) = rest.split_once('=').expect("an alias");
                    let (value, _) = value.split_once(';').expect("the end of an alias");
                    self.aliases.insert(name.to_owned(), one_line(value));
                }
                "use" | "mod" => {}
                _ => panic!("unexpected item: pub {kind} {name}"),
            }
        }
        for (start, _) in text.match_indices("\nc_enum! {") {
            let body = block(&text[start..]).trim();
            let constants = split_top(block(body), ',');
            let constants = constants.iter().map(|c| word(c.trim()).to_owned()).filter(|c| !c.is_empty());
            self.enums.insert(word(body).to_owned(), constants.collect());
        }
        for (start, _) in text.match_indices("\nc_arguments! {") {
            self.read_arguments(block(&text[start..]).trim());
        }
        for (start, _) in text.match_indices("\nc_callbacks! {") {
            let body = block(&text[start..]).trim();
            let callbacks = split_top(block(body), ';').into_iter().filter_map(callback);
            self.records.insert(word(body).to_owned(), callbacks.collect());
        }
    }

    /// `name, operation, union { member: type, member: type { field: type }, }`
    fn read_arguments(&mut self, body: &str) {
        let (head, _) = body.split_once('{').expect("the members of a union");
        let [name, operation, union] = split_top(head, ',')[..] else { panic!("three names: {head}") };
        let [operation, union] = [operation, union].map(|type_| type_.trim().to_owned());
        let mut members = Vec::new();
        for (member, type_) in split_top(block(body), ',').into_iter().filter_map(pair) {
            let type_name = word(&type_).to_owned();
            if type_.contains('{') {
                let fields = split_top(block(&type_), ',').into_iter().filter_map(pair);
                self.records.insert(type_name.clone(), fields.collect());
            }
            members.push((member, type_name));
        }
        let fields = [("op_type".to_owned(), operation), ("args".to_owned(), union.clone())];
        self.records.insert(name.to_owned(), fields.into());
        self.records.insert(union, members);
    }
}

/// `pub name: type`, or nothing for a private field.
fn field(text: &str) -> Option<(String, String)> {
    pair(text.trim().strip_prefix("pub ")?)
}

/// `name: type`
fn pair(text: &str) -> Option<(String, String)> {
    let (name, type_) = text.split_once(':')?;
    Some((name.trim().to_owned(), one_line(type_)))
}

/// `fn name(arguments) -> result`, as the field that `c_callbacks!` makes of it.
fn callback(text: &str) -> Option<(String, String)> {
    let (name, signature) = text.trim().strip_prefix("fn ")?.split_once('(')?;
    Some((name.to_owned(), format!("Option<unsafe extern \"C\" fn({}>", one_line(signature))))
}

fn word(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What is between the first `{` and its `}`.
fn block(text: &str) -> &str {
    let open = text.find('{').expect("an opening brace");
    let mut depth = 0;
    for (at, c) in text[open..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[open + 1..open + at];
        }
    }
    panic!("no closing brace: {text}")
}

/// Splits at `separator`, but not inside brackets.
fn split_top(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut depth, mut from, mut previous) = (Vec::new(), 0, 0, ' ');
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if previous == '-' => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            _ if c == separator && depth == 0 => {
                parts.push(&text[from..at]);
                from = at + c.len_utf8();
            }
            _ => {}
        }
        previous = c;
    }
    parts.push(&text[from..]);
    parts
}

/// The C type that a Rust type of this crate stands for, as an abstract declarator (`void *`, `int
/// (*)(long)`).
pub fn c_type(rust: &str) -> String {
    let rust = rust.trim().trim_end_matches(',');
    if let Some(target) = rust.strip_prefix("*mut ") {
        return format!("{} *", c_type(target));
    }
    if let Some(target) = rust.strip_prefix("*const ") {
        return format!("{} const *", c_type(target));
    }
    if let Some(array) = rust.strip_prefix('[') {
        let (element, len) = array.trim_end_matches(']').split_once(';').expect("an array");
        return format!("{}[{}]", c_type(element), len.trim());
    }
    if let Some(function) = rust.strip_prefix("Option<") {
        let function = function.trim().strip_suffix('>').expect("the end of an Option").trim();
        let function = function.strip_prefix("unsafe extern \"C\" fn(").expect("a C function");
        let (arguments, result) = match function.split_once(") ->") {
            Some((arguments, result)) => (arguments, c_type(result)),
            None => (function.split_once(')').expect("a closing bracket").0, "void".to_owned()),
        };
        let arguments: Vec<_> = split_top(arguments, ',')
            .iter()
            .filter(|argument| !argument.trim().is_empty())
            .map(|argument| c_type(argument.split_once(':').expect("a named argument").1))
            .collect();
        let arguments = if arguments.is_empty() { "void".to_owned() } else { arguments.join(", ") };
        return format!("{result} (*)({arguments})");
    }
    match rust {
        "c_void" => "void",
        "c_char" => "char",
        "c_int" => "int",
        "c_uint" => "unsigned",
        "c_ulong" => "unsigned long",
        "c_double" => "double",
        "usize" => "size_t",
        "isize" => "ssize_t",
        "u8" => "uint8_t",
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        "i64" => "int64_t",
        "bool" => "bool",
        name if name.starts_with('H') || name.ends_with("_t") => name,
        other => panic!("no C type for `{other}`"),
    }
    .to_owned()
}
