//! The command that repeats a measurement. It is shown with the results, so it does not contain the user's folders.

use std::path::Path;

use bench_suite::controller::Host;

use crate::args::BenchArgs;

/// The command.
pub(super) fn command_line(args: &BenchArgs, hosts: &[Host]) -> String {
    let mut words = vec!["h5bypass".to_owned(), "bench".to_owned()];
    let mut option = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            words.extend([format!("--{name}"), quoted(&value)]);
        }
    };
    for name in &args.only {
        option("only", Some(name.clone()));
    }
    for group in &args.group {
        option("group", Some(group.clone()));
    }
    option("size", args.size.map(|size| size.to_string()));
    option("rounds", args.rounds.map(|rounds| rounds.to_string()));
    option("threads", (args.threads != 4).then(|| args.threads.to_string()));
    option("pool", args.pool.map(|pool| pool.to_string()));
    for host in hosts.iter().filter(|_| !args.hosts.is_empty()) {
        option("host", Some(host.name.clone()));
    }
    for (name, is_set) in [("cold", args.cold), ("quick", args.quick)] {
        if is_set {
            words.push(format!("--{name}"));
        }
    }
    words.extend(args.file.as_deref().map(|file| quoted(&file_name(file))));
    words.extend(args.dataset.as_deref().map(quoted));
    words.join(" ")
}

/// The name of a file without its folder.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Quotes a word for the shell if necessary.
fn quoted(word: &str) -> String {
    let is_plain = |each: char| each.is_alphanumeric() || "/._-*+,:=@%".contains(each);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::{Cli, Command};

    fn told(words: &[&str]) -> String {
        let Command::Bench(args) =
            Cli::try_parse_from([&["h5bypass", "bench"], words].concat()).unwrap().command
        else {
            panic!("expected bench")
        };
        let host = Host {
            name: "mine".into(),
            path: "/home/me/x.so".into(),
            version: "2.0.0".into(),
            is_thread_safe: true,
            variables: Vec::new(),
        };
        command_line(&args, &[host])
    }

    #[test]
    fn the_command_is_told_without_folders() {
        assert_eq!(told(&[]), "h5bypass bench");
        assert_eq!(
            told(&["--only", "reads/", "--size", "16", "--quick", "--json", "/home/me/x.json"]),
            "h5bypass bench --only reads/ --size 16 --quick"
        );
        assert_eq!(
            told(&["--host", "/home/me/x.so", "--threads", "8", "/home/me/my data.h5", "/it's"]),
            r"h5bypass bench --threads 8 --host mine 'my data.h5' '/it'\''s'"
        );
    }
}
