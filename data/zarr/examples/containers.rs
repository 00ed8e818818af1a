//! Reads and writes containers, for tests that compare this crate with other implementations of Zarr.
//!
//! Reads requests from the standard input until it ends, one in each line, and answers each by a line on the standard output.
//! Both are JSON objects. If there are bytes, too, they follow the line, and `bytes` says how many. Elements are row-major and as
//! they are stored; those without a fixed size are as the codec `vlen-bytes` has them.
//!
//! ```text
//! {"do": "create", "container", "array", "metadata"}   makes the container if there is none, and the array
//! {"do": "read", "container", "array", "by", "start", "count"}   by "engine", "chunks" or "values"
//! {"do": "measure", "container", "array", "by", "times"}   reads or writes ("by": "read" or "write") all through the engine, so often
//! {"do": "write", "container", "array", "by", "bytes"}   all elements of the array
//! {"do": "resize", "container", "array", "shape"}
//! {"do": "list", "container"}   all nodes: their documents, or why they cannot be read, and how long listing them took
//! {"do": "attribute", "container", "node", "name", "value"}
//! {"do": "remove" | "consolidate", "container", "node"}
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, BufRead, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use codecs::Work;
use engine::{Engine, Fill, Memory, Part, Request};
use pool::Pool;
use selection::{Extent, Selection};
use serde_json::{Value, json};
use zarr::{Array, ArrayMetadata, Container, GroupMetadata, Node, NodePath, Object, Options, Order, Values};

type Outcome = Result<(Value, Vec<u8>), Box<dyn Error>>;

fn main() -> Result<(), Box<dyn Error>> {
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let request: Value = serde_json::from_str(&line)?;
        let mut bytes = vec![0; usize::try_from(request["bytes"].as_u64().unwrap_or(0))?];
        input.read_exact(&mut bytes)?;
        let (mut answer, bytes) = answer(&request, &bytes)
            .unwrap_or_else(|error| (json!({"error": error.to_string()}), Vec::new()));
        answer["bytes"] = json!(bytes.len());
        writeln!(output, "{answer}")?;
        output.write_all(&bytes)?;
        output.flush()?;
        line.clear();
    }
    Ok(())
}

fn answer(request: &Value, bytes: &[u8]) -> Outcome {
    let text = |key: &str| request[key].as_str().unwrap_or_default();
    let place = Path::new(text("container"));
    let options = if matches!(text("do"), "read" | "list") { Options::READ } else { Options::WRITE };
    let options = Options { consolidated: request["consolidated"] != false, ..options };
    let path = NodePath::new(if text("node").is_empty() { text("array") } else { text("node") })?;
    if text("do") == "create" && !Container::exists(place) {
        Container::create(place, &GroupMetadata::default(), options)?;
    }
    let container = Container::open(place, options)?;
    let answer = match text("do") {
        "create" => {
            let Value::Object(document) = &request["metadata"] else { return Err("no metadata".into()) };
            let metadata = ArrayMetadata::from_document(document.clone())?;
            container.create_node(&path, &Node::Array(metadata))?;
            (json!({}), Vec::new())
        }
        "read" => read(&container.array(&path)?, request)?,
        "write" => {
            write(&container.array(&path)?, text("by"), bytes)?;
            (json!({}), Vec::new())
        }
        "measure" => {
            let times = usize::try_from(request["times"].as_u64().unwrap_or(1))?;
            (json!({"seconds": measure(&container.array(&path)?, text("by"), times)?}), Vec::new())
        }
        "resize" => {
            container.array(&path)?.resize(&numbers(&request["shape"]))?;
            (json!({}), Vec::new())
        }
        "list" => (list(&container)?, Vec::new()),
        "attribute" => {
            let mut node = container.node(&path)?;
            let attributes = match &mut node {
                Node::Group(group) => &mut group.attributes,
                Node::Array(array) => &mut array.attributes,
            };
            attributes.insert(text("name").to_owned(), request["value"].clone());
            container.write_node(&path, &node)?;
            (json!({}), Vec::new())
        }
        "remove" => {
            container.remove_node(&path)?;
            (json!({}), Vec::new())
        }
        "consolidate" => {
            container.consolidate()?;
            (json!({}), Vec::new())
        }
        other => return Err(format!("there is no {other}").into()),
    };
    container.flush()?;
    Ok(answer)
}

