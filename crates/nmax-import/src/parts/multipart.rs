//! Multipart forms (RFC 7578) taken apart.

/// A field of a multipart form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upload<'a> {
    /// Its name.
    pub name: String,
    /// Name of the file, where it is one.
    pub file_name: Option<String>,
    /// Content type, where it says one.
    pub content_type: Option<String>,
    /// Its bytes.
    pub content: &'a [u8],
}

impl Upload<'_> {
    /// Its content when it is a text and no file.
    pub fn text(&self) -> Option<&str> {
        let text = std::str::from_utf8(self.content).ok()?;
        self.file_name.is_none().then_some(text)
    }
}

/// The fields of a body; `None` when it is none, or a field has no name. O(length).
pub(crate) fn uploads<'a>(body: &'a [u8], boundary: &str) -> Option<Vec<Upload<'a>>> {
    let delimiter = format!("--{boundary}");
    let mut found = Vec::new();
    let mut at = find(body, delimiter.as_bytes(), 0)? + delimiter.len();
    loop {
        let rest = body.get(at..)?;
        if rest.starts_with(b"--") {
            return Some(found).filter(|found| !found.is_empty());
        }
        let start = at + find(rest, b"\n", 0)? + 1;
        let end = find(body, format!("\r\n{delimiter}").as_bytes(), start.checked_sub(2)?)?;
        found.push(upload(body.get(start..end)?)?);
        at = end + 2 + delimiter.len();
    }
}

fn upload(part: &[u8]) -> Option<Upload<'_>> {
    let blank = find(part, b"\r\n\r\n", 0)?;
    let head = String::from_utf8_lossy(&part[..blank]);
    let header = |name: &str| {
        head.lines().find_map(|line| {
            let (own, value) = line.split_once(':')?;
            own.trim().eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    };
    let disposition = header("content-disposition")?;
    Some(Upload {
        name: parameter(&disposition, "name")?,
        file_name: parameter(&disposition, "filename"),
        content_type: header("content-type"),
        content: &part[blank + 4..],
    })
}

/// A parameter of a header, out of its quotes; browsers write `"` in a name as `%22`.
fn parameter(header: &str, name: &str) -> Option<String> {
    let lower = header.to_ascii_lowercase();
    let key = format!("{name}=");
    let at = lower.match_indices(&key).map(|(at, _)| at).find(|at| lower[..*at].ends_with([' ', ';', '\t']))?;
    let rest = header.get(at + key.len()..)?;
    let value = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => rest.split(';').next()?.trim(),
    };
    Some(value.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n"))
}

fn find(bytes: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    rest.windows(wanted.len()).position(|window| window == wanted).map(|at| from + at)
}
