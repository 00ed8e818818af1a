"""bench/zarr: the connector beside other implementations of Zarr. That it measures, not what."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from helpers.benches import keys_of, refused

BENCH = Path(__file__).resolve().parents[2] / "bench"
RUN = BENCH / "zarr" / "run.py"
# What the tests of bench/report read: made up, with everything that results can have.
SAMPLE = BENCH / "report" / "tests" / "report" / "zarr.json"


def test_results_have_the_form_that_documents_are_made_from(python, plugin_dir, tmp_path):
    command = [python, str(RUN), f"--plugins={plugin_dir}", f"--folder={tmp_path / 'arrays'}", f"--json={tmp_path / 'out.json'}"]
    environment = {**os.environ, "HDF5_VOL_CONNECTOR": "nonsense", "ZARR_VOL_CACHE": "nonsense"}
    done = subprocess.run([*command, "--rounds=1", "--small"], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "out.json").read_text()
    results = json.loads(text)
    assert keys_of(results) == keys_of(json.loads(SAMPLE.read_text()))
    assert len(results["cases"]) == 9 and [one["name"] for one in results["many"]] == ["one", "all"]
    assert all(0 < line["seconds"]["median"] < 60 for case in results["cases"] for line in case["lines"])
    assert str(tmp_path) not in text and "/" not in results["command"], "results are kept: they must not name folders"


@pytest.mark.parametrize(
    ("options", "message"),
    [(["--rounds=0"], "--rounds 0: must be at least 1"), (["--plugins=nowhere"], "--plugins nowhere: there is no libh5zarr_vol.so")],
)
def test_mistakes_are_named(python, plugin_dir, tmp_path, options, message):
    refused(python, RUN, plugin_dir, tmp_path, options, message)
