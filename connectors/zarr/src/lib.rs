//! Zarr directories as files of HDF5.
//!
//! The shadow (`h5-shadow`) does what is the same for every format, and the library `zarr` reads and writes directories. This crate
//! is the map between the two: every object of HDF5 is in plain Zarr as far as Zarr has something for it, so that other tools read a
//! container well. What HDF5 has beyond that is in the key `_h5` of a node's attributes, and links are in `_LINKS`. (Groups with
//! other keys beside their attributes cannot be opened by zarr-python 3.1.)
//!
//! | | |
//! |---|---|
//! | `settings.rs` | the info string |
//! | `tree.rs` | keys of objects, and their folders |
//! | `data_types.rs`, `filters.rs`, `arrays.rs`, `dimensions.rs`, `scales.rs` | datasets and arrays |
//! | `attributes.rs`, `fill_attribute.rs`, `cells.rs`, `regions.rs`, `type_words.rs` | attributes, values, and datatypes in words |
//! | `stubs.rs` | containers behind stubs |
//! | `store.rs`, `load.rs`, `save.rs`, `chunks.rs` | an open container: what the shadow asks and tells |

#![forbid(unsafe_code)]

mod arrays;
mod attributes;
mod cells;
mod chunks;
mod data_types;
mod dimensions;
mod environment;
mod fill_attribute;
mod filters;
mod load;
mod regions;
mod save;
mod scales;
mod settings;
mod store;
mod stubs;
mod tree;
mod type_words;

use core::ffi::{CStr, c_int};
use std::path::{Path, PathBuf};

use h5_shadow::{Backend, Failure, Mode, Outcome, Place, Shadow};
use h5_vol::{Lender, Slots};
use zarr::{Container, Options, ZarrError};

pub use settings::ZarrSettings;
pub use store::ZarrStore;

/// The format.
pub struct ZarrFormat;

impl Backend for ZarrFormat {
    const NAME: &'static CStr = c"zarr";
    const VALUE: c_int = 520;
    const VERSION: u32 = 1;
    const VERSION_TEXT: &'static CStr = c"0.1.0";
    const STATISTICS: &'static str = "ZARR_VOL_STATS";

    type Settings = ZarrSettings;
    type Store = ZarrStore;

    fn slots() -> &'static Slots<Shadow<Self>> {
        static SLOTS: Slots<Shadow<ZarrFormat>> = Slots::new();
        &SLOTS
    }

    const LENDER: &'static CStr = c"zarr_lender";

    fn lender_slots() -> &'static Slots<Lender<Shadow<Self>>> {
        static SLOTS: Slots<Lender<Shadow<ZarrFormat>>> = Slots::new();
        &SLOTS
    }

    fn new() -> Self {
        Self
    }

    fn existing(&self, name: &Path, _: &ZarrSettings) -> Option<Place> {
        if name.is_dir() && Container::exists(name) { name.canonicalize().ok().map(Place::new) } else { None }
    }

    fn new_place(&self, name: &Path, settings: &ZarrSettings) -> Option<Place> {
        if settings.all || is_zarr(name) { std::path::absolute(name).ok().map(Place::new) } else { None }
    }

    fn behind_stub(&self, name: &Path, settings: &ZarrSettings) -> Option<PathBuf> {
        // Who says `.zarr` wants the directory itself.
        (settings.stub && !is_zarr(name)).then(|| stubs::container(name))
    }

    fn belongs_to_stub(&self, place: &Place) -> bool {
        stubs::is_noted(place)
    }

    fn open(&self, place: &Place, mode: Mode, settings: &ZarrSettings) -> Outcome<ZarrStore> {
        environment::apply()?;
        let path = &place.root;
        let options = if mode == Mode::Read { Options::READ } else { Options::WRITE };
        if mode == Mode::Create {
            if path.is_file() {
                std::fs::remove_file(path).map_err(|error| Failure::of_system(path, "remove", &error))?;
            } else if Container::exists(path) {
                // Nobody loses what they have open.
                let old = Container::open(path, options).map_err(|error| failure(&error))?;
                let lock = if store::locks(place) {
                    Some(old.lock(true).map_err(|error| failure(&error))?)
                } else {
                    None
                };
                Container::delete(path).map_err(|error| failure(&error))?;
                drop(lock);
            }
            let root = stubs::root_of(place);
            let container = Container::create(path, &root, options).map_err(|error| failure(&error))?;
            return ZarrStore::new(container, settings.clone(), place);
        }
        let container = Container::open(path, options).map_err(|error| failure(&error))?;
        if mode == Mode::Write && !container.is_writable() {
            return Err(Failure::new("arrays of Zarr version 2 can be read, but not written"));
        }
        ZarrStore::new(container, settings.clone(), place)
    }

    fn delete(&self, place: &Place, _: &ZarrSettings) -> Outcome<()> {
        Container::delete(&place.root).map_err(|error| failure(&error))
    }
}

/// Whether the name says that it is a Zarr directory.
fn is_zarr(name: &Path) -> bool {
    name.extension().is_some_and(|extension| extension == "zarr")
}

/// An error of the library, with the system's number if it has one.
pub(crate) fn failure(error: &ZarrError) -> Failure {
    let errno = match error {
        ZarrError::Io { source, .. } => source.raw_os_error(),
        _ => None,
    };
    Failure { errno, ..Failure::new(error.to_string()) }
}
