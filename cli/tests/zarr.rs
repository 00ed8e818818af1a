//! What the commands do with Zarr directories, from the outside. With `H5BYPASS_PLUGIN_DIR`, `H5BYPASS_PYTHON` and
//! `H5BYPASS_TEST_LIBHDF5` (as `cargo xtask test` sets them) also with the real connector and real programs.

mod common;
mod plugins;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::{code, directory, h5bypass, plugin_directory, stderr, stdout};
use plugins::{PLUGIN, compile, loadable_plugin};
use serde_json::{Value, json};

/// A Zarr directory with four arrays.
fn container(name: &str) -> PathBuf {
    let root = directory(name).join("weather.zarr");
    fs::create_dir_all(&root).unwrap();
    write(&root, &json!({"zarr_format": 3, "node_type": "group", "attributes": {}}));
    let array = |path: &str, more: Value| {
        let mut document = json!({
            "zarr_format": 3, "node_type": "array", "shape": [1000, 1000], "data_type": "float32", "fill_value": 0,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [100, 1000]}},
            "chunk_key_encoding": {"name": "default"}, "codecs": [bytes(), {"name": "zstd", "configuration": {"level": 3, "checksum": false}}],
        });
        document.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        fs::create_dir_all(root.join(path)).unwrap();
        write(&root.join(path), &document);
    };
    write(&folder(&root, "group"), &json!({"zarr_format": 3, "node_type": "group"}));
    array("group/plain", json!({}));
    array("sharded", json!({"codecs": [sharding()]}));
    array("wrapped", json!({"codecs": [sharding(), {"name": "gzip", "configuration": {"level": 1}}]}));
    array("text", json!({"data_type": "string", "fill_value": "", "codecs": [{"name": "vlen-utf8"}]}));
    root
}

