//! Documents that are made up: what is read from what was written is the same, and what did not change stays as it is.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use zarr::{
    ArrayMetadata, ChunkKeys, DataType, Field, FillValue, GroupMetadata, Node, Object, Separator,
    StructSpelling,
};

fn simple_type() -> impl Strategy<Value = DataType> {
    let width = prop::sample::select(vec![1_u8, 2, 4, 8]);
    prop_oneof![
        Just(DataType::Bool),
        width.clone().prop_map(DataType::Int),
        width.prop_map(DataType::UInt),
        prop::sample::select(vec![2_u8, 4, 8]).prop_map(DataType::Float),
        Just(DataType::BFloat16),
        prop::sample::select(vec![8_u8, 16]).prop_map(DataType::Complex),
        (1..20_u64).prop_map(DataType::Raw),
        (1..20_u64).prop_map(DataType::RawBytes),
        (any::<bool>(), 1..9_u64).prop_map(|(is_delta, scale)| DataType::Time {
            is_delta,
            unit: "ms".into(),
            scale
        }),
    ]
}

fn data_type() -> impl Strategy<Value = DataType> {
    simple_type().prop_recursive(3, 12, 4, |inner| {
        let spelling = prop::sample::select(vec![StructSpelling::Struct, StructSpelling::Structured]);
        (prop::collection::vec(inner, 1..4), spelling).prop_map(|(types, spelling)| {
            let field = |(number, data_type)| Field { name: format!("f{number}"), data_type };
            DataType::Struct { fields: types.into_iter().enumerate().map(field).collect(), spelling }
        })
    })
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        prop::num::f64::NORMAL.prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((".{0,5}", inner), 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn object() -> impl Strategy<Value = Object> {
    prop::collection::vec((".{0,6}", json_value()), 0..5).prop_map(|entries| entries.into_iter().collect())
}

fn array() -> impl Strategy<Value = ArrayMetadata> {
    let axis = (0..1000_u64, 1..50_u64, prop::option::of(prop::option::of("[a-z]{1,4}")));
    let keys = (any::<bool>(), any::<bool>());
    (prop::collection::vec(axis, 0..4), data_type(), prop::collection::vec(any::<u8>(), 200), object(), keys)
        .prop_map(|(axes, data_type, noise, attributes, (default, slash))| {
            let shape: Vec<u64> = axes.iter().map(|axis| axis.0).collect();
            let chunk: Vec<u64> = axes.iter().map(|axis| axis.1).collect();
            let mut array = ArrayMetadata::new(&shape, data_type, &chunk);
            let size = usize::try_from(array.data_type.size().unwrap_or(0)).unwrap_or(0);
            let mut fill: Vec<u8> = noise.into_iter().cycle().take(size).collect();
            if array.data_type == DataType::Bool {
                fill[0] &= 1;
            }
            array.fill_value = FillValue::Bytes(fill);
            let separator = if slash { Separator::Slash } else { Separator::Period };
            array.chunk_keys = if default { ChunkKeys::Default(separator) } else { ChunkKeys::V2(separator) };
            array.attributes = attributes;
            if axes.first().is_some_and(|axis| axis.2.is_some()) {
                array.dimension_names = Some(axes.iter().map(|axis| axis.2.clone().flatten()).collect());
            }
            array.extensions.insert("h5".into(), json!({"must_understand": false, "anything": [1, 2]}));
            array
        })
}

/// A structure of booleans may have been given bytes that are neither 0 nor 1.
fn has_bool(data_type: &DataType) -> bool {
    match data_type {
        DataType::Bool => true,
        DataType::Struct { fields, .. } => fields.iter().any(|field| has_bool(&field.data_type)),
        _ => false,
    }
}

fn read(document: &Object) -> ArrayMetadata {
    let text = serde_json::to_vec(document).expect("printed");
    match Node::from_document(zarr::parse_document(&text).expect("JSON")).expect("valid") {
        Node::Array(array) => array,
        Node::Group(_) => panic!("an array"),
    }
}

proptest! {
    #[test]
    fn arrays_come_back(array in array()) {
        prop_assume!(!has_bool(&array.data_type) || array.data_type == DataType::Bool);
        let document = array.to_document().expect("can be written");
        let again = read(&document);
        prop_assert_eq!(&again.shape, &array.shape);
        prop_assert_eq!(&again.data_type, &array.data_type);
        prop_assert_eq!(&again.chunk_shape, &array.chunk_shape);
        prop_assert_eq!(again.chunk_keys, array.chunk_keys);
        prop_assert_eq!(&again.fill_value, &array.fill_value);
        prop_assert_eq!(&again.dimension_names, &array.dimension_names);
        prop_assert_eq!(&again.attributes, &array.attributes);
        prop_assert!(again.attributes.keys().eq(array.attributes.keys()), "the order of attributes");
        prop_assert_eq!(&again.extensions, &array.extensions);
        // Unchanged, down to the order of keys.
        let written = again.to_document().expect("can be written");
        prop_assert_eq!(serde_json::to_string(&written).ok(), serde_json::to_string(&document).ok());
    }

    #[test]
    fn what_did_not_change_stays_as_it_was_spelled(shape in prop::collection::vec(1..100_u64, 2), extra in json_value()) {
        // Spellings that are not the ones that we would choose, and keys in an order that is not ours.
        let document = json!({
            "later": {"must_understand": false, "x": extra},
            "codecs": [{"configuration": {"endian": "little"}, "name": "bytes", "comment": 1}],
            "fill_value": "0x7ff8000000000000",
            "data_type": {"name": "float64", "configuration": {}},
            "chunk_key_encoding": "default",
            "chunk_grid": {"configuration": {"chunk_shape": [2, 2]}, "name": "regular"},
            "shape": [10, 10], "node_type": "array", "zarr_format": 3,
        });
        let Value::Object(document) = document else { panic!("an object") };
        let mut array = read(&document);
        array.shape = shape.clone();
        let mut expected = document.clone();
        expected["shape"] = json!(shape);
        let written = array.to_document().expect("can be written");
        prop_assert_eq!(serde_json::to_string(&written).ok(), serde_json::to_string(&expected).ok());
    }

    #[test]
    fn groups_come_back(attributes in object()) {
        let group = GroupMetadata::new(attributes);
        let document = group.to_document();
        let text = serde_json::to_vec(&document).expect("printed");
        let again = Node::from_document(zarr::parse_document(&text).expect("JSON")).expect("valid");
        prop_assert_eq!(again.attributes(), &group.attributes);
        prop_assert!(again.attributes().keys().eq(group.attributes.keys()));
    }
}

#[test]
fn what_must_be_understood_is_refused() {
    let array = ArrayMetadata::new(&[4], DataType::Int(4), &[2]).to_document().unwrap();
    let with = |key: &str, value: Value| {
        let mut document = array.clone();
        document.insert(key.into(), value);
        Node::from_document(document).map(|_| ()).map_err(|problem| problem.to_string())
    };
    assert_eq!(with("x", json!({"must_understand": false})), Ok(()));
    for value in [json!(1), json!({}), json!({"must_understand": true}), json!("x")] {
        assert!(with("x", value.clone()).unwrap_err().starts_with("x: this key"), "{value}");
    }
    assert!(
        with("storage_transformers", json!([{"name": "x"}])).unwrap_err().contains("storage_transformers")
    );
    assert_eq!(with("storage_transformers", json!([])), Ok(()));
    assert!(with("chunk_grid", json!({"name": "rectilinear"})).unwrap_err().contains("rectilinear"));
    assert!(with("chunk_key_encoding", json!("fanout")).unwrap_err().contains("fanout"));
    assert!(with("zarr_format", json!(4)).unwrap_err().contains("zarr_format"));
    assert!(with("dimension_names", json!(["a", "b"])).unwrap_err().contains("dimension_names"));
    assert!(with("shape", json!([u64::MAX, 2])).unwrap_err().contains("chunk_grid"));
    let codec = with("codecs", json!([{"name": "unheard"}]));
    assert_eq!(codec, Ok(()), "codecs are looked at when the array is opened");
}
