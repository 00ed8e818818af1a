"""The crate `zarr` against zarr-python, zarrs and tensorstore: what they write we read, what we write they read.

clients/zarr_check.py and clients/zarr_containers.py compare; the crate runs in target/release/examples/containers, which
`cargo xtask test` builds.
"""

from __future__ import annotations

import pytest

# Arrays that must at least have been exchanged: by each of the others with us, through the engine, and of elements without a
# fixed size.
GROUPS = {
    "types": {"zarr-python": 190, "zarrs": 130, "tensorstore": 180, "values": 10},
    "codecs": {"zarr-python": 400, "zarrs": 290, "tensorstore": 330},
    "transposed": {"zarr-python": 60, "zarrs": 40, "tensorstore": 60, "values": 20},
    "shards": {"zarr-python": 120, "zarrs": 120, "tensorstore": 160, "values": 40},
}


@pytest.mark.parametrize("group", GROUPS)
def test_arrays_both_ways(group, client, zarr_program, tmp_path):
    answer = client("zarr_check", str(zarr_program), group, cwd=tmp_path)
    problems = answer["problems"]
    assert not problems, f"{len(problems)} problems, the first:\n" + "\n".join(problems[:8])
    exchanged = answer["exchanged"]
    for peer, least in GROUPS[group].items():
        if peer == "values":
            assert exchanged["values -> zarr-python"] >= least, exchanged
            continue
        for way in ("chunks", "engine"):
            assert exchanged[f"{peer} -> {way}"] >= least, exchanged
            assert exchanged[f"{way} -> {peer}"] >= least, exchanged


@pytest.mark.parametrize(("what", "least"), [("version_2", 150), ("documents", 8), ("resizing", 6), ("own_documents", 120), ("full_disk", 2)])
def test_containers(what, least, client, zarr_program, tmp_path):
    answer = client("zarr_containers", str(zarr_program), what, cwd=tmp_path)
    problems = answer["problems"]
    assert not problems, f"{len(problems)} problems, the first:\n" + "\n".join(problems[:8])
    assert answer["compared"] >= least, answer


def test_ten_thousand_arrays_are_listed(client, zarr_program, tmp_path):
    answer = client("zarr_containers", str(zarr_program), "many", cwd=tmp_path)
    assert not answer["problems"], answer
    # Times are for people: other programs may run beside this one.
    print(answer["compared"])
