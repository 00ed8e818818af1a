//! `libh5bypass_vol.so`: the bypass connector as a plugin for any libhdf5 from 1.14 on.

h5_vol::export!(bypass_connector::Bypass);
