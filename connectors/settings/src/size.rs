//! Numbers of bytes with a unit: `65536`, `512K`, `64M`, `1GiB`.

/// Parses a size in bytes. `None` if the text is not a size. Units are powers of 1024, in upper or lower case, with or without
/// `iB`. `MB` is not accepted, because to some it means a million bytes.
pub fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().ok()?;
    let factor: u64 = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        _ => return None,
    };
    number.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_powers_of_1024_in_either_case() {
        for (text, bytes) in [
            ("0", 0),
            ("65536", 65536),
            ("100B", 100),
            ("512K", 512 << 10),
            ("512k", 512 << 10),
            ("64M", 64 << 20),
            ("64MiB", 64 << 20),
            ("64mib", 64 << 20),
            ("64 MiB", 64 << 20),
            (" 1G ", 1 << 30),
            ("2tib", 2 << 40),
        ] {
            assert_eq!(size(text), Some(bytes), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_sizes() {
        for text in [
            "",
            "M",
            "-5",
            "+5",
            "1.5G",
            "64MB",
            "64 X",
            "1e3",
            "0x10",
            "18446744073709551616",
            "99999999T",
            "6 4",
        ] {
            assert_eq!(size(text), None, "{text}");
        }
    }
}
