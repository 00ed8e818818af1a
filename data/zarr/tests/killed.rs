//! A process that writes is killed at random moments: each document and each chunk is as it was before a change or after it, and
//! what a call has written is there.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use codecs::Work;
use serde_json::json;
use zarr::{ArrayMetadata, Container, DataType, GroupMetadata, Node, NodePath, Options};

/// How often.
const TIMES: usize = 200;

/// Where the process that is killed writes.
const PLACE: &str = "ZARR_TEST_KILLED";

const CHUNKS: u64 = 4;
const ELEMENTS: usize = 4096;

/// The arrays: compressed, in shards, and as they are.
fn arrays() -> Vec<(NodePath, ArrayMetadata)> {
    let array = |name: &str, codecs: serde_json::Value| {
        let length = CHUNKS * ELEMENTS as u64;
        let mut metadata = ArrayMetadata::new(&[length], DataType::UInt(8), &[ELEMENTS as u64]);
        metadata.codecs.clone_from(codecs.as_array().expect("a list"));
        (NodePath::new(name).expect("a name"), metadata)
    };
    let bytes = json!({"name": "bytes", "configuration": {"endian": "little"}});
    let crc = json!({"name": "crc32c"});
    let shards = json!([{"name": "sharding_indexed", "configuration": {"chunk_shape": [ELEMENTS / 8],
        "codecs": [bytes, {"name": "zstd"}], "index_codecs": [bytes, crc]}}]);
    vec![
        array("compressed", json!([bytes, {"name": "gzip", "configuration": {"level": 1}}])),
        array("sharded", shards),
        array("group/plain", json!([bytes])),
    ]
}

fn make(place: &Path) -> Container {
    let container = Container::create(place, &GroupMetadata::default(), Options::WRITE).expect("a container");
    container
        .create_node(&NodePath::new("group").expect("a name"), &Node::Group(GroupMetadata::default()))
        .expect("a group");
    for (path, metadata) in arrays() {
        container.create_node(&path, &Node::Array(metadata)).expect("an array");
    }
    container.consolidate().expect("consolidated");
    container
}

/// Not a test: the process that is killed. It writes versions, and tells after each call which one was written.
#[test]
#[ignore = "is started by the other test"]
fn writer() {
    let Some(place) = env::var_os(PLACE) else { return };
    let container = Container::open(Path::new(&place), Options::WRITE).expect("a container");
    let first: u64 = newest(&container) + 1;
    let mut work = Work::new();
    let mut output = std::io::stdout();
    for version in first.. {
        for (path, _) in arrays() {
            let array = container.array(&path).expect("an array");
            let elements = version.to_le_bytes().repeat(ELEMENTS);
            for chunk in 0..CHUNKS {
                array.write_chunk(&[chunk], &elements, &mut work).expect("written");
                writeln!(output, "written {path} {chunk} {version}").expect("told");
            }
            let mut node = container.node(&path).expect("a node");
            if let Node::Array(metadata) = &mut node {
                metadata.attributes.insert("version".into(), json!(version));
                metadata.attributes.insert("long".into(), json!("x".repeat(20_000)));
            }
            container.write_node(&path, &node).expect("written");
            writeln!(output, "document {path} 0 {version}").expect("told");
        }
        container.flush().expect("flushed");
    }
}

/// The highest version of all.
fn newest(container: &Container) -> u64 {
    let mut newest = 0;
    let mut work = Work::new();
    for (path, _) in arrays() {
        let array = container.array(&path).expect("an array");
        for chunk in 0..CHUNKS {
            let mut elements = vec![0; 8 * ELEMENTS];
            array.read_chunk(&[chunk], &mut elements, &mut work).expect("read");
            let (versions, _) = elements.as_chunks::<8>();
            assert!(
                versions.iter().all(|version| *version == versions[0]),
                "{path} {chunk} is half old and half new"
            );
            newest = newest.max(u64::from_le_bytes(versions[0]));
        }
    }
    newest
}

#[test]
fn everything_is_old_or_new() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("killed.zarr");
    make(&place);
    let mut random = fastrand::Rng::with_seed(7);
    let (mut killed_between, mut left_behind) = (0, 0);
    for time in 0..TIMES {
        let mut process = Command::new(env::current_exe().expect("this program"))
            .args(["writer", "--exact", "--ignored", "--nocapture", "--quiet"])
            .env(PLACE, &place)
            .stdout(Stdio::piped())
            .spawn()
            .expect("started");
        let mut lines = BufReader::new(process.stdout.take().expect("its output")).lines();
        // Not before it has begun.
        let begun = lines.by_ref().map_while(Result::ok).find(|line| line.starts_with("written"));
        assert!(begun.is_some(), "the process did not write");
        thread::sleep(Duration::from_micros(random.u64(0..8000)));
        process.kill().expect("killed");
        process.wait().expect("ended");
        let told: Vec<String> = begun.into_iter().chain(lines.map_while(Result::ok)).collect();

        let container = Container::open(&place, Options::WRITE).expect("opens");
        newest(&container);
        let mut work = Work::new();
        for line in told.iter().filter(|line| line.starts_with("written ") || line.starts_with("document ")) {
            let words: Vec<&str> = line.split(' ').collect();
            // The last line may be cut off.
            let [kind, path, chunk, version] = words[..] else { continue };
            let Ok(version) = version.parse::<u64>() else { continue };
            let path = NodePath::new(path).expect("a path");
            let found = if kind == "document" {
                container.node(&path).expect("a node").attributes()["version"].as_u64().expect("a version")
            } else {
                let mut elements = vec![0; 8 * ELEMENTS];
                let chunk = [chunk.parse().expect("a number")];
                container
                    .array(&path)
                    .expect("an array")
                    .read_chunk(&chunk, &mut elements, &mut work)
                    .expect("read");
                u64::from_le_bytes(*elements.first_chunk().expect("elements"))
            };
            assert!(
                found >= version || !line.ends_with(&version.to_string()),
                "time {time}: {line}, but {found} is there"
            );
        }
        // What consolidated metadata says is what the documents say.
        let apart = Options { consolidated: false, ..Options::READ };
        let apart = Container::open(&place, apart).expect("opens");
        for (path, _) in arrays() {
            assert_eq!(container.node(&path).expect("a node"), apart.node(&path).expect("a node"));
        }
        killed_between += usize::from(told.len() > 1);
        left_behind += temporaries(&place);
        container.clean().expect("cleaned");
        assert_eq!(temporaries(&place), 0);
        // Killed between a change and the next flush, there is none any more.
        container.consolidate().expect("consolidated");
    }
    println!(
        "killed {TIMES} times, {killed_between} times after the first chunk, {left_behind} files left behind"
    );
    assert!(killed_between > TIMES / 2);
}

/// How many temporary files there are.
fn temporaries(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries
        .map(|path| {
            if path.is_dir() {
                temporaries(&path)
            } else {
                usize::from(path.to_string_lossy().ends_with('~'))
            }
        })
        .sum()
}
