//! A description of this machine for the manifest, read from `/proc`. What cannot be read is left out.

use std::collections::BTreeMap;
use std::fs;

/// This machine: `cores` usable by this process, `cpu`, `memory_bytes`, `kernel`, `hostname`, `os`, `architecture`
/// and, in a container, `cpu_quota` (quota and period, µs).
pub fn machine() -> BTreeMap<String, String> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let mut facts = vec![
        ("architecture", Some(std::env::consts::ARCH.to_owned())),
        ("cpu", field(&read("/proc/cpuinfo"), "model name", ':')),
        ("hostname", line(&read("/proc/sys/kernel/hostname"))),
        ("kernel", line(&read("/proc/sys/kernel/osrelease"))),
        ("memory_bytes", field(&read("/proc/meminfo"), "MemTotal", ':').and_then(|text| kibibytes(&text))),
        ("os", field(&read("/etc/os-release"), "PRETTY_NAME", '=')),
    ];
    facts.push(("cores", std::thread::available_parallelism().ok().map(|cores| cores.to_string())));
    facts.push(("cpu_quota", line(&read("/sys/fs/cgroup/cpu.max")).filter(|quota| !quota.starts_with("max"))));
    facts.into_iter().filter_map(|(key, fact)| Some((key.to_owned(), fact?))).collect()
}

/// Value of the first line `key SEPARATOR value`, without quotes.
fn field(text: &str, key: &str, separator: char) -> Option<String> {
    text.lines().find_map(|entry| {
        let (found, value) = entry.split_once(separator)?;
        (found.trim() == key).then(|| value.trim().trim_matches('"').to_owned())
    })
}

/// The first line, unless empty.
fn line(text: &str) -> Option<String> {
    text.lines().next().map(|first| first.trim().to_owned()).filter(|first| !first.is_empty())
}

/// `16384 kB` as bytes.
fn kibibytes(text: &str) -> Option<String> {
    let count: u64 = text.strip_suffix("kB")?.trim().parse().ok()?;
    Some((count.checked_mul(1024)?).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_found_in_the_kernels_formats() {
        let cpu = "processor\t: 0\nmodel name\t: Some CPU @ 3.00GHz\n\nprocessor\t: 1\n";
        assert_eq!(field(cpu, "model name", ':').as_deref(), Some("Some CPU @ 3.00GHz"));
        assert_eq!(field("PRETTY_NAME=\"Debian 12\"\n", "PRETTY_NAME", '=').as_deref(), Some("Debian 12"));
        assert_eq!(field("nothing", "model name", ':'), None);
        assert_eq!(kibibytes("2 kB").as_deref(), Some("2048"));
        assert_eq!(kibibytes("two"), None);
        assert_eq!(line("\n"), None);
    }

    #[test]
    fn this_machine_has_cores() {
        let cores: u32 = machine()["cores"].parse().unwrap();
        assert!(cores >= 1);
    }
}
