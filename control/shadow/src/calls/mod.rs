//! What the connector does in each callback.

mod datasets;
mod elsewhere;
mod files;
mod links;
mod look;
mod objects;
