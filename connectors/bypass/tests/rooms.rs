//! The folders of this crate are rooms in a fixed order, and its modules do not depend on each other in a circle.
//!
//! A module depends on another if it names a path in it, or if it calls a method that the other one gives to `Bypass`. The
//! connector itself (`lib.rs`: the struct and the list of callbacks) is what all of them are about, and does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The rooms, from the bottom up. What stands on the same line knows nothing of each other.
const ROOMS: [&[&str]; 9] = [
    &["configuration"],
    &["report"],
    &["run"],
    &["inspect"],
    &["requests"],
    &["coherency"],
    &["transfer"],
    &["read", "write"],
    &["calls"],
];

fn level(room: &str) -> usize {
    ROOMS.iter().position(|rooms| rooms.contains(&room)).unwrap_or_else(|| panic!("{room} is no room"))
}

/// The text of each module, by its path as in `inspect::chunks`. Comments are left out.
fn modules() -> BTreeMap<String, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = BTreeMap::new();
    let mut folders = vec![source.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(&source).unwrap().with_extension("");
            let name = name.to_str().unwrap().replace('/', "::");
            let code = |line: &&str| !line.trim_start().starts_with("//");
            let text = fs::read_to_string(&path).unwrap();
            let text: Vec<_> = text.lines().filter(code).collect();
            found.insert(name.trim_end_matches("::mod").to_owned(), text.join("\n"));
        }
    }
    found.remove("lib");
    found
}

/// The longest module that a path begins with.
fn module_of(path: &str, modules: &BTreeMap<String, String>) -> Option<String> {
    let mut path = path;
    loop {
        if modules.contains_key(path) {
            return Some(path.to_owned());
        }
        path = path.rsplit_once("::")?.0;
    }
}

/// Paths in this crate that a text names; braces are taken apart.
fn named_paths(text: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for (place, start) in text.match_indices("crate::") {
        if text[..place].ends_with(|before: char| before.is_alphanumeric() || before == '_') {
            continue;
        }
        let rest = &text[place + start.len()..];
        let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let end = rest.find(|c| !is_path(c)).unwrap_or(rest.len());
        let path = rest[..end].trim_end_matches(':');
        match rest[end..].strip_prefix('{') {
            Some(list) => {
                let list = list.split('}').next().unwrap_or_default();
                let full = |item: &str| format!("{path}::{}", item.trim()).trim_start_matches(':').to_owned();
                paths.extend(list.split(',').map(full));
            }
            None => paths.push(path.to_owned()),
        }
    }
    paths
}

/// The methods that a module gives to `Bypass`.
fn methods_of_connector(text: &str) -> Vec<String> {
    let blocks = text.split("\nimpl Bypass {\n").skip(1);
    let functions = blocks.flat_map(|block| {
        let block = block.split("\n}").next().unwrap_or_default();
        block.split("    pub(").skip(1).filter_map(|item| {
            let name = item.split_once("fn ")?.1;
            Some(name[..name.find(['(', '<'])?].to_owned())
        })
    });
    functions.collect()
}

/// Which modules each module depends on.
fn dependencies(modules: &BTreeMap<String, String>) -> BTreeMap<String, BTreeSet<String>> {
    let methods: Vec<_> = modules
        .iter()
        .flat_map(|(module, text)| methods_of_connector(text).into_iter().map(move |name| (name, module)))
        .collect();
    assert!(methods.len() > 20, "methods are not found any more");
    let of = |module: &String, text: &String| {
        let calls = |name: &str| {
            ["self.", "connector."].iter().any(|object| text.contains(&format!("{object}{name}(")))
        };
        let called = methods.iter().filter(|(name, _)| calls(name)).map(|(_, owner)| (*owner).clone());
        let named = named_paths(text).into_iter().filter_map(|path| module_of(&path, modules));
        let children = text.lines().filter_map(|line| {
            let path = line.strip_prefix("use ")?;
            let name = path.split("::").next()?;
            assert_ne!(name, "super", "{module}: the test does not follow `super`");
            modules.contains_key(&format!("{module}::{name}")).then(|| format!("{module}::{name}"))
        });
        called.chain(named).chain(children).filter(|other| other != module).collect()
    };
    modules.iter().map(|(module, text)| (module.clone(), of(module, text))).collect()
}

#[test]
fn no_module_depends_on_itself() {
    let all = dependencies(&modules());
    // What depends on nothing that is left is taken away, until nothing changes.
    let mut left: BTreeMap<_, _> = all.clone();
    loop {
        let free: Vec<_> = left
            .iter()
            .filter(|(_, others)| others.iter().all(|other| !left.contains_key(other)))
            .map(|(module, _)| module.clone())
            .collect();
        if free.is_empty() {
            break;
        }
        left.retain(|module, _| !free.contains(module));
    }
    let names: BTreeSet<_> = left.keys().cloned().collect();
    let circle: Vec<_> = left
        .iter()
        .map(|(module, others)| format!("{module} -> {:?}", others.intersection(&names).collect::<Vec<_>>()))
        .collect();
    assert!(circle.is_empty(), "these depend on each other in a circle:\n{}", circle.join("\n"));
}

#[test]
fn rooms_depend_on_those_below_them() {
    for (module, others) in dependencies(&modules()) {
        let room = module.split("::").next().unwrap();
        for other in others {
            let other_room = other.split("::").next().unwrap();
            assert!(
                other_room == room || level(other_room) < level(room),
                "{module} depends on {other}: {room} is not above {other_room}"
            );
        }
    }
}

#[test]
fn what_the_test_looks_for_it_finds() {
    let text = "use crate::inspect::chunks::{Chunks, Manner};\nuse crate::{Bypass, report};\nsubcrate::x";
    let expected = ["inspect::chunks::Chunks", "inspect::chunks::Manner", "Bypass", "report"];
    assert_eq!(named_paths(text), expected);
    let text = "\nimpl Bypass {\n    pub(crate) fn one(&self) {}\n    fn two() {}\n    pub(super) fn three<M>() {}\n}\n";
    assert_eq!(methods_of_connector(text), ["one", "three"]);
    let all = dependencies(&modules());
    // By a path, as a child, and by a method.
    assert!(all["read"].contains("run::engine"));
    assert!(all["read"].contains("read::draft"));
    assert!(all["coherency::hand_over"].contains("coherency::write_back"));
}
