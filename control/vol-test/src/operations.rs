//! What tests do with files, in the fewest words: everything is the client's, with elements that are `int`.

use core::ffi::c_int;

use h5_abi::{H5T_CSET_ASCII, H5T_STR_NULLTERM, hid_t};
use h5_client::{
    AnyObject, Attribute, Attributes as _, Class, Dataset, DatasetCreation, Dataspace, Datatype, Description,
    Elements, Failure, File, FileAccess, Group, Hyperslab, LinkTarget, Links as _, Location, Object,
    ObjectInfo, Result,
};

use crate::host::Session;

/// An object that may be a dataset.
pub trait AsDataset {
    /// The dataset.
    fn as_dataset(&self) -> Result<&Dataset>;
}

impl AsDataset for Dataset {
    fn as_dataset(&self) -> Result<&Dataset> {
        Ok(self)
    }
}

impl AsDataset for AnyObject {
    fn as_dataset(&self) -> Result<&Dataset> {
        match self {
            Self::Dataset(dataset) => Ok(dataset),
            _ => Err(Failure::refused("the object is not a dataset")),
        }
    }
}

fn bytes(values: &[c_int]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_ne_bytes()).collect()
}

fn values(bytes: &[u8]) -> Vec<c_int> {
    let (values, _) = bytes.as_chunks::<{ size_of::<c_int>() }>();
    values.iter().map(|value| c_int::from_ne_bytes(*value)).collect()
}

/// Files.
impl Session<'_> {
    /// Creates a file, replacing what is there.
    pub fn create_file(&self, name: &str, access: &FileAccess) -> Result<File> {
        File::create(&self.h5, name, access)
    }

    /// Opens a file.
    pub fn open_file(&self, name: &str, writable: bool, access: &FileAccess) -> Result<File> {
        if writable {
            File::open_writable(&self.h5, name, access)
        } else {
            File::open(&self.h5, name, access)
        }
    }

    /// Another handle of a file.
    pub fn reopen_file(&self, file: &File) -> Result<File> {
        file.reopen()
    }

    /// Whether a file could be opened.
    pub fn is_accessible(&self, name: &str, access: &FileAccess) -> Result<bool> {
        File::is_accessible(&self.h5, name, access)
    }

    /// Deletes a file.
    pub fn delete_file(&self, name: &str, access: &FileAccess) -> Result<()> {
        File::delete(&self.h5, name, access)
    }

    /// Flushes the file of an object.
    pub fn flush(&self, object: &impl Object) -> Result<()> {
        object.flush_file()
    }

    /// The name of an object's file.
    pub fn file_name(&self, object: &impl Object) -> Result<String> {
        object.file_name()
    }

    /// The file of an object.
    pub fn file_of(&self, object: &impl Object) -> Result<File> {
        object.file()
    }

    /// The flags that a file was opened with.
    pub fn intent(&self, file: &File) -> Result<u32> {
        file.intent()
    }

    /// Number of objects open in a file.
    pub fn open_objects(&self, file: &File) -> Result<usize> {
        file.open_objects()
    }

    /// Mounts a file.
    pub fn mount(&self, location: &impl Location, name: &str, child: &File) -> Result<()> {
        location.mount(name, child)
    }

    /// Takes a mounted file away.
    pub fn unmount(&self, location: &impl Location, name: &str) -> Result<()> {
        location.unmount(name)
    }
}

