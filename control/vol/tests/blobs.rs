//! A connector that keeps blobs itself: what native stores for a variable-length element is an identifier that the connector
//! made up.

mod support;

use core::ffi::c_int;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use h5_client::{Elements, Location as _};
use h5_vol::calls::{BlobGet, BlobPut, BlobSpecific};
use h5_vol::views::BlobOperation;
use h5_vol::{BelowObject, Error, ObjectKind, Origin, PassThrough, Result};
use support::{own_entry, through};

/// Bytes of an identifier: what native states for its files, an address and a number.
const ID: usize = 12;

#[derive(Default)]
struct Kept {
    last: u64,
    blobs: BTreeMap<u64, Vec<u8>>,
    /// How often an identifier was compared with the null one.
    compared: u32,
    /// How often one was made the null one.
    set_to_null: u32,
}

/// What the connector keeps.
fn kept() -> MutexGuard<'static, Kept> {
    static KEPT: Mutex<Kept> =
        Mutex::new(Kept { last: 0, blobs: BTreeMap::new(), compared: 0, set_to_null: 0 });
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The null identifier has number 0: elements that were never written are zeros.
fn id_of(number: u64) -> [u8; ID] {
    let mut id = [0; ID];
    id[ID - 8..].copy_from_slice(&number.to_be_bytes());
    id
}

fn number_of(id: &[u8]) -> Result<u64> {
    let id = id.last_chunk().ok_or_else(|| Error::failed("an identifier that is too short"))?;
    Ok(u64::from_be_bytes(*id))
}

struct Keeper;

support::plain_connector!(Keeper, c"test_keeper", 691);

impl PassThrough for Keeper {
    fn attach(&self, _: &Origin<'_, Self>, _: ObjectKind, _: &BelowObject) {}

    fn blob_put(&self, mut call: BlobPut<'_, Self>) -> Result<c_int> {
        let mut kept = kept();
        let bytes = call.source_bytes()?.to_vec();
        if bytes.starts_with(b"short") {
            call.answer_id(&[1; ID - 1])?;
        }
        kept.last += 1;
        let number = kept.last;
        kept.blobs.insert(number, bytes);
        call.answer_id(&id_of(number))?;
        Ok(0)
    }

    fn blob_get(&self, mut call: BlobGet<'_, Self>) -> Result<c_int> {
        let number = number_of(&call.id_bytes()?)?;
        let bytes = kept().blobs.get(&number).cloned();
        let bytes = bytes.ok_or_else(|| Error::failed(format_args!("there is no blob {number}")))?;
        call.target_bytes().write_at(0, &bytes)?;
        Ok(0)
    }

    fn blob_specific(&self, mut call: BlobSpecific<'_, Self>) -> Result<c_int> {
        let number = number_of(&call.id_bytes()?)?;
        match call.arguments.view() {
            BlobOperation::Delete => {
                kept().blobs.remove(&number);
            }
            BlobOperation::IsNull(mut answer) => {
                kept().compared += 1;
                answer.set(number == 0);
            }
            BlobOperation::SetNull => {
                kept().set_to_null += 1;
                call.answer_id(&id_of(0))?;
            }
            _ => return call.forward(),
        }
        Ok(0)
    }
}

#[test]
fn a_connector_makes_up_the_identifiers_of_blobs() {
    through::<Keeper>("blobs", |h5, access, scratch| {
        *kept() = Kept { last: 1 << 40, ..Kept::default() };

        let file = h5.create_file(&scratch.file("a.h5"), access).unwrap();
        h5.write_string(&file, "greeting", "hello").unwrap();
        h5.write_string(&file, "nothing", "").unwrap();
        let texts: Vec<_> = kept().blobs.values().cloned().collect();
        assert!(texts.iter().any(|text| text.starts_with(b"hello")), "the connector has it: {texts:?}");

        let before = kept().compared;
        assert_eq!(h5.read_string(&file, "greeting").unwrap(), "hello");
        assert_eq!(h5.read_string(&file, "nothing").unwrap(), "");
        assert!(kept().compared > before, "the identifier was compared with the null one");

        // Writing again deletes the old blob, and a null pointer needs none.
        let dataset = h5.open_dataset(&file, "greeting").unwrap();
        let (text, scalar) = (dataset.datatype().unwrap(), dataset.space().unwrap());
        let other = Elements::of_strings(&text, vec![c"goodbye".to_owned()]).unwrap();
        dataset.write_elements(&other, None).unwrap();
        let texts: Vec<_> = kept().blobs.values().cloned().collect();
        assert!(!texts.iter().any(|text| text.starts_with(b"hello")), "deleted: {texts:?}");
        let unwritten = file.create_dataset("unwritten", &text, &scalar, None).unwrap();
        let null = unwritten.read_elements(&text, None).unwrap();
        dataset.write_elements(&null, None).unwrap();
        assert_eq!(h5.read_string(&file, "greeting").unwrap(), "");
        assert!(kept().set_to_null > 0, "the identifier was set to null");
        dataset.write_elements(&other, None).unwrap();
        drop((dataset, unwritten, null, other, text, scalar));

        // An identifier of another length than the file states is refused: HDF5 made no room for it.
        let failure = h5.write_string(&file, "refused", "short").unwrap_err();
        let entry = own_entry(&failure, "test_keeper");
        assert!(entry.description.contains("a blob identifier has 12 bytes here"), "{failure:?}");
        assert_eq!(entry.function, "blob_put");

        // Native alone does not find what it did not store.
        file.close().unwrap();
        let native = h5.native_access().unwrap();
        let file = h5.open_file(&scratch.file("a.h5"), false, &native).unwrap();
        h5.read_string(&file, "greeting").unwrap_err();
    });
}
