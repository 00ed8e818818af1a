//! Values of variable length: from a heap in a file to memory that the application owns.

use core::ptr::NonNull;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use convert::{Class, Datatype, HostTraits, Variable, VariableConversion, VariableForm};
use engine::{Allocator, Engine, InFile, Memory, NewerObjects, Owned, SystemAllocator, Values};
use pool::Pool;
use selection::{Extent, Selection};
use store::{Descriptor, Store};

const HOST: HostTraits = HostTraits { native_half: true, keeps_denormal_flag: false };

/// Counts what it gives and takes back; gives at most so many pieces.
struct Counting {
    given: Arc<AtomicUsize>,
    freed: Arc<AtomicUsize>,
    most: usize,
}

// SAFETY: the system's allocator does it.
unsafe impl Allocator for Counting {
    fn allocate(&self, bytes: usize) -> Option<NonNull<u8>> {
        if self.given.fetch_add(1, Ordering::Relaxed) >= self.most {
            self.given.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        SystemAllocator.allocate(bytes)
    }

    unsafe fn free(&self, memory: NonNull<u8>) {
        self.freed.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { SystemAllocator.free(memory) }
    }

    fn is_for_every_thread(&self) -> bool {
        true
    }
}

fn text() -> Datatype {
    let element = Datatype { size: 1, class: Class::Opaque(String::new()) };
    let variable = Variable { form: VariableForm::Text { character_set: 0 }, element };
    Datatype { size: 8, class: Class::Variable(Box::new(variable)) }
}

/// A file of collections with the given strings, and the references to them.
fn heap(strings: &[Option<&str>]) -> (Store, Vec<u8>) {
    let (mut file, mut elements) = (vec![0; 64], Vec::new());
    for group in strings.chunks(20) {
        let address = file.len() as u64;
        let start = file.len();
        file.extend(b"GCOL\x01\0\0\0");
        file.extend(4096_u64.to_le_bytes());
        for (index, string) in (1_u16..).zip(group) {
            let Some(string) = string else {
                elements.extend([0; 16]);
                continue;
            };
            file.extend(index.to_le_bytes());
            file.extend([0; 6]);
            file.extend((string.len() as u64).to_le_bytes());
            file.extend(string.as_bytes());
            file.resize(start + (file.len() - start).next_multiple_of(8), 0);
            elements.extend(u32::try_from(string.len()).unwrap().to_le_bytes());
            elements.extend(address.to_le_bytes());
            elements.extend(u32::from(index).to_le_bytes());
        }
        let free = (start + 4096 - file.len()) as u64;
        file.extend([0; 8]);
        file.extend(free.to_le_bytes());
        file.resize(start + 4096, 0);
    }
    let mut temporary = tempfile::tempfile().unwrap();
    temporary.write_all(&file).unwrap();
    (Store::new(Descriptor::new(temporary.into()), file.len() as u64), elements)
}

/// Reads values to every second place of memory: what is there afterwards, and how many pieces were given and freed.
fn read(
    store: &Store,
    mut elements: Vec<u8>,
    most: usize,
    keep: bool,
    newer: Option<&mut dyn NewerObjects>,
) -> (Result<Vec<u64>, String>, usize, usize) {
    let count = elements.len() / 16;
    let mut words = vec![7_u64; 2 * count];
    let places =
        Selection::hyperslab(&Extent::new(&[2 * count as u64]).unwrap(), &[1], &[2], &[count as u64], &[1])
            .unwrap();
    let (given, freed) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let allocator = Counting { given: Arc::clone(&given), freed: Arc::clone(&freed), most };
    let mut owned = Owned::new(Box::new(allocator));
    let conversion = VariableConversion::new(&text(), &text(), HOST).unwrap();
    // SAFETY: all bytes of the words, which nobody else uses.
    let memory = unsafe { Memory::new(words.as_mut_ptr().cast(), words.len() * 8) };
    let mut values = Values {
        conversion: &conversion,
        store,
        base: 0,
        elements: &mut elements,
        places: &places,
        first: 0,
        memory: &memory,
    };
    let outcome = Engine::new(Pool::global()).read_values(&mut values, &mut owned, newer);
    if keep {
        owned.keep();
    }
    drop(owned);
    let told = outcome.map(|()| words).map_err(|error| error.to_string());
    (told, given.load(Ordering::Relaxed), freed.load(Ordering::Relaxed))
}

fn strings(count: usize) -> Vec<String> {
    (0..count).map(|number| "x".repeat(number % 40) + &number.to_string()).collect()
}

#[test]
fn every_value_gets_memory_of_its_own() {
    let strings = strings(5000);
    let with_gaps: Vec<_> = strings
        .iter()
        .enumerate()
        .map(|(number, string)| (number % 7 != 3).then_some(string.as_str()))
        .collect();
    let (store, elements) = heap(&with_gaps);
    let (words, given, freed) = read(&store, elements, usize::MAX, true, None);
    assert_eq!((given, freed), (with_gaps.iter().flatten().count(), 0));
    compare_and_free(&words.unwrap(), &with_gaps);
}

/// Compares every second word with a string that it points to.
fn compare_and_free(words: &[u64], strings: &[Option<&str>]) {
    for (pair, string) in words.chunks_exact(2).zip(strings) {
        assert_eq!(pair[0], 7, "what is not selected stays");
        let pointer = core::ptr::with_exposed_provenance_mut::<u8>(usize::try_from(pair[1]).unwrap());
        let Some(string) = string else {
            assert!(pointer.is_null());
            continue;
        };
        // SAFETY: so many bytes and a zero were written there, and the memory is the test's now.
        let found = unsafe { core::slice::from_raw_parts(pointer, string.len() + 1) };
        assert_eq!((&found[..string.len()], found[string.len()]), (string.as_bytes(), 0));
        // SAFETY: the allocator has made it.
        unsafe { SystemAllocator.free(NonNull::new(pointer).unwrap()) };
    }
}

#[test]
fn what_fails_gives_nothing_and_frees_everything() {
    let strings = strings(5000);
    let all: Vec<_> = strings.iter().map(|string| Some(string.as_str())).collect();
    let (store, elements) = heap(&all);
    // Out of memory.
    let (told, given, freed) = read(&store, elements.clone(), 3000, false, None);
    assert!(told.unwrap_err().contains("out of memory for"));
    assert_eq!((given, freed), (3000, 3000));
    // A length that is not the object's.
    let mut damaged = elements.clone();
    damaged[16 * 4321] ^= 1;
    let (told, given, freed) = read(&store, damaged, usize::MAX, false, None);
    assert!(
        told.unwrap_err()
            .starts_with("the value of element 4321: object 2 of the heap collection at address")
    );
    assert_eq!(given, freed);
    // An object that does not exist.
    let mut damaged = elements.clone();
    damaged[16 * 100 + 12] = 99;
    let (told, ..) = read(&store, damaged, usize::MAX, false, None);
    assert!(told.unwrap_err().starts_with("the value of element 100: the heap collection at address"));
    // A collection that is not one.
    let mut damaged = elements;
    damaged[16 * 77 + 4] ^= 8;
    let (told, given, freed) = read(&store, damaged, usize::MAX, false, None);
    assert!(told.unwrap_err().starts_with("the value of element 77: the heap collection at address"));
    assert_eq!((given, freed), (0, 0));
}

/// Objects that somebody has, of collections of which less is in the file.
struct Newer {
    /// The strings by address and index.
    strings: std::collections::HashMap<(u64, u32), Vec<u8>>,
    in_file: fn(u64) -> InFile,
    asked: usize,
}

impl NewerObjects for Newer {
    fn in_file(&self, address: u64) -> InFile {
        (self.in_file)(address)
    }