/// Groups, links and objects.
impl Session<'_> {
    /// Creates a group.
    pub fn create_group(&self, location: &impl Location, name: &str) -> Result<Group> {
        location.create_group(name)
    }

    /// Opens a group.
    pub fn open_group(&self, location: &impl Location, name: &str) -> Result<Group> {
        location.open_group(name)
    }

    /// Number of links of a group.
    pub fn link_count(&self, group: &impl Location) -> Result<u64> {
        group.link_count()
    }

    /// Whether there is a link.
    pub fn link_exists(&self, location: &impl Location, name: &str) -> Result<bool> {
        location.link_exists(name)
    }

    /// Deletes a link.
    pub fn delete_link(&self, location: &impl Location, name: &str) -> Result<()> {
        location.delete_link(name)
    }

    /// Gives a link another name.
    pub fn move_link(&self, location: &impl Location, from: &str, to: &str) -> Result<()> {
        location.move_link(from, to)
    }

    /// Creates a soft link.
    pub fn create_soft_link(&self, location: &impl Location, path: &str, name: &str) -> Result<()> {
        location.create_soft_link(path, name)
    }

    /// Creates a hard link from one group to another.
    pub fn create_hard_link(
        &self,
        source: &impl Location,
        name: &str,
        target: &impl Location,
        new: &str,
    ) -> Result<()> {
        source.create_hard_link(name, target, new)
    }

    /// Where a soft link leads.
    pub fn soft_link_path(&self, location: &impl Location, name: &str) -> Result<String> {
        match location.link(name)?.target {
            LinkTarget::Soft(path) => Ok(path.to_string_lossy().into_owned()),
            other => Err(Failure::refused(format!("{other:?} is not a soft link"))),
        }
    }

    /// Calls the function with the group's identifier and each link's name.
    pub fn iterate_links(
        &self,
        group: &impl Location,
        mut function: impl FnMut(hid_t, &str) -> c_int,
    ) -> Result<c_int> {
        group.iterate_links(|id, name| function(id, &name.to_string_lossy()))
    }

    /// Names of all links of a group.
    pub fn links(&self, group: &impl Location) -> Result<Vec<String>> {
        let mut names = Vec::new();
        self.iterate_links(group, |_, name| {
            names.push(name.to_owned());
            0
        })?;
        Ok(names)
    }

    /// Opens an object of any kind.
    pub fn open_object(&self, location: &impl Location, name: &str) -> Result<AnyObject> {
        AnyObject::open(location, name)
    }

    /// Opens an object by way of a reference.
    pub fn open_by_reference(&self, location: &impl Location, name: &str) -> Result<AnyObject> {
        AnyObject::by_reference(location, name)
    }

    /// What HDF5 knows of an object.
    pub fn object_info(&self, object: &impl Object) -> Result<ObjectInfo> {
        object.info()
    }

    /// Whether there is an object.
    pub fn object_exists(&self, location: &impl Location, name: &str) -> Result<bool> {
        location.object_exists(name)
    }

    /// Copies an object.
    pub fn copy_object(
        &self,
        source: &impl Location,
        name: &str,
        target: &impl Location,
        new: &str,
    ) -> Result<()> {
        source.copy_object(name, target, new)
    }

    /// Calls the function with each object from here on.
    pub fn visit_objects(
        &self,
        object: &impl Object,
        mut function: impl FnMut(hid_t, &str) -> c_int,
    ) -> Result<c_int> {
        object.visit_objects(|id, name, _| function(id, &name.to_string_lossy()))
    }

    /// Commits a 32-bit integer type.
    pub fn commit_integer_type(&self, location: &impl Location, name: &str) -> Result<()> {
        let datatype = Datatype::predefined(&self.h5, "STD_I32BE")?.copy()?;
        datatype.commit(location, name)?;
        datatype.close()
    }

    /// Size of a committed type.
    pub fn committed_type_size(&self, location: &impl Location, name: &str) -> Result<usize> {
        Datatype::open(location, name)?.size()
    }
}

