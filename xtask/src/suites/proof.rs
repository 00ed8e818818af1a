//! The proof, written by the tested process itself, that its libhdf5 ran through the connector.

use anyhow::{Result, ensure};

/// Moments at which `python/suites/prove_loaded.py` asks.
const MOMENTS: [&str; 2] = ["start", "end"];

/// Accepts `text`, lines `when <TAB> client <TAB> connector <TAB> library`, only if every client named the
/// connector at the start and at the end of the session, and never another.
pub(crate) fn require(text: &str, connector: &str, clients: &[&str]) -> Result<()> {
    let answers: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    for answer in &answers {
        ensure!(answer.len() == 4, "not a proof: {answer:?}");
        ensure!(answer[2] == connector, "{} ran through '{}', not '{connector}'", answer[1], answer[2]);
    }
    for client in clients {
        for moment in MOMENTS {
            ensure!(
                answers.iter().any(|answer| answer[0] == moment && answer[1] == *client),
                "not proven at the {moment} of the session that {client} runs through '{connector}'"
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "start\th5py\tbypass\t/l/libhdf5.so\nend\th5py\tbypass\t/l/libhdf5.so\n";

    #[test]
    fn both_ends_of_the_session_are_needed() {
        assert!(require(GOOD, "bypass", &["h5py"]).is_ok());
        assert!(require("start\th5py\tbypass\t/l/libhdf5.so\n", "bypass", &["h5py"]).is_err());
        assert!(require("", "bypass", &["h5py"]).is_err());
    }

    #[test]
    fn another_connector_is_no_proof() {
        let error = require(&GOOD.replace("bypass", "native"), "bypass", &["h5py"]).expect_err("not proven");
        assert_eq!(error.to_string(), "h5py ran through 'native', not 'bypass'");
    }

    #[test]
    fn every_client_must_answer() {
        assert!(require(GOOD, "bypass", &["h5py", "netCDF4"]).is_err());
    }
}
