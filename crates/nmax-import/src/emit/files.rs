//! Files beside the plan.

/// A file beside the plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// Its name, without folders.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
    /// It holds secrets: mode 0600, and named in a `.gitignore` beside it.
    pub is_secret: bool,
}

/// Stands in the names of files that hold a body, before its number.
const BODY: &str = ".body-";

impl File {
    /// Whether it holds the body of a request, such as an uploaded file: mode 0600.
    pub fn is_body(&self) -> bool {
        self.name.contains(BODY)
    }
}

/// The part that names of a plan's files have in common: letters, digits, `-`, `_` and `.`.
pub fn stem(name: &str) -> String {
    let mut stem = String::new();
    for c in name.chars().take(60) {
        if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') {
            stem.push(c);
        } else if !stem.ends_with('-') {
            stem.push('-');
        }
    }
    let stem = stem.trim_matches(['-', '.']);
    if stem.is_empty() { "recording".to_owned() } else { stem.to_owned() }
}

/// The files of a plan while it is written.
pub(super) struct Files {
    stem: String,
    pub(super) list: Vec<File>,
}

impl Files {
    pub(super) fn new(stem: String) -> Self {
        Self { stem, list: Vec::new() }
    }

    pub(super) fn stem(&self) -> &str {
        &self.stem
    }

    /// Name of the plan's own file.
    pub(super) fn plan(&self) -> String {
        format!("{}.yaml", self.stem)
    }

    /// A CSV file of these rows; its name.
    pub(super) fn table(&mut self, name: &str, columns: &[String], rows: &[Vec<String>], is_secret: bool) -> String {
        let mut text = String::new();
        for row in std::iter::once(columns).chain(rows.iter().map(Vec::as_slice)) {
            let cells: Vec<String> = row.iter().map(|cell| quoted(cell)).collect();
            text.push_str(&cells.join(","));
            text.push('\n');
        }
        let name = format!("{}.{name}.csv", self.stem);
        self.list.push(File { name: name.clone(), bytes: text.into_bytes(), is_secret });
        name
    }

    /// A file of these bytes, made once; its name. The extension is that of `like`, where it has one.
    pub(super) fn body(&mut self, bytes: &[u8], like: &str, is_secret: bool) -> String {
        if let Some(known) = self.list.iter().find(|file| file.bytes == bytes && file.is_body()) {
            return known.name.clone();
        }
        let number = self.list.iter().filter(|file| file.is_body()).count() + 1;
        let extension = like.rsplit_once('.').map(|(_, extension)| extension);
        let is_plain = |extension: &&str| {
            (1..=8).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        let extension = extension.filter(is_plain).unwrap_or("bin").to_ascii_lowercase();
        let name = format!("{}{BODY}{number}.{extension}", self.stem);
        self.list.push(File { name: name.clone(), bytes: bytes.to_vec(), is_secret });
        name
    }
}

/// A cell of CSV (RFC 4180).
fn quoted(cell: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-.@+/ ".contains(c);
    if !cell.is_empty() && cell.chars().all(is_plain) && cell.trim() == cell {
        return cell.to_owned();
    }
    nmax_text::csv::in_quotes(cell)
}
