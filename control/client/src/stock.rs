//! The libraries that tests run in: stock copies of libhdf5, as users have them.

use std::path::Path;
use std::sync::OnceLock;

use crate::library::Library;

/// A libhdf5 with a name for messages.
pub struct Stock {
    /// Its name in the list.
    pub name: String,
    /// The library.
    pub library: &'static Library,
}

/// All libraries listed in the file that `H5_HOSTS_FILE` names, one `name<TAB>/path/to/libhdf5.so` a line.
///
/// # Panics
/// If there are none, or one cannot be loaded: a test without a library must not pass.
pub fn all() -> &'static [Stock] {
    static ALL: OnceLock<Vec<Stock>> = OnceLock::new();
    ALL.get_or_init(|| {
        let Some(file) = std::env::var_os("H5_HOSTS_FILE") else {
            panic!("H5_HOSTS_FILE is not set: run `cargo xtask test`");
        };
        let list = std::fs::read_to_string(&file)
            .unwrap_or_else(|error| panic!("{}: {error}: run `cargo xtask setup`", file.display()));
        let stock: Vec<_> = list.lines().filter(|line| !line.trim().is_empty()).map(of_line).collect();
        assert!(!stock.is_empty(), "{} lists no library: run `cargo xtask setup`", file.display());
        stock
    })
}

fn of_line(line: &str) -> Stock {
    let (name, path) = line
        .split_once('\t')
        .unwrap_or_else(|| panic!("'{line}' is not name<TAB>path: run `cargo xtask setup`"));
    let library = Library::load(Path::new(path.trim())).unwrap_or_else(|failure| panic!("{path}: {failure}"));
    Stock { name: name.trim().to_owned(), library }
}
