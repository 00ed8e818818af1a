//! How datasets are stored.

pub(crate) use h5_client::{DatasetCreation as Creation, Filter};