fn numbers(list: &Value) -> Vec<u64> {
    list.as_array().into_iter().flatten().filter_map(Value::as_u64).collect()
}

fn list(container: &Container) -> Result<Value, Box<dyn Error>> {
    let mut found = Object::new();
    let mut left = vec![NodePath::ROOT];
    found.insert(String::new(), document(&container.node(&NodePath::ROOT)?)?);
    let mut seconds = 0.0;
    while let Some(group) = left.pop() {
        let begun = Instant::now();
        let children = container.children(&group)?;
        seconds += begun.elapsed().as_secs_f64();
        for child in children {
            let path = group.child(&child.name)?;
            let described = match &child.node {
                Ok(node) => document(node)?,
                Err(error) => json!({"error": error.to_string()}),
            };
            found.insert(path.as_str().to_owned(), described);
            if matches!(child.node, Ok(Node::Group(_))) {
                left.push(path);
            }
        }
    }
    Ok(json!({"nodes": found, "seconds": seconds}))
}

/// Documents of version 2 are shown as what they would be in version 3.
fn document(node: &Node) -> Result<Value, Box<dyn Error>> {
    Ok(Value::Object(node.to_document()?))
}

fn read(array: &Array, request: &Value) -> Outcome {
    let shape = &array.metadata().shape;
    let start = if request["start"].is_null() { vec![0; shape.len()] } else { numbers(&request["start"]) };
    let count = if request["count"].is_null() { shape.clone() } else { numbers(&request["count"]) };
    let bytes = match request["by"].as_str() {
        Some("engine") => by_engine(array, &start, &count)?,
        Some("values") => values_of(array, &start, &count)?,
        _ => by_chunks(array, &start, &count)?,
    };
    let order = if array.chain().order() == Order::Big { "big" } else { "little" };
    let data_type = array.metadata().data_type.to_json();
    let partial = format!("{:?}", array.chain().partial());
    Ok((json!({"order": order, "data_type": data_type, "partial": partial, "shape": shape}), bytes))
}

fn by_engine(array: &Array, start: &[u64], count: &[u64]) -> Result<Vec<u8>, Box<dyn Error>> {
    let element = array.chain().element_bytes().ok_or("no fixed size")?;
    let mut bytes = vec![0xa5; usize::try_from(count.iter().product::<u64>())? * element];
    read_into(array, start, count, &mut bytes)?;
    Ok(bytes)
}

fn read_into(array: &Array, start: &[u64], count: &[u64], bytes: &mut [u8]) -> Result<(), Box<dyn Error>> {
    let file = Selection::tile(&Extent::new(&array.metadata().shape)?, start, count)?;
    let (source, layout) = array.layout(&file, None)?.ok_or("the engine cannot read this array")?;
    let element = array.chain().element_bytes().ok_or("no fixed size")?;
    let elements: u64 = count.iter().product();
    let mut request = Request {
        parts: vec![Part {
            source: &source,
            layout,
            element: element as u64,
            conversion: None,
            file,
            file_in_order: true,
            memory_selection: Selection::all(&Extent::new(&[elements])?),
            memory: Memory::from_slice(bytes),
            fill: Fill::Element(array.chain().fill().to_vec()),
        }],
    };
    Ok(Engine::new(Pool::global()).read(&mut request)?)
}