    fn get(&mut self, address: u64, index: u32, bytes: &mut [u8]) -> Option<()> {
        self.asked += 1;
        let string = self.strings.get(&(address, index)).filter(|string| string.len() == bytes.len())?;
        bytes.copy_from_slice(string);
        Some(())
    }
}

#[test]
fn what_is_not_in_the_file_yet_is_asked_for() {
    let strings = strings(5000);
    let all: Vec<_> = strings.iter().map(|string| Some(string.as_str())).collect();
    let (store, elements) = heap(&all);
    let newer = |in_file| Newer {
        strings: elements
            .chunks_exact(16)
            .zip(&strings)
            .map(|(element, string)| {
                let address = u64::from_le_bytes(*element[4..].first_chunk().unwrap());
                let index = u32::from_le_bytes(*element[12..].first_chunk().unwrap());
                ((address, index), string.clone().into_bytes())
            })
            .collect(),
        in_file,
        asked: 0,
    };
    // All of it is there, although there might be more.
    let mut none = newer(|_| InFile::Something);
    let (words, ..) = read(&store, elements.clone(), usize::MAX, true, Some(&mut none));
    compare_and_free(&words.unwrap(), &all);
    assert_eq!(none.asked, 0);
    // A quarter of the collections was not written, and another has been written before the last objects were stored.
    let mut file = Vec::new();
    store.read_new(0, usize::try_from(store.end()).unwrap()).unwrap().unwrap().clone_into(&mut file);
    let mut missing = 0;
    for (number, collection) in file[64..].chunks_exact_mut(4096).enumerate() {
        match number % 4 {
            0 => {
                collection.fill(0xee);
                missing += 20;
            }
            1 => {
                // Free space from the second object on.
                let second = 16 + 16 + strings[number * 20].len().next_multiple_of(8);
                let free = 4096 - second as u64;
                collection[second..second + 16].fill(0);
                collection[second + 8..second + 16].copy_from_slice(&free.to_le_bytes());
                missing += 19;
            }
            _ => {}
        }
    }
    let mut temporary = tempfile::tempfile().unwrap();
    temporary.write_all(&file).unwrap();
    let older = Store::new(Descriptor::new(temporary.into()), file.len() as u64);
    let mut some = newer(|_| InFile::Something);
    let (words, ..) = read(&older, elements.clone(), usize::MAX, true, Some(&mut some));
    compare_and_free(&words.unwrap(), &all);
    assert_eq!(some.asked, missing);
    // Nothing in the file is believed.
    let mut nothing = newer(|_| InFile::Nothing);
    let (words, ..) = read(&older, elements.clone(), usize::MAX, true, Some(&mut nothing));
    compare_and_free(&words.unwrap(), &all);
    assert_eq!(nothing.asked, 5000);
    // Who has nothing makes it an error.
    let mut poor = Newer { strings: std::collections::HashMap::new(), ..newer(|_| InFile::Something) };
    let (told, given, freed) = read(&older, elements, usize::MAX, false, Some(&mut poor));
    assert!(told.unwrap_err().starts_with("the value of element 0: the heap collection at address 64"));
    assert_eq!((given, freed), (0, 0));
}
