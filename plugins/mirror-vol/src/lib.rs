//! `libh5mirror_vol.so`: the mirror connector as a plugin for any libhdf5 from 1.14 on.

h5_vol::export!(mirror_connector::Mirror);
