//! What is made of results, tried on made-up ones.

mod baseline;
mod chrome_trace;
mod clients;
mod json;
mod overlap;
mod page;
mod peers;
mod performance;
mod readme;
mod sample;
mod table;
mod verdict;
mod zarr;
