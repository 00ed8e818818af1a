"""Bad infos and bad settings: refused when a file is opened, by name, before anything is touched.

Not earlier: an error while the library starts would make `import h5py` fail, in programs that open no file at all.
"""

import json

import pytest
from helpers.connectors import Stack

# Info string, and what the message must contain: the offending key and value.
BAD_INFOS = {
    "nonsense": ["nonsense"],
    "under_vol=;under_info={}": ["under_vol"],
    "under_vol=abc;under_info={}": ["under_vol", "abc"],
    "under_vol=0;under_info={": ["under_info", "{"],
    "under_vol=0;under_info={}}": ["under_info", "}"],
    "under_vol=99999;under_info={}": ["99999"],
    "under_vol=0;under_info={};colour=blue": ["colour", "blue"],
    "under_vol=0;under_vol=0;under_info={}": ["under_vol", "0"],
}
GOOD_INFOS = ["", "under_vol=0", "under_info={}", "under_vol=0;under_info={}"]
BAD_SETTINGS = [
    ("BYPASS_VOL_NTHREADS", "abc"),
    ("BYPASS_VOL_NTHREADS", "0"),
    ("BYPASS_VOL_NTHREADS", "-1"),
    ("BYPASS_VOL_NTHREADS", "99999999999999999999"),
    ("BYPASS_VOL_IO_SIZE", "x"),
    ("BYPASS_VOL_IO_SIZE", "0K"),
    ("BYPASS_VOL_CACHE", "64MB"),
    ("BYPASS_VOL_NO_TPOOL", "maybe"),
]
# Sizes with units, and empty variables, which count as unset.
GOOD_SETTINGS = [
    {"BYPASS_VOL_IO_SIZE": "512K", "BYPASS_VOL_CACHE": "64MiB", "BYPASS_VOL_SMALL_READ": "1k"},
    {"BYPASS_VOL_IO_SIZE": "1m", "BYPASS_VOL_CACHE": "1G", "BYPASS_VOL_SMALL_READ": "0"},
    {
        f"BYPASS_VOL_{name}": ""
        for name in ("NTHREADS", "NO_TPOOL", "IO_SIZE", "SMALL_READ", "CACHE", "STATS", "TRACE", "DISABLE", "NSTEPS", "MAX_NELMTS")
    },
]
OPENS = ("open", "create", "truncate")


@pytest.fixture
def folder(run_c, host, tmp_path):
    """A folder with `existing.h5` and `victim.h5`, made natively."""
    run_c("lifetimes", host, tmp_path, mode="fork__exit").succeeded()
    (tmp_path / "forked.h5").rename(tmp_path / "existing.h5")
    (tmp_path / "after_fork.h5").rename(tmp_path / "victim.h5")
    return tmp_path


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def names(stack, words):
    """Whether one entry names all the words."""
    return any(all(word in entry["description"] for word in words) for entry in stack)


def assert_refused_by_environment(run, words, before):
    answers = {line["call"]: line for line in run.succeeded().json_lines()}
    assert answers["H5open"]["return"] == 0, f"{run}\nthe library itself must start"
    assert "connector" not in run.notes, run
    for call in OPENS:
        assert answers[call]["return"] == -1, f"{run}\n{call} did not fail"
        assert names(answers[call]["stack"], words), f"{run}\n{call} does not name {words}"
    assert contents(run.directory) == before, f"{run}\nfiles were made or changed"


def assert_refused_by_api(run, words, before):
    """Making the info, putting it into the list, or opening may be what fails."""
    answers = {line["call"]: line for line in run.succeeded().json_lines()}
    assert answers["register"]["return"] == 0, run
    assert "connector" not in run.notes, run
    failed = [line for line in answers.values() if line["return"] == -1]
    assert failed, f"{run}\nnothing failed"
    if answers["str_to_info"]["return"] == 0 and answers["set_vol"]["return"] == 0:
        assert all(answers[call]["return"] == -1 for call in OPENS), f"{run}\nnot all of {OPENS} failed"
    # A question about a file is allowed to say less than opening it.
    for line in failed:
        assert line["call"] == "is_accessible" or names(line["stack"], words), f"{run}\n{line['call']} does not name {words}"
    assert contents(run.directory) == before, f"{run}\nfiles were made or changed"


