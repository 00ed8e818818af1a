//! Every operation through the mirror connector ends as it ends natively, in every stock libhdf5.

use h5_vol_test::{StockHost, own_process};
use mirror_connector::Mirror;

#[test]
fn it_passes_through() {
    if own_process::ran_here::<Mirror>() {
        return;
    }
    for host in StockHost::all() {
        own_process::run_with("it_passes_through", host, &[]);
    }
}