/// Datasets and attributes.
impl Session<'_> {
    fn int(&self) -> Result<Datatype> {
        Datatype::predefined(&self.h5, "NATIVE_INT")
    }

    /// A dataspace, without limits if `growing`; no dimensions make a scalar.
    pub fn space(&self, dimensions: &[u64], growing: bool) -> Result<Dataspace> {
        if dimensions.is_empty() {
            return Dataspace::scalar(&self.h5);
        }
        if growing {
            let unlimited = vec![Dataspace::UNLIMITED; dimensions.len()];
            return Dataspace::growing(&self.h5, dimensions, &unlimited);
        }
        Dataspace::simple(&self.h5, dimensions)
    }

    /// Creates a dataset, stored as 32-bit big-endian integers if `big_endian`; chunked if `chunk` says so.
    pub fn create_dataset(
        &self,
        location: &impl Location,
        name: &str,
        dimensions: &[u64],
        chunk: Option<&[u64]>,
        big_endian: bool,
    ) -> Result<Dataset> {
        let space = self.space(dimensions, chunk.is_some())?;
        let creation = DatasetCreation::new(&self.h5, chunk, &[])?;
        let datatype = if big_endian { Datatype::predefined(&self.h5, "STD_I32BE") } else { self.int() };
        location.create_dataset(name, &datatype?, &space, Some(&creation))
    }

    /// Opens a dataset.
    pub fn open_dataset(&self, location: &impl Location, name: &str) -> Result<Dataset> {
        location.open_dataset(name)
    }

    /// Writes a whole dataset.
    pub fn write(&self, dataset: &impl AsDataset, values: &[c_int]) -> Result<()> {
        dataset.as_dataset()?.write(&self.int()?, &bytes(values))
    }

    /// Reads a whole dataset.
    pub fn read(&self, dataset: &impl AsDataset) -> Result<Vec<c_int>> {
        let dataset = dataset.as_dataset()?;
        let mut bytes = vec![0; dataset.space()?.elements()? * size_of::<c_int>()];
        dataset.read(&self.int()?, &mut bytes)?;
        Ok(values(&bytes))
    }

    /// Reads every `stride`th element along the first dimension.
    pub fn read_rows(&self, dataset: &Dataset, stride: u64) -> Result<Vec<c_int>> {
        let mut space = dataset.space()?;
        let dimensions = space.dimensions()?;
        let mut strides = vec![1; dimensions.len()];
        strides[0] = stride;
        let mut count = dimensions.clone();
        count[0] = dimensions[0].div_ceil(stride);
        space.select(&Hyperslab::strided(&vec![0; dimensions.len()], &strides, &count))?;
        let memory = self.space(&count, false)?;
        let mut bytes = vec![0; memory.elements()? * size_of::<c_int>()];
        dataset.read_part(&self.int()?, Some(&memory), Some(&space), &mut bytes)?;
        Ok(values(&bytes))
    }

    /// Dimensions of a dataset.
    pub fn extent(&self, dataset: &Dataset) -> Result<Vec<u64>> {
        dataset.space()?.dimensions()
    }

    /// Changes the dimensions of a dataset.
    pub fn set_extent(&self, dataset: &Dataset, dimensions: &[u64]) -> Result<()> {
        dataset.set_extent(dimensions)
    }

    /// Bytes of a dataset's storage.
    ///
    /// # Panics
    /// If HDF5 cannot tell.
    pub fn storage_size(&self, dataset: &Dataset) -> u64 {
        dataset.storage_size().expect("a size")
    }

    /// `H5Drefresh`.
    pub fn refresh_dataset(&self, dataset: &Dataset) -> Result<()> {
        dataset.refresh()
    }

    /// Whether a dataset's elements are stored as 32-bit big-endian integers.
    pub fn is_big_endian(&self, dataset: &Dataset) -> Result<bool> {
        dataset.datatype()?.equals(&Datatype::predefined(&self.h5, "STD_I32BE")?)
    }

    fn string_type(&self) -> Result<Datatype> {
        let class = Class::VariableString { padding: H5T_STR_NULLTERM, character_set: H5T_CSET_ASCII };
        Datatype::build(&self.h5, &Description { size: size_of::<*const u8>(), class })
    }

    /// Creates a scalar dataset of one variable-length string and writes it.
    ///
    /// # Panics
    /// If the text has a NUL.
    pub fn write_string(&self, location: &impl Location, name: &str, text: &str) -> Result<()> {
        let datatype = self.string_type()?;
        let dataset = location.create_dataset(name, &datatype, &self.space(&[], false)?, None)?;
        let text = std::ffi::CString::new(text).expect("texts in tests have no NUL");
        dataset.write_elements(&Elements::of_strings(&datatype, vec![text])?, None)?;
        dataset.close()
    }

    /// Reads what [`Session::write_string`] wrote.
    pub fn read_string(&self, location: &impl Location, name: &str) -> Result<String> {
        let elements = location.open_dataset(name)?.read_elements(&self.string_type()?, None)?;
        Ok(elements.strings()?.iter().map(|text| text.to_string_lossy()).collect())
    }

    /// Creates an attribute and writes it.
    pub fn write_attribute(&self, object: &impl Object, name: &str, values: &[c_int]) -> Result<()> {
        let space = self.space(&[values.len() as u64], false)?;
        let attribute = Attribute::create(object, name, &self.int()?, &space)?;
        attribute.write(&self.int()?, &bytes(values))?;
        attribute.close()
    }

    /// Opens an attribute.
    pub fn open_attribute(&self, object: &impl Object, name: &str) -> Result<Attribute> {
        Attribute::open(object, name)
    }

    /// Reads a whole attribute.
    pub fn read_attribute(&self, object: &impl Object, name: &str) -> Result<Vec<c_int>> {
        let attribute = Attribute::open(object, name)?;
        let mut bytes = vec![0; attribute.space()?.elements()? * size_of::<c_int>()];
        attribute.read(&self.int()?, &mut bytes)?;
        Ok(values(&bytes))
    }

    /// The name of an attribute.
    pub fn attribute_name(&self, attribute: &Attribute) -> Result<String> {
        Ok(attribute.name()?.to_string_lossy().into_owned())
    }

    /// Whether there is an attribute.
    pub fn attribute_exists(&self, object: &impl Object, name: &str) -> Result<bool> {
        object.attribute_exists(name)
    }

    /// Deletes an attribute.
    pub fn delete_attribute(&self, object: &impl Object, name: &str) -> Result<()> {
        object.delete_attribute(name)
    }

    /// Gives an attribute another name.
    pub fn rename_attribute(&self, object: &impl Object, from: &str, to: &str) -> Result<()> {
        object.rename_attribute(from, to)
    }

    /// Names of all attributes.
    pub fn attributes(&self, object: &impl Object) -> Result<Vec<String>> {
        Ok(object.attribute_names()?.iter().map(|name| name.to_string_lossy().into_owned()).collect())
    }
}
