//! Datatypes: described, built again, converted.

use std::ffi::CString;

use h5_abi::{H5T_CSET_ASCII, H5T_CSET_UTF8, H5T_ORDER_BE, H5T_ORDER_LE, H5T_PAD_ZERO, H5T_STR_SPACEPAD};
use h5_client::{Bits, Class, Datatype, Description, Member, Session};

use crate::{in_every_library, with_file};

fn integer(size: usize) -> Description {
    let bits = Bits {
        order: H5T_ORDER_BE,
        precision: size * 8 - 2,
        offset: 1,
        low_pad: H5T_PAD_ZERO,
        high_pad: H5T_PAD_ZERO,
    };
    Description { size, class: Class::Integer { bits, signed: true } }
}

fn nested(h5: &Session) -> Description {
    let member =
        |name: &str, offset, datatype| Member { name: CString::new(name).unwrap(), offset, datatype };
    let float = Datatype::predefined(h5, "IEEE_F32BE").unwrap().describe().unwrap();
    let text = Class::String { padding: H5T_STR_SPACEPAD, character_set: H5T_CSET_UTF8 };
    let values = vec![(c"red".to_owned(), vec![0, 0, 1, 0]), (c"blue".to_owned(), vec![0, 0, 2, 0])];
    let choice = Class::Enum { base: Box::new(integer(4)), members: values };
    let array = Class::Array { dimensions: vec![2, 3], element: Box::new(float) };
    let members = vec![
        member("text", 1, Description { size: 5, class: text }),
        member("choice", 6, Description { size: 4, class: choice }),
        member("array", 12, Description { size: 24, class: array }),
        member("bytes", 36, Description { size: 3, class: Class::Opaque { tag: c"tag".to_owned() } }),
    ];
    Description { size: 40, class: Class::Compound(members) }
}

#[test]
fn descriptions_survive_being_built() {
    in_every_library(|h5, _| {
        let variable = |class| Description { size: 8, class };
        let text = Class::VariableString { padding: H5T_STR_SPACEPAD, character_set: H5T_CSET_ASCII };
        let sequence = Class::VariableLength(Box::new(nested(h5)));
        let descriptions = [
            (integer(3), true),
            (nested(h5), true),
            (variable(text), false),
            (Description { size: 16, class: sequence }, false),
            (variable(Class::ObjectReference), false),
            (Description { size: 12, class: Class::RegionReference }, false),
            (Description { size: 64, class: Class::Reference }, false),
        ];
        for (description, is_plain) in descriptions {
            let built = Datatype::build(h5, &description).unwrap();
            assert_eq!(built.describe().unwrap(), description);
            assert_eq!(built.size().unwrap(), description.size);
            assert_eq!((built.is_plain().unwrap(), description.is_plain()), (is_plain, is_plain));
            assert!(built.copy().unwrap().equals(&built).unwrap());
        }
    });
}

#[test]
fn predefined_datatypes_survive_it_too() {
    in_every_library(|h5, _| {
        let names =
            ["STD_I8LE", "STD_U64BE", "IEEE_F16LE", "IEEE_F64BE", "STD_B64LE", "C_S1", "NATIVE_LDOUBLE"];
        for name in names {
            let datatype = Datatype::predefined(h5, name).unwrap();
            let built = Datatype::build(h5, &datatype.describe().unwrap()).unwrap();
            assert!(built.equals(&datatype).unwrap(), "{name}");
        }
        assert!(Datatype::predefined(h5, "native_order").is_err(), "only what is listed");
        let native = Datatype::build(h5, &nested(h5)).unwrap().native().unwrap();
        let Class::Compound(members) = native.describe().unwrap().class else { panic!("a compound") };
        assert_eq!(members.len(), 4);
    });
}

#[test]
fn complex_numbers_from_2_0_on() {
    in_every_library(|h5, _| {
        let part = Datatype::predefined(h5, "IEEE_F32LE").unwrap().describe().unwrap();
        let description = Description { size: 8, class: Class::Complex(Box::new(part)) };
        match Datatype::build(h5, &description) {
            Ok(built) => assert_eq!(built.describe().unwrap(), description),
            Err(failure) => {
                assert!(h5.version().unwrap().major < 2 && failure.message.contains("H5Tcomplex_create"));
            }
        }
    });
}

#[test]
fn conversions_need_whole_elements_and_no_pointers() {
    in_every_library(|h5, _| {
        let [short, double] = ["STD_I16BE", "IEEE_F64LE"].map(|name| Datatype::predefined(h5, name).unwrap());
        let converted = short.convert(&double, &[0, 3, 255, 254], &[0; 16]).unwrap();
        assert_eq!(converted, [3.0_f64.to_le_bytes(), (-2.0_f64).to_le_bytes()].concat());
        assert!(short.convert(&double, &[0, 3, 255], &[0; 16]).is_err());
        assert!(short.convert(&double, &[0, 3], &[0; 16]).is_err());
        let text = crate::files::text_type(h5);
        assert!(text.convert(&text, &[1; 8], &[0; 8]).unwrap_err().message.contains("pointers"));
        let opaque = Description { size: 2, class: Class::Opaque { tag: c"x".to_owned() } };
        let opaque = Datatype::build(h5, &opaque).unwrap();
        assert!(short.convert(&opaque, &[0, 3], &[0; 2]).unwrap_err().message.contains("H5Tconvert"));
    });
}

#[test]
fn orders_are_told_apart() {
    with_file(|h5, _| {
        for (name, order) in [("STD_I32LE", H5T_ORDER_LE), ("STD_I32BE", H5T_ORDER_BE)] {
            let class = Datatype::predefined(h5, name).unwrap().describe().unwrap().class;
            let Class::Integer { bits, signed: true } = class else { panic!("{class:?}") };
            assert_eq!((bits.order, bits.precision, bits.offset), (order, 32, 0));
        }
    });
}