/// Seconds that it takes to read all of an array into memory that is there already, or to encode and store what was read.
fn measure(array: &Array, by: &str, times: usize) -> Result<Vec<f64>, Box<dyn Error>> {
    let shape = array.metadata().shape.clone();
    let start = vec![0; shape.len()];
    let mut memory = by_engine(array, &start, &shape)?;
    let mut seconds = Vec::new();
    if by == "read" {
        for _ in 0..times {
            let begun = Instant::now();
            read_into(array, &start, &shape, &mut memory)?;
            seconds.push(begun.elapsed().as_secs_f64());
        }
        return Ok(seconds);
    }
    let mut chunks = Vec::new();
    each_chunk(array, &start, &shape, |chunk| {
        let mut elements = vec![0; array.chain().chunk_bytes().ok_or("no fixed size")?];
        array.read_chunk(chunk, &mut elements, &mut Work::new())?;
        chunks.push((chunk.to_vec(), elements));
        Ok(())
    })?;
    for _ in 0..times {
        let begun = Instant::now();
        Pool::global().run(chunks.len(), usize::MAX, |number, _| {
            let (chunk, elements) = &chunks[number];
            array.write_chunk(chunk, elements, &mut Work::new())
        })?;
        seconds.push(begun.elapsed().as_secs_f64());
    }
    Ok(seconds)
}

/// Calls with each chunk that a box touches.
fn each_chunk(
    array: &Array,
    start: &[u64],
    count: &[u64],
    mut call: impl FnMut(&[u64]) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let chunk = array.chain().shape();
    if count.contains(&0) {
        return Ok(());
    }
    let first: Vec<u64> = start.iter().zip(chunk).map(|(at, length)| at / length).collect();
    let ends = start.iter().zip(count).zip(chunk);
    let last: Vec<u64> = ends.map(|((at, count), length)| (at + count - 1) / length).collect();
    let mut at = first.clone();
    loop {
        call(&at)?;
        let Some(dimension) = (0..at.len()).rev().find(|&dimension| at[dimension] < last[dimension]) else {
            return Ok(());
        };
        at[dimension] += 1;
        at[dimension + 1..].copy_from_slice(&first[dimension + 1..]);
    }
}

/// Calls with each element that a box and a chunk share: its number in the box, and its number in the chunk.
fn each_shared(
    array: &Array,
    chunk: &[u64],
    start: &[u64],
    count: &[u64],
    mut call: impl FnMut(usize, usize),
) {
    let lengths = array.chain().shape();
    let rank = lengths.len();
    let mut at = vec![0; rank];
    let elements = array.chain().elements();
    for number in 0..elements {
        let mut place = Some(0);
        for dimension in 0..rank {
            let position = chunk[dimension] * lengths[dimension] + at[dimension];
            let inside = position.checked_sub(start[dimension]).filter(|inside| *inside < count[dimension]);
            place = place.and_then(|place| Some(place * count[dimension] + inside?));
        }
        if let Some(place) = place {
            call(usize::try_from(place).unwrap_or(0), number);
        }
        for dimension in (0..rank).rev() {
            at[dimension] += 1;
            if at[dimension] < lengths[dimension] {
                break;
            }
            at[dimension] = 0;
        }
    }
}

fn by_chunks(array: &Array, start: &[u64], count: &[u64]) -> Result<Vec<u8>, Box<dyn Error>> {
    let element = array.chain().element_bytes().ok_or("no fixed size")?;
    let mut bytes = vec![0xa5; usize::try_from(count.iter().product::<u64>())? * element];
    let mut elements = vec![0; array.chain().chunk_bytes().unwrap_or(0)];
    let mut work = Work::new();
    each_chunk(array, start, count, |chunk| {
        array.read_chunk(chunk, &mut elements, &mut work)?;
        each_shared(array, chunk, start, count, |to, from| {
            bytes[to * element..][..element].copy_from_slice(&elements[from * element..][..element]);
        });
        Ok(())
    })?;
    Ok(bytes)
}

fn values_of(array: &Array, start: &[u64], count: &[u64]) -> Result<Vec<u8>, Box<dyn Error>> {
    let elements = usize::try_from(count.iter().product::<u64>())?;
    let mut all = vec![Vec::new(); elements];
    let mut work = Work::new();
    each_chunk(array, start, count, |chunk| {
        let values = array.read_values(chunk, &mut work)?;
        each_shared(array, chunk, start, count, |to, from| {
            all[to] = values.get(from).unwrap_or_default().to_vec();
        });
        Ok(())
    })?;
    let mut bytes = u32::try_from(elements)?.to_le_bytes().to_vec();
    for value in all {
        bytes.extend_from_slice(&u32::try_from(value.len())?.to_le_bytes());
        bytes.extend_from_slice(&value);
    }
    Ok(bytes)
}

