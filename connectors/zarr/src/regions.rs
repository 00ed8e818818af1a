//! Parts of datasets in words: regions that references lead to, and where the elements of virtual and external datasets are.

use h5_shadow::spec::{Elsewhere, ExternalSpec, RegionSpec, SelectionSpec, SourceSpec, SpaceSpec};
use serde_json::{Value, json};

use crate::attributes::{space_from_json, space_to_json};

/// Without limit, as HDF5 has it.
const UNLIMITED: u64 = u64::MAX;

/// Numbers, of which the largest means without limit.
fn numbers(list: &[u64]) -> Value {
    list.iter().map(|number| if *number == UNLIMITED { Value::Null } else { json!(number) }).collect()
}

fn from_numbers(words: &Value) -> Option<Vec<u64>> {
    let number = |word: &Value| match word {
        Value::Null => Some(UNLIMITED),
        word => word.as_u64(),
    };
    words.as_array()?.iter().map(number).collect()
}

/// A part of an extent.
pub(crate) fn to_words(region: &RegionSpec) -> Value {
    let mut words = json!({"space": space_to_json(&region.space)});
    if let SpaceSpec::Simple { dims, maximum } = &region.space
        && !dims.iter().zip(maximum).all(|(size, most)| Some(*size) == *most)
    {
        words["maximum"] = json!(maximum);
    }
    words["select"] = match &region.selection {
        SelectionSpec::All => json!("all"),
        SelectionSpec::None => json!("none"),
        SelectionSpec::Regular { start, stride, count, block } => json!({
            "start": numbers(start), "stride": numbers(stride), "count": numbers(count), "block": numbers(block),
        }),
        SelectionSpec::Blocks(corners) => json!({"blocks": numbers(corners)}),
        SelectionSpec::Points(points) => json!({"points": numbers(points)}),
    };
    words
}

/// The same again; `None` if the words make no sense. Whether it lies within its extent is the shadow's to see.
pub(crate) fn from_words(words: &Value) -> Option<RegionSpec> {
    let mut space = space_from_json(&words["space"])?;
    if let (SpaceSpec::Simple { dims, maximum }, Some(list)) = (&mut space, words["maximum"].as_array()) {
        let most = |word: &Value| if word.is_null() { Some(None) } else { word.as_u64().map(Some) };
        let told: Vec<Option<u64>> = list.iter().map(most).collect::<Option<_>>()?;
        if told.len() != dims.len() {
            return None;
        }
        *maximum = told;
    }
    let select = &words["select"];
    let selection = match select {
        Value::String(word) if word == "all" => SelectionSpec::All,
        Value::String(word) if word == "none" => SelectionSpec::None,
        _ if select["blocks"].is_array() => SelectionSpec::Blocks(from_numbers(&select["blocks"])?),
        _ if select["points"].is_array() => SelectionSpec::Points(from_numbers(&select["points"])?),
        _ => SelectionSpec::Regular {
            start: from_numbers(&select["start"])?,
            stride: from_numbers(&select["stride"])?,
            count: from_numbers(&select["count"])?,
            block: from_numbers(&select["block"])?,
        },
    };
    Some(RegionSpec { space, selection })
}

/// Where the elements of a dataset are.
pub(crate) fn elsewhere_to_words(elsewhere: &Elsewhere) -> Value {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let source = |source: &SourceSpec| {
        json!({
            "file": text(&source.file), "dataset": text(&source.dataset), "source": to_words(&source.source),
            "mapped": to_words(&source.mapped),
        })
    };
    let external = |part: &ExternalSpec| {
        let size = (part.size != UNLIMITED).then_some(part.size);
        json!({"file": text(&part.file), "offset": part.offset, "size": size})
    };
    json!({
        "sources": elsewhere.sources.iter().map(source).collect::<Vec<_>>(),
        "external": elsewhere.external.iter().map(external).collect::<Vec<_>>(),
    })
}

/// The same again; `None` if the words make no sense.
pub(crate) fn elsewhere_from_words(words: &Value) -> Option<Elsewhere> {
    let bytes = |word: &Value| word.as_str().map(|text| text.as_bytes().to_vec());
    let source = |words: &Value| {
        Some(SourceSpec {
            file: bytes(&words["file"])?,
            dataset: bytes(&words["dataset"])?,
            source: from_words(&words["source"])?,
            mapped: from_words(&words["mapped"])?,
        })
    };
    let external = |words: &Value| {
        let size = if words["size"].is_null() { Some(UNLIMITED) } else { words["size"].as_u64() };
        let offset = words["offset"].as_i64().filter(|offset| *offset >= 0)?;
        Some(ExternalSpec { file: bytes(&words["file"])?, offset, size: size? })
    };
    Some(Elsewhere {
        sources: words["sources"].as_array()?.iter().map(source).collect::<Option<_>>()?,
        external: words["external"].as_array()?.iter().map(external).collect::<Option<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_everything() {
        let space = SpaceSpec::Simple { dims: vec![4, 6], maximum: vec![Some(4), None] };
        let slab = SelectionSpec::Regular {
            start: vec![0, 1],
            stride: vec![1, 2],
            count: vec![1, UNLIMITED],
            block: vec![4, 1],
        };
        let selections = [
            slab,
            SelectionSpec::All,
            SelectionSpec::Points(vec![1, 2]),
            SelectionSpec::Blocks(vec![0, 0, 1, 1]),
        ];
        for selection in selections {
            let region = RegionSpec { space: space.clone(), selection };
            assert_eq!(from_words(&to_words(&region)), Some(region.clone()));
            let external = ExternalSpec { file: b"raw".to_vec(), offset: 5, size: UNLIMITED };
            let source = SourceSpec {
                file: b".".to_vec(),
                dataset: b"d".to_vec(),
                source: region.clone(),
                mapped: region,
            };
            let elsewhere = Elsewhere { sources: vec![source], external: vec![external] };
            assert_eq!(elsewhere_from_words(&elsewhere_to_words(&elsewhere)), Some(elsewhere));
        }
        assert_eq!(from_words(&json!({"space": [4], "select": {"start": [0]}})), None);
    }
}
