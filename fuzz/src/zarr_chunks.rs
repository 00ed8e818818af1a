//! Chunks of Zarr. The first byte of an input says what codecs the array has, the rest is the chunk.

use codecs::Work;
use serde_json::{Value, json};
use zarr::{ArrayMetadata, BytesSpelling, Chain, DataType};

use crate::Outcome;

/// Each in shards, and with and without checksum around the index.
fn chains() -> Vec<Value> {
    let bytes = json!({"name": "bytes", "configuration": {"endian": "little"}});
    let crc = json!({"name": "crc32c"});
    let shards = |codecs: Value, index: Value, location: &str| {
        json!([{"name": "sharding_indexed", "configuration": {"chunk_shape": [4, 6], "codecs": codecs,
            "index_codecs": index, "index_location": location}}])
    };
    let transpose = json!({"name": "transpose", "configuration": {"order": [1, 0]}});
    vec![
        json!([bytes]),
        json!([bytes, {"name": "gzip", "configuration": {"level": 5}}]),
        json!([bytes, crc]),
        json!([transpose, bytes]),
        json!([bytes, {"name": "numcodecs.lz4"}]),
        json!([bytes, {"name": "blosc", "configuration": {"cname": "lz4", "shuffle": "shuffle", "typesize": 2}}]),
        shards(json!([bytes]), json!([bytes]), "end"),
        shards(json!([bytes, {"name": "gzip"}]), json!([bytes]), "start"),
        shards(json!([transpose, bytes, crc]), json!([bytes, crc]), "end"),
        shards(shards(json!([bytes]), json!([bytes]), "end"), json!([bytes]), "end"),
    ]
}

fn chain(codecs: &Value, data_type: DataType) -> Chain {
    let mut array = ArrayMetadata::new(&[8, 12], data_type, &[8, 12]);
    array.codecs.clone_from(codecs.as_array().expect("a list"));
    Chain::new(&array).expect("valid codecs")
}

pub(crate) fn run(bytes: &[u8]) -> Outcome {
    let Some((&number, stored)) = bytes.split_first() else { return Outcome::Unsupported };
    let chains = chains();
    let chain = chain(&chains[usize::from(number) % chains.len()], DataType::Int(2));
    let (mut output, mut again) = (vec![0; 192], vec![0xff; 192]);
    let decoded = chain.decode(stored, &mut output, &mut Work::new());
    if chain.decode(stored, &mut again, &mut Work::new()).is_err() || decoded.is_err() {
        return Outcome::Refused;
    }
    assert_eq!(output, again, "depends on what was in the output");
    let mut encoded = Vec::new();
    if chain.encode(&output, &mut encoded, &mut Work::new()).expect("elements can be encoded") {
        chain.decode(&encoded, &mut again, &mut Work::new()).expect("what was encoded can be decoded");
        assert_eq!(output, again);
    }
    Outcome::Done
}

pub(crate) fn run_values(bytes: &[u8]) -> Outcome {
    let Some((&number, stored)) = bytes.split_first() else { return Outcome::Unsupported };
    let text = number & 1 == 0;
    let codec = json!({"name": if text { "vlen-utf8" } else { "vlen-bytes" }});
    let index = json!([{"name": "bytes", "configuration": {"endian": "little"}}]);
    let codecs = match number >> 1 & 3 {
        0 => json!([codec]),
        1 => json!([codec, {"name": "crc32c"}]),
        2 => json!([{"name": "transpose", "configuration": {"order": [1, 0]}}, codec]),
        _ => json!([{"name": "sharding_indexed", "configuration": {"chunk_shape": [4, 6], "codecs": [codec],
            "index_codecs": index}}]),
    };
    let chain = chain(&codecs, if text { DataType::String } else { DataType::Bytes(BytesSpelling::Bytes) });
    let Ok(values) = chain.decode_values(stored, &mut Work::new()) else { return Outcome::Refused };
    assert_eq!(values.len(), 96);
    let mut encoded = Vec::new();
    if chain.encode_values(&values, &mut encoded, &mut Work::new()).expect("values can be encoded") {
        let again = chain.decode_values(&encoded, &mut Work::new()).expect("what was encoded can be decoded");
        assert!(again.iter().eq(values.iter()));
    }
    Outcome::Done
}