fn write(array: &Array, by: &str, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    let shape = array.metadata().shape.clone();
    let start = vec![0; shape.len()];
    let mut work = Work::new();
    if by == "values" {
        let values = split_values(bytes)?;
        return each_chunk(array, &start, &shape, |chunk| {
            let mut mine = vec![array.chain().fill(); array.chain().elements()];
            each_shared(array, chunk, &start, &shape, |from, to| mine[to] = values[from]);
            Ok(array.write_values(chunk, &Values::new(mine), &mut work)?)
        });
    }
    let element = array.chain().element_bytes().ok_or("no fixed size")?;
    let mut elements = vec![0; array.chain().chunk_bytes().unwrap_or(0)];
    each_chunk(array, &start, &shape, |chunk| {
        array.chain().fill_chunk(&mut elements);
        each_shared(array, chunk, &start, &shape, |from, to| {
            elements[to * element..][..element].copy_from_slice(&bytes[from * element..][..element]);
        });
        if by == "engine" {
            return store_by_engine(array, chunk, &elements, &mut work);
        }
        Ok(array.write_chunk(chunk, &elements, &mut work)?)
    })
}

/// Encodes what the engine takes for chunks, and stores it: a chunk, or the inner chunks of a shard in two turns.
fn store_by_engine(
    array: &Array,
    chunk: &[u64],
    elements: &[u8],
    work: &mut Work,
) -> Result<(), Box<dyn Error>> {
    let engine = Engine::new(Pool::global());
    let pipeline = array.engine_pipeline().ok_or("the engine cannot write this array")?;
    // Only for errors.
    let origin = array.engine_grid()?.chunk_dims().clone();
    let Some(sharding) = array.chain().sharding() else {
        let chunks = [(Arc::new(elements.to_vec()), true, origin.clone())];
        let encoded = engine.encode(pipeline, &chunks)?;
        return Ok(array.write_stored(chunk, &encoded[0].0)?);
    };
    let element = array.chain().element_bytes().unwrap_or(1);
    let (outer, inner, grid) = (array.chain().shape(), sharding.inner().shape(), sharding.grid());
    let mut pieces = vec![Vec::new(); sharding.count()];
    let mut at = vec![0; outer.len()];
    for place in elements.chunks_exact(element) {
        let number = (0..outer.len())
            .fold(0, |number, dimension| number * grid[dimension] + at[dimension] / inner[dimension]);
        pieces[usize::try_from(number)?].extend_from_slice(place);
        for dimension in (0..outer.len()).rev() {
            at[dimension] += 1;
            if at[dimension] < outer[dimension] {
                break;
            }
            at[dimension] = 0;
        }
    }
    let chunks: Vec<_> = pieces.into_iter().map(|piece| (Arc::new(piece), true, origin.clone())).collect();
    let encoded = engine.encode(pipeline, &chunks)?;
    for turn in 0..2 {
        let mine = encoded.iter().enumerate().filter(|(number, _)| number % 2 == turn);
        let changes: BTreeMap<_, _> =
            mine.map(|(number, (stored, _))| (number, Some(stored.clone()))).collect();
        array.write_inner(chunk, &changes, work)?;
    }
    Ok(())
}

fn split_values(bytes: &[u8]) -> Result<Vec<&[u8]>, Box<dyn Error>> {
    let (count, mut rest) = bytes.split_first_chunk::<4>().ok_or("no count")?;
    let mut values = Vec::new();
    for _ in 0..u32::from_le_bytes(*count) {
        let (length, after) = rest.split_first_chunk::<4>().ok_or("no length")?;
        let (value, after) =
            after.split_at_checked(usize::try_from(u32::from_le_bytes(*length))?).ok_or("too short")?;
        values.push(value);
        rest = after;
    }
    Ok(values)
}
