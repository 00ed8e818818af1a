//! Names of sides, by a pattern.

use core::ffi::CStr;
use std::ffi::CString;

/// What stands for a part of the application's name.
const PARTS: [&str; 4] = ["{name}", "{base}", "{stem}", "{folder}"];

/// Fails if the pattern would give all files the same name.
pub(crate) fn check(pattern: &str) -> Result<(), String> {
    if PARTS[..3].iter().any(|part| pattern.contains(part)) {
        return Ok(());
    }
    Err(format!("name={pattern} gives every file the same name: it needs {{name}}, {{base}} or {{stem}}"))
}

/// The name of a side. `{name}` is the application's name, `{folder}` its folder (`.` if it has none), `{base}` the part after the
/// folder, `{stem}` that without what follows its last dot.
pub(crate) fn expand(pattern: &str, name: &CStr) -> Result<CString, String> {
    let name = name.to_bytes();
    let (folder, base) = match name.iter().rposition(|&byte| byte == b'/') {
        Some(0) => (&name[..1], &name[1..]),
        Some(slash) => (&name[..slash], &name[slash + 1..]),
        None => (&b"."[..], name),
    };
    let stem = match base.iter().rposition(|&byte| byte == b'.') {
        Some(dot) if dot > 0 => &base[..dot],
        _ => base,
    };
    let (mut expanded, mut rest) = (Vec::new(), pattern);
    while let Some(first) = rest.chars().next() {
        if let Some((part, value)) =
            PARTS.iter().zip([name, base, stem, folder]).find(|(part, _)| rest.starts_with(**part))
        {
            expanded.extend_from_slice(value);
            rest = &rest[part.len()..];
        } else {
            expanded.extend_from_slice(&rest.as_bytes()[..first.len_utf8()]);
            rest = &rest[first.len_utf8()..];
        }
    }
    if expanded == name {
        return Err(format!("name={pattern} gives the side the name of the file itself"));
    }
    CString::new(expanded).map_err(|_| format!("name={pattern} gives a name with a zero in it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_the_name_go_where_they_are_asked_for() {
        for (pattern, name, expected) in [
            ("{name}.bak", c"a/b.h5", c"a/b.h5.bak"),
            ("copies/{base}", c"a/b.h5", c"copies/b.h5"),
            ("{folder}/{stem}.zarr", c"a/b.h5", c"a/b.zarr"),
            ("{folder}/{stem}.zarr", c"b.h5", c"./b.zarr"),
            ("{folder}x{base}", c"/b", c"/xb"),
            ("{stem}2", c".hidden", c".hidden2"),
            ("{other}{name}", c"b", c"{other}b"),
        ] {
            assert_eq!(expand(pattern, name).as_deref(), Ok(expected), "{pattern} of {name:?}");
        }
    }

    #[test]
    fn a_side_is_another_file() {
        assert!(expand("{name}", c"b.h5").is_err());
        assert!(check("/tmp/one.h5").is_err());
        assert!(check("{folder}/one.h5").is_err());
        assert!(check("{stem}").is_ok());
    }
}