@pytest.mark.parametrize("info", BAD_INFOS)
def test_bad_info_in_environment(info, host, bypass, run_c, folder):
    before = contents(folder)
    env = {"HDF5_VOL_CONNECTOR": f"{bypass.name} {info}"}
    run = run_c("refused", host, folder, bypass.name, info, mode="env", plugins=True, env=env)
    assert_refused_by_environment(run, BAD_INFOS[info], before)


@pytest.mark.parametrize("info", BAD_INFOS)
def test_bad_info_in_property_list(info, host, bypass, run_c, folder):
    before = contents(folder)
    run = run_c("refused", host, folder, bypass.name, info, mode="api", plugins=True)
    assert_refused_by_api(run, BAD_INFOS[info], before)


@pytest.mark.parametrize("info", GOOD_INFOS)
@pytest.mark.parametrize("mode", ["env", "api"])
def test_short_infos_are_good(info, mode, host, bypass, run_c, folder):
    """What is left out has its default: over native, without info."""
    env = {"HDF5_VOL_CONNECTOR": f"{bypass.name} {info}"} if mode == "env" else {}
    run = run_c("refused", host, folder, bypass.name, info, mode=mode, plugins=True, env=env)
    run.succeeded().served_by(bypass.name)
    assert all(line["return"] == 0 for line in run.json_lines()), run
    assert (folder / "new.h5").is_file()


@pytest.mark.parametrize(("variable", "value"), BAD_SETTINGS)
def test_bad_setting(variable, value, host, bypass, run_c, folder):
    before = contents(folder)
    run = run_c("refused", host, folder, bypass.name, bypass.info, mode="env", stack=bypass, env={variable: value})
    assert_refused_by_environment(run, [variable, value], before)
    run = run_c("refused", host, folder, bypass.name, bypass.info, mode="api", plugins=True, env={variable: value})
    assert_refused_by_api(run, [variable, value], before)


@pytest.mark.parametrize("settings", GOOD_SETTINGS, ids=["units", "lower case", "empty"])
def test_good_settings(settings, host, bypass, run_c, folder):
    run = run_c("refused", host, folder, bypass.name, bypass.info, mode="env", stack=bypass, env=settings)
    run.succeeded().served_by(bypass.name)
    assert all(line["return"] == 0 for line in run.json_lines()), run


@pytest.mark.parametrize(("variable", "value"), BAD_SETTINGS)
def test_bad_setting_without_the_connector(variable, value, host, run_c, folder):
    """Present but not asked for: our settings are nobody's business."""
    run = run_c("refused", host, folder, "-", "-", mode="env", plugins=True, env={variable: value})
    run.succeeded().served_by("native")
    assert all(line["return"] == 0 for line in run.json_lines()), run


@pytest.mark.parametrize("info", BAD_INFOS)
def test_bad_info_in_h5py(info, bypass, client, tmp_path):
    """`import h5py` works, h5py.File raises OSError with our text."""
    answer = client("refused", cwd=tmp_path, stack=BadStack(bypass, info))
    for call in ("read", "write"):
        assert answer[call][0] == "OSError", answer
        assert all(word in answer[call][1] for word in BAD_INFOS[info]), answer
    assert answer["files"] == [], answer


@pytest.mark.parametrize(("variable", "value"), BAD_SETTINGS)
def test_bad_setting_in_h5py(variable, value, bypass, client, tmp_path):
    answer = client("refused", cwd=tmp_path, stack=bypass, env={variable: value})
    for call in ("read", "write"):
        assert answer[call][0] == "OSError", answer
        assert variable in answer[call][1] and value in answer[call][1], answer
    assert answer["files"] == [], json.dumps(answer)


class BadStack(Stack):
    """A stack whose info string is given as it is."""

    def __init__(self, stack, info):
        super().__init__(stack.label, stack.layers)
        object.__setattr__(self, "text", info)

    @property
    def info(self):
        return self.text
