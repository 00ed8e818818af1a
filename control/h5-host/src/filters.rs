//! Which filters a host has, and what they do.

use core::ffi::{CStr, c_uint};
use core::ptr::null;

use h5_abi::{H5Z_FLAG_OPTIONAL, H5Z_filter_t, hid_t};

use crate::errors::quietly;
use crate::id::{Id, OwnedId};
use crate::questions::Questions;
use crate::variable::Variable;

impl Questions {
    /// The name of the filter that is registered under a number; `None` if no filter is, `""` if it has no name. Loads no
    /// plugin and calls no function of the filter.
    pub fn registered_filter(self, id: H5Z_filter_t) -> Option<String> {
        self.is_filter_registered(id).then(|| self.name_of_filter(id).unwrap_or_default())
    }

    /// Whether a filter is registered under a number. Loads no plugin.
    pub fn is_filter_registered(self, id: H5Z_filter_t) -> bool {
        let mut flags: c_uint = 0;
        // SAFETY: a valid out-pointer. It fails for filters that are not registered, without looking for them elsewhere.
        let is_there =
            quietly(self.0, || unsafe { (self.0.functions().H5Zget_filter_info)(id, &raw mut flags) >= 0 });
        if !is_there {
            self.0.forget_errors();
        }
        is_there
    }

    /// A list says the name of a filter if the file does not.
    fn name_of_filter(self, id: H5Z_filter_t) -> Option<String> {
        let list = self.new_list(self.0.0.dataset_creation_class)?;
        // SAFETY: the host verifies the list; no parameters.
        let status =
            unsafe { (self.0.functions().H5Pset_filter)(list.id().0, id, H5Z_FLAG_OPTIONAL, 0, null()) };
        (status >= 0).then(|| self.filter(list.id(), 0)).flatten().map(|filter| filter.name)
    }

    /// Whether the host has a filter. If it is not registered, the host searches the plugins, loads it and registers it.
    pub fn has_filter(self, id: H5Z_filter_t) -> bool {
        // SAFETY: takes no pointers.
        let is_there = quietly(self.0, || unsafe { (self.0.functions().H5Zfilter_avail)(id) > 0 });
        if !is_there {
            self.0.forget_errors();
        }
        is_there
    }

    /// Reads a dataset of `bytes` bytes from a file image in memory, with the native connector. `None` if HDF5 fails.
    pub fn read_image(self, image: &[u8], dataset: &CStr, bytes: usize) -> Option<Vec<u8>> {
        let read = quietly(self.0, || self.read_image_loudly(image, dataset, bytes));
        if read.is_none() {
            self.0.forget_errors();
        }
        read
    }

    fn read_image_loudly(self, image: &[u8], dataset: &CStr, bytes: usize) -> Option<Vec<u8>> {
        /// Bytes by which the file in memory would grow.
        const INCREMENT: usize = 1 << 16;
        const READ_ONLY: c_uint = 0;
        let functions = self.0.functions();
        let own = |id: hid_t| OwnedId::take(self.0, id);
        let access = self.new_list(self.0.0.file_access_class)?;
        // SAFETY: takes no pointers; native HDF5 is connector 0.
        let native = own(unsafe { (functions.H5VLregister_connector_by_value)(0, Id::DEFAULT.0) })?;
        // SAFETY: the host verifies the lists, and copies the image.
        let is_set = unsafe {
            (functions.H5Pset_vol)(access.id().0, native.id().0, null()) >= 0
                && (functions.H5Pset_fapl_core)(access.id().0, INCREMENT, false) >= 0
                && (functions.H5Pset_file_image)(access.id().0, image.as_ptr().cast_mut().cast(), image.len())
                    >= 0
        };
        if !is_set {
            return None;
        }
        // SAFETY: C strings, and identifiers that the host verifies. The file's name is not that of a file.
        let file = own(unsafe {
            (functions.H5Fopen)(c"h5bypass: a filter is tried".as_ptr(), READ_ONLY, access.id().0)
        })?;
        // SAFETY: as above.
        let dataset = own(unsafe { (functions.H5Dopen2)(file.id().0, dataset.as_ptr(), Id::DEFAULT.0) })?;
        // SAFETY: as above.
        let datatype = own(unsafe { (functions.H5Dget_type)(dataset.id().0) })?;
        let mut read = vec![0; bytes];
        let everything = Id::DEFAULT.0;
        // SAFETY: the dataset has as many bytes as there is room for, as the caller says of its own image.
        let status = unsafe {
            (functions.H5Dread)(
                dataset.id().0,
                datatype.id().0,
                everything,
                everything,
                Id::DEFAULT.0,
                read.as_mut_ptr().cast(),
            )
        };
        (status >= 0).then_some(read)
    }

    fn new_list(self, class: Variable) -> Option<OwnedId> {
        // SAFETY: a variable of the host, mapped as long as the host is; it is set when the library starts.
        OwnedId::take(self.0, unsafe { (self.0.functions().H5Pcreate)(class.get().0) })
    }
}
