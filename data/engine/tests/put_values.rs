//! Storing values of variable length: which objects are stored and deleted, in which order, and what becomes of the elements.

use convert::{Class, Datatype, HostTraits, Variable, VariableEncoding, VariableForm};
use engine::{HeapWriter, PutValues, WithPointers, put_values};
use selection::{Extent, Selection};

const HOST: HostTraits = HostTraits { native_half: true, keeps_denormal_flag: false };

/// Notes what is done to it.
#[derive(Default)]
struct Heap {
    objects: Vec<Option<Vec<u8>>>,
    done: Vec<String>,
    /// Stores so many objects, and no more.
    room: usize,
}

impl Heap {
    fn with_room(room: usize) -> Self {
        Self { room, ..Self::default() }
    }
}

impl HeapWriter for Heap {
    fn put(&mut self, bytes: &[u8]) -> Option<(u64, u32)> {
        if self.objects.len() == self.room {
            return None;
        }
        self.objects.push(Some(bytes.to_vec()));
        self.done.push(format!("+{}", String::from_utf8_lossy(bytes)));
        Some((4096, u32::try_from(self.objects.len()).unwrap()))
    }

    fn get(&mut self, address: u64, index: u32, bytes: &mut [u8]) -> Option<()> {
        assert_eq!(address, 4096);
        let object = self.objects.get(usize::try_from(index).unwrap() - 1)?.as_ref()?;
        (object.len() == bytes.len()).then(|| bytes.copy_from_slice(object))
    }

    fn delete(&mut self, address: u64, index: u32) -> Option<()> {
        assert_eq!(address, 4096);
        self.done.push(format!("-{index}"));
        self.objects.get_mut(usize::try_from(index).unwrap() - 1)?.take().map(drop)
    }

    fn longest(&self) -> u64 {
        1 << 20
    }
}

fn text() -> Datatype {
    let element = Datatype { size: 1, class: Class::Opaque(String::new()) };
    let variable = Variable { form: VariableForm::Text { character_set: 0 }, element };
    Datatype { size: 8, class: Class::Variable(Box::new(variable)) }
}

fn list_of(element: Datatype) -> Datatype {
    let variable = Variable { form: VariableForm::Sequence, element };
    Datatype { size: 16, class: Class::Variable(Box::new(variable)) }
}

/// Pointers to texts that end with a zero byte.
fn pointers(texts: &[Option<&'static std::ffi::CStr>]) -> Vec<u8> {
    let pointer = |text: &std::ffi::CStr| text.as_ptr().expose_provenance() as u64;
    texts.iter().flat_map(|text| text.map_or(0, pointer).to_ne_bytes()).collect()
}

/// Writes elements over those that are stored.
fn put(datatype: &Datatype, memory: &[u8], stored: &mut [u8], heap: &mut Heap) -> Result<(), String> {
    let encoding = VariableEncoding::new(datatype, datatype, HOST).unwrap();
    let count = (memory.len() / encoding.memory()) as u64;
    let places = Selection::all(&Extent::new(&[count]).unwrap());
    // SAFETY: the pointers are those of texts that live as long as the test, or of elements that the caller keeps.
    let memory = unsafe { WithPointers::new(memory) };
    let pieces = [std::iter::once(0..count).collect()];
    let mut values =
        PutValues { encoding: &encoding, memory, places: &places, pieces: &pieces, elements: stored };
    put_values(&mut values, heap).map_err(|error| error.to_string())
}

#[test]
fn texts_are_stored_from_the_second_half_on() {
    let mut heap = Heap::with_room(100);
    let texts = [Some(c"a"), Some(c"b"), None, Some(c""), Some(c"e"), Some(c"f"), Some(c"g"), Some(c"h")];
    let mut stored = vec![0; 16 * 8];
    put(&text(), &pointers(&texts), &mut stored, &mut heap).unwrap();
    assert_eq!(heap.done, ["+e", "+f", "+g", "+h", "+", "+b", "+a"]);
    // Length, address and index.
    assert_eq!(stored[..16], [1, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0]);
    assert_eq!(stored[32..48], [0; 16], "no value");
    assert_eq!(stored[48..64], [0, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0], "an empty one");
}

#[test]
fn what_is_overwritten_is_deleted_first() {
    let mut heap = Heap::with_room(100);
    let mut stored = vec![0; 16 * 3];
    put(&text(), &pointers(&[Some(c"a"), Some(c""), Some(c"c")]), &mut stored, &mut heap).unwrap();
    heap.done.clear();
    put(&text(), &pointers(&[None, Some(c"x"), Some(c"y")]), &mut stored, &mut heap).unwrap();
    // The empty one stays, as HDF5 leaves it.
    assert_eq!(heap.done, ["-1", "+y", "+x", "-3"]);
    assert_eq!(stored[..16], [0; 16]);
}

#[test]
fn inner_values_are_deleted_if_there_are_fewer() {
    let mut heap = Heap::with_room(100);
    let datatype = list_of(text());
    let mut stored = vec![0; 16];
    let mut write = |texts: &[Option<&'static std::ffi::CStr>], heap: &mut Heap| {
        let inner = pointers(texts);
        let mut element = (texts.len() as u64).to_ne_bytes().to_vec();
        element.extend((inner.as_ptr().expose_provenance() as u64).to_ne_bytes());
        put(&datatype, &element, &mut stored, heap)
    };
    write(&[Some(c"a"), Some(c"b"), Some(c"c")], &mut heap).unwrap();
    assert_eq!(heap.done[..3], ["+c", "+b", "+a"]);
    heap.done.clear();
    write(&[Some(c"x")], &mut heap).unwrap();
    let done: Vec<_> = heap.done.iter().map(|what| what.get(..2).unwrap_or(what)).collect();
    assert_eq!(
        done,
        ["-3", "+x", "-4", "+\u{1}", "-2", "-1"],
        "the inner one, the outer one, and those that are left over"
    );
    assert_eq!(heap.objects.iter().flatten().count(), 2);
}

#[test]
fn failures_name_the_element() {
    let mut heap = Heap::with_room(1);
    let mut stored = vec![0; 16 * 2];
    let told = put(&text(), &pointers(&[Some(c"a"), Some(c"b")]), &mut stored, &mut heap).unwrap_err();
    assert_eq!(told, "the value of element 0: HDF5 cannot store it in the heap");
    // A reference to an object that does not exist.
    let mut heap = Heap::with_room(9);
    stored[..16].copy_from_slice(&[1, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0]);
    let told = put(&text(), &pointers(&[Some(c"a")]), &mut stored[..16], &mut heap).unwrap_err();
    assert!(
        told.starts_with("the value of element 0: HDF5 cannot delete the one before it, object 7"),
        "{told}"
    );
    // An inner value that would be longer than the whole file.
    stored[..4].copy_from_slice(&u32::MAX.to_le_bytes());
    let inner = pointers(&[Some(c"a")]);
    let mut element = 1_u64.to_ne_bytes().to_vec();
    element.extend((inner.as_ptr().expose_provenance() as u64).to_ne_bytes());
    let told = put(&list_of(text()), &element, &mut stored[..16], &mut heap).unwrap_err();
    assert!(
        told.starts_with("the value of element 0: HDF5 cannot read the one before it, object 7"),
        "{told}"
    );
}
