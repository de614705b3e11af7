//! A small reader of `Cargo.toml`: sections and the keys in them, not all of TOML.

/// A manifest's lines, by section.
#[derive(Clone, Debug, Default)]
pub(crate) struct Manifest {
    entries: Vec<Entry>,
}

/// A `key = value` line.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The section's name, such as `dev-dependencies`.
    pub(crate) section: String,
    /// The first part of the key: `tokio` of `tokio.workspace`.
    pub(crate) key: String,
    /// The rest of the key and the value, such as `.workspace = true`.
    pub(crate) rest: String,
    /// Its line, from 1.
    pub(crate) line: usize,
}

impl Manifest {
    /// Reads `text`; what it does not understand is left out.
    pub(crate) fn parse(text: &str) -> Self {
        let mut section = String::new();
        let mut entries = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if let Some(name) = line.strip_prefix('[') {
                section = name.trim_matches(['[', ']']).to_owned();
                // `[dependencies.tokio]` is an entry of `dependencies`.
                if let Some((parent, key)) = section.rsplit_once("dependencies.") {
                    let section = format!("{parent}dependencies");
                    entries.push(Entry { section, key: key.to_owned(), rest: String::new(), line: number + 1 });
                }
            } else if !line.starts_with('#') && line.contains('=') {
                let end = line.find(|c: char| !(c.is_alphanumeric() || "-_\"".contains(c))).unwrap_or(line.len());
                let key = line[..end].trim_matches('"').to_owned();
                entries.push(Entry { section: section.clone(), key, rest: line[end..].to_owned(), line: number + 1 });
            }
        }
        Self { entries }
    }

    /// The entries of `section`, also of its form for one platform (`target.'cfg(unix)'.dependencies`).
    pub(crate) fn section<'a>(&'a self, section: &'a str) -> impl Iterator<Item = &'a Entry> {
        self.entries.iter().filter(move |entry| {
            entry.section == section
                || entry.section.starts_with("target.") && entry.section.ends_with(&format!(".{section}"))
        })
    }
}
