//! `libh5zarr_vol.so`: the Zarr connector as a plugin for any libhdf5 from 1.14 on.

h5_vol::export!(h5_shadow::Shadow<zarr_connector::ZarrFormat>);