fn folder(root: &Path, name: &str) -> PathBuf {
    let folder = root.join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn write(folder: &Path, document: &Value) {
    fs::write(folder.join("zarr.json"), document.to_string()).unwrap();
}

fn bytes() -> Value {
    json!({"name": "bytes", "configuration": {"endian": "little"}})
}

fn sharding() -> Value {
    json!({"name": "sharding_indexed", "configuration": {
        "chunk_shape": [10, 1000], "codecs": [bytes()], "index_codecs": [bytes(), {"name": "crc32c"}], "index_location": "end"}})
}

fn command(args: &[&str]) -> Output {
    h5bypass().args(args).output().unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_stub_is_made_and_replaced_and_nothing_else_is() {
    let root = container("stub");
    let parent = root.parent().unwrap();
    let made = command(&["stub", text(&root)]);
    let stub = parent.join("weather.h5");
    assert_eq!(stdout(&made), format!("{} stands for {}\n", stub.display(), root.display()), "{made:?}");
    assert_eq!(code(&made), 0);
    let bytes = fs::read(&stub).unwrap();
    assert!(bytes.starts_with(b"\x89HDF\r\n\x1a\n") && bytes.len() == 4096);

    // Again, and after it was damaged.
    assert_eq!(code(&command(&["stub", text(&root)])), 0);
    let mut damaged = bytes.clone();
    damaged[2000] ^= 1;
    fs::write(&stub, &damaged).unwrap();
    assert_eq!(code(&command(&["stub", text(&root)])), 0);
    assert_eq!(fs::read(&stub).unwrap(), bytes);

    for (name, why) in [("mine.h5", "exists and is not a stub"), ("taken", "is a directory")] {
        let name = parent.join(name);
        if why.contains("directory") {
            fs::create_dir(&name).unwrap();
        } else {
            fs::write(&name, "mine").unwrap();
        }
        let refused = command(&["stub", text(&root), text(&name)]);
        assert!(stderr(&refused).contains(why) && stderr(&refused).contains(text(&name)), "{refused:?}");
        assert_eq!(code(&refused), 2);
    }
    assert_eq!(fs::read(parent.join("mine.h5")).unwrap(), b"mine");
}

#[test]
fn what_cannot_have_a_stub_is_explained() {
    let root = container("stub-refused");
    let parent = root.parent().unwrap();
    let plain = folder(parent, "plain");
    let below = folder(parent, "below").join("x.h5");
    let in_it = command(&["stub", text(&root), text(&root.join("x.h5"))]);
    assert!(stderr(&in_it).contains("beside it or below it"), "{in_it:?}");
    for (args, why) in [
        (vec!["stub", "/no/such.zarr"], "/no/such.zarr: no such directory"),
        (vec!["stub", "/dev/null"], "/dev/null: is not a directory"),
        (vec!["stub", text(&plain)], "is not a Zarr directory"),
        (vec!["stub", text(&root), text(&below)], "beside it or below it"),
        (vec!["stub", text(&root), "/no/such/x.h5"], "/no/such/x.h5: its directory"),
        (vec!["stub"], "<DIR.zarr>"),
        (vec!["stub", "--nme", text(&root)], "--nme"),
    ] {
        let refused = command(&args);
        assert!(stderr(&refused).contains(why), "{args:?}: {refused:?}");
        assert_eq!((code(&refused), stdout(&refused).as_str()), (2, ""), "{args:?}");
    }
    // A stub above the directory is fine.
    let above = directory("stub-above");
    fs::rename(&root, above.join("weather.zarr")).unwrap();
    fs::create_dir(above.join("data")).unwrap();
    fs::rename(above.join("weather.zarr"), above.join("data/weather.zarr")).unwrap();
    let made =
        h5bypass().args(["stub", "data/weather.zarr", "weather.nc"]).current_dir(&above).output().unwrap();
    assert_eq!(code(&made), 0, "{made:?}");
    let listed = h5bypass().args(["explain", "weather.nc"]).current_dir(&above).output().unwrap();
    assert!(stdout(&listed).contains("/group/plain"), "{listed:?}");
}

#[test]
fn arrays_are_listed() {
    let root = container("listed");
    assert_eq!(code(&command(&["stub", text(&root)])), 0);
    let stub = root.with_extension("h5");
    for file in [&root, &stub] {
        let output = command(&["explain", "--json", text(file)]);
        assert_eq!(code(&output), 0, "{output:?}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["format"], "zarr");
        assert_eq!(report["zarr_format"], 3);
        assert_eq!(report["summary"], json!({"arrays": 4, "parallel": 2}));
        let of = |key: &str| -> Vec<Value> {
            report["arrays"].as_array().unwrap().iter().map(|array| array[key].clone()).collect()
        };
        assert_eq!(of("path"), ["/group/plain", "/sharded", "/text", "/wrapped"]);
        assert_eq!(of("parallel"), [true, true, false, false]);
        assert_eq!(
            of("code"),
            [json!(null), json!(null), json!("variable-length"), json!("codecs-around-shards")]
        );
        assert_eq!(
            of("chunk_shape"),
            [json!([100, 1000]), json!([10, 1000]), json!([100, 1000]), json!([10, 1000])]
        );
        assert_eq!(of("shard_shape"), [json!(null), json!([100, 1000]), json!(null), json!([100, 1000])]);
        assert_eq!(of("bytes"), [json!(4_000_000), json!(4_000_000), json!(null), json!(4_000_000)]);
    }
    let output = stdout(&command(&["explain", text(&root)]));
    for part in [
        "(Zarr version 3)",
        "all cores    /group/plain\n",
        "float32  1000 x 1000  3.8 MiB  chunks 100 x 1000                      bytes, zstd(3)\n",
        "chunks 10 x 1000 in shards 100 x 1000  sharding_indexed(bytes)\n",
        "slower       /text\n",
        "no fixed size",
        "codecs around its shards",
        "\nall cores read 2 of 4 arrays\n",
    ] {
        assert!(output.contains(part), "{part}:\n{output}");
    }
    let output = command(&["explain", text(&stub), "group/plain", "/nope"]);
    assert!(
        stdout(&output).contains("a stub of ") && stdout(&output).contains("all cores read the array"),
        "{output:?}"
    );
    assert!(stderr(&output).contains("'/nope'") || stderr(&output).contains("'nope'"), "{output:?}");
    assert_eq!(code(&output), 1);
}

#[test]
fn what_cannot_be_listed_is_explained() {
    let root = container("unlisted");
    assert_eq!(code(&command(&["stub", text(&root)])), 0);
    fs::write(root.join("sharded/zarr.json"), "{").unwrap();
    let unknown = json!({"codecs": [bytes(), {"name": "pcodec"}]});
    let mut document: Value =
        serde_json::from_slice(&fs::read(root.join("group/plain/zarr.json")).unwrap()).unwrap();
    document.as_object_mut().unwrap().extend(unknown.as_object().unwrap().clone());
    write(&root.join("group/plain"), &document);
    let output = command(&["explain", text(&root)]);
    assert_eq!(code(&output), 1, "{output:?}");
    assert!(stderr(&output).contains("pcodec") && stderr(&output).contains("not valid JSON"), "{output:?}");
    assert!(stdout(&output).contains("/text"), "what can be listed is: {output:?}");

    fs::rename(&root, root.with_extension("gone")).unwrap();
    let output = command(&["explain", text(&root.with_extension("h5"))]);
    assert!(stderr(&output).contains("is a stub, and what it stands for is not there"), "{output:?}");
    assert_eq!((code(&output), stdout(&output).as_str()), (1, ""));
}

#[test]
fn the_environment_is_that_of_the_zarr_connector() {
    let dir = loadable_plugin("run");
    compile(&dir.join("libh5zarr_vol.so"), PLUGIN, &[]);
    let run = |args: &[&str]| {
        let mut command = h5bypass();
        command.args(["run", "--plugin-dir"]).arg(&dir).args(args);
        command.output().unwrap()
    };
    let show = ["--", "sh", "-c", "echo $HDF5_VOL_CONNECTOR"];
    for (options, value) in [
        (&["--connector", "zarr"][..], "zarr under_vol=0;under_info={}\n"),
        (&["--connector=zarr", "--stub"], "zarr under_vol=0;under_info={};stub=1\n"),
        (&["-c", "zarr", "--all", "--stub"], "zarr under_vol=0;under_info={};all=1;stub=1\n"),
    ] {
        let output = run(&[options, &show].concat());
        assert_eq!(stdout(&output), value, "{output:?}");
    }
    for (options, why) in [
        (&["--connector", "zar"][..], "zarr"),
        (&["--stub"], "--stub is for the Zarr connector: add --connector zarr"),
        (&["--all"], "--all is for the Zarr connector"),
        (&["--connector", "zarr", "--stats"], "--stats is not for the Zarr connector"),
        (&["--connector", "zarr", "--threads", "2"], "--threads is not for the Zarr connector"),
    ] {
        let output = run(&[options, &show].concat());
        assert!(stderr(&output).contains(why), "{options:?}: {output:?}");
        assert_eq!(code(&output), 2, "{options:?}");
    }
    let missing = plugin_directory("run-missing");
    let output = h5bypass()
        .args(["run", "--connector", "zarr", "--plugin-dir"])
        .arg(&missing)
        .args(["--", "true"])
        .output()
        .unwrap();
    assert!(stderr(&output).contains("libh5zarr_vol.so was not found"), "{output:?}");

    let mut other = h5bypass();
    other
        .args(["run", "--connector", "zarr", "--plugin-dir"])
        .arg(&dir)
        .args(show)
        .env("HDF5_VOL_CONNECTOR", "bypass");
    assert!(stderr(&other.output().unwrap()).contains("already set to the connector 'bypass'"));
}

/// The plugins and the interpreter that `cargo xtask test` names.
fn real() -> Option<(PathBuf, PathBuf)> {
    Some((std::env::var_os("H5BYPASS_PLUGIN_DIR")?.into(), std::env::var_os("H5BYPASS_PYTHON")?.into()))
}

#[test]
fn real_programs_make_and_read_directories() {
    let Some((plugins, python)) = real() else { return };
    let dir = directory("real-run");
    let run = |options: &[&str], program: &str| {
        let mut command = h5bypass();
        command.args(["run", "--connector", "zarr", "--plugin-dir"]).arg(&plugins).args(options).arg("--");
        let output = command.arg(&python).args(["-c", program]).current_dir(&dir).output().unwrap();
        assert_eq!(code(&output), 0, "{output:?}");
        stdout(&output)
    };
    run(&["--stub"], "import tables; tables.open_file('a.h5', 'w').create_array('/', 'x', [1, 2, 3])");
    assert!(dir.join("a.h5.zarr/x/zarr.json").is_file());
    let program = "import tables; print(tables.open_file('a.h5').root.x[:])";
    assert_eq!(run(&[], program), "[1, 2, 3]\n");
    run(&["--all"], "import h5py; h5py.File('b.h5', 'w')['x'] = 7");
    assert!(dir.join("b.h5/x/zarr.json").is_file());
    // What another tool has made gets its stub here.
    let made = Command::new(&python)
        .args([
            "-c",
            "import zarr; zarr.create_group('c.nc.zarr').create_array('x', shape=4, dtype='i4')[:] = 5",
        ])
        .current_dir(&dir)
        .output()
        .unwrap();
    assert_eq!(code(&made), 0, "{made:?}");
    assert_eq!(code(&h5bypass().args(["stub", "c.nc.zarr"]).current_dir(&dir).output().unwrap()), 0);
    let program = "import netCDF4; print(netCDF4.Dataset('c.nc')['x'][:].tolist())";
    assert_eq!(run(&[], program), "[5, 5, 5, 5]\n");
}

#[test]
fn real_libraries_are_tried_with_the_connector() {
    let (Some((plugins, _)), Ok(libraries)) = (real(), std::env::var("H5BYPASS_TEST_LIBHDF5")) else {
        return;
    };
    for library in libraries.split(':') {
        let doctor = |more: &[&str]| {
            let mut command = h5bypass();
            command.args(["doctor", "--lib", library, "--plugin-dir"]).arg(&plugins).args(more);
            command.output().unwrap()
        };
        let report: Value = serde_json::from_slice(&doctor(&["--json"]).stdout).unwrap();
        assert_eq!(report["libraries"][0]["zarr"]["verdict"], "ok", "{report}");
        assert!(report["plugin"]["zarr_path"].as_str().unwrap().ends_with("libh5zarr_vol.so"), "{report}");
        assert!(stdout(&doctor(&[])).contains("Zarr connector: OK\n"));
    }
}

/// A connector that cannot do it is found out: bypass under the name of the Zarr connector's file makes no directories.
#[test]
fn a_connector_that_makes_no_directories_is_found_out() {
    let (Some((plugins, _)), Ok(libraries)) = (real(), std::env::var("H5BYPASS_TEST_LIBHDF5")) else {
        return;
    };
    let dir = directory("real-wrong");
    for file in ["libh5bypass_vol.so", "libh5zarr_vol.so"] {
        fs::copy(plugins.join("libh5bypass_vol.so"), dir.join(file)).unwrap();
    }
    let library = libraries.split(':').next().unwrap();
    let output =
        h5bypass().args(["doctor", "--json", "--lib", library, "--plugin-dir"]).arg(&dir).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["libraries"][0]["verdict"], "ok", "{report}");
    assert_eq!(report["libraries"][0]["zarr"]["verdict"], "failed", "{report}");
    assert_eq!(report["healthy"], false);
    assert_eq!(code(&output), 1);
}
