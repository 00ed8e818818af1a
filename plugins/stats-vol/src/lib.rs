//! `libh5stats_vol.so`: the statistics connector as a plugin for any libhdf5 from 1.14 on.

h5_vol::export!(stats_connector::Stats);
