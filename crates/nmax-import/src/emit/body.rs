//! What a request sends after its head.

use nmax_plan::document::write::Yaml;
use nmax_text::shown;
use serde_json::Value;

use super::files::Files;
use super::fill::{Changes, expanded, literal};
use crate::parts::{Content, Count, Leaf, Upload, ValueLocation, content, essence, leaves, push_token, repeats_names};
use crate::recording::Request;

/// Longest name of a field that is written as a key of the plan, in bytes.
const KEY_BYTES_MAX: usize = 200;
/// Most fields that are written one by one.
const FIELDS_MAX: usize = 1000;
/// Most values of JSON that are written one by one.
const LEAVES_MAX: usize = 40;
/// Longest line of a form or JSON text on one line, in characters.
const LINE_CHARS_MAX: usize = 100;

/// A body as it is written.
pub(super) struct Written {
    pub(super) key: &'static str,
    pub(super) yaml: Yaml,
    /// The content type that follows from the key; `None` when no header may say another one.
    pub(super) implied: Option<&'static str>,
}

/// What is needed to write a body.
pub(super) struct Scope<'a> {
    pub(super) entry: usize,
    pub(super) changes: &'a Changes<'a>,
    pub(super) files: &'a mut Files,
    /// Larger ones are kept in files.
    pub(super) bytes_max: usize,
    /// A file that is kept apart holds a secret.
    pub(super) is_secret: &'a dyn Fn(&[u8]) -> bool,
    /// Files that are uploaded are on the disk, under the names in the request.
    pub(super) has_files: bool,
    pub(super) warnings: &'a mut Vec<String>,
}

/// The body of a request; `None` when it has none.
pub(super) fn body(request: &Request, scope: &mut Scope<'_>) -> Option<Written> {
    let body = request.body.as_ref()?;
    if let Some(file) = &body.file {
        return Some(file_body(expanded(file)));
    }
    let is_large = body.bytes.len() > scope.bytes_max && !scope.changes.has_in_body(scope.entry);
    let content = content(request);
    match &content {
        Content::Empty => None,
        Content::Multipart(uploads) if is_writable(uploads) => {
            Some(Written { key: "multipart", yaml: multipart(uploads, scope), implied: None })
        }
        Content::Bytes(bytes) => Some(kept(bytes, request, scope)),
        _ if is_large => Some(kept(&body.bytes, request, scope)),
        Content::Form(fields)
            if fields.len() <= FIELDS_MAX && fields.iter().all(|(name, _)| name.len() <= KEY_BYTES_MAX) =>
        {
            Some(Written { key: "form", yaml: form(fields, scope), implied: Some("application/x-www-form-urlencoded") })
        }
        Content::Form(_) | Content::Multipart(_) => Some(kept(&body.bytes, request, scope)),
        Content::Json(text) => {
            Some(Written { key: "json", yaml: json(text, scope), implied: Some("application/json") })
        }
        Content::Text(text) => Some(Written {
            key: "body",
            yaml: Yaml::text(scope.changes.text(scope.entry, &ValueLocation::Body, text)),
            implied: Some("text/plain; charset=utf-8"),
        }),
    }
}

fn file_body(file: String) -> Written {
    Written { key: "file", yaml: Yaml::text(file), implied: Some("") }
}

/// A body that is sent from a file.
fn kept(bytes: &[u8], request: &Request, scope: &mut Scope<'_>) -> Written {
    let mime = crate::recording::header(&request.headers, "content-type").unwrap_or_default();
    let mime = essence(mime);
    let like = match mime.rsplit(['/', '+']).next() {
        Some("json") => "body.json",
        Some("xml") => "body.xml",
        Some("plain") => "body.txt",
        _ => "body.bin",
    };
    file_body(scope.keep(bytes, like))
}

impl Scope<'_> {
    /// Keeps bytes in a file beside the plan; its name. One with a secret is said to be there.
    fn keep(&mut self, bytes: &[u8], like: &str) -> String {
        let is_secret = (self.is_secret)(bytes);
        let name = self.files.body(bytes, like, is_secret);
        let warning = format!("{name} holds a secret: only you may read it, and it is kept out of version control");
        if is_secret && !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
        name
    }
}

/// Names and values in order: a map when every name is there once, else a list of maps.
pub(super) fn pairs(pairs: Vec<(String, Yaml)>) -> Yaml {
    let is_repeated = |index: usize| pairs[..index].iter().any(|(name, _)| *name == pairs[index].0);
    let width: usize = pairs.iter().map(|(name, value)| name.len() + value.to_string().len() + 4).sum();
    let yaml = if (0..pairs.len()).any(is_repeated) {
        return Yaml::List(pairs.into_iter().map(|pair| Yaml::Map(vec![pair]).on_one_line()).collect());
    } else {
        Yaml::Map(pairs)
    };
    if width <= LINE_CHARS_MAX { yaml.on_one_line() } else { yaml }
}

fn form(fields: &[(String, String)], scope: &Scope<'_>) -> Yaml {
    let mut count = Count::default();
    let field = |(name, value): &(String, String)| {
        let place = ValueLocation::Field(name.clone(), count.next(name));
        (literal(name), Yaml::text(scope.changes.text(scope.entry, &place, value)))
    };
    pairs(fields.iter().map(field).collect())
}

fn is_writable(uploads: &[Upload<'_>]) -> bool {
    !uploads.is_empty()
        && uploads.len() <= FIELDS_MAX
        && uploads.iter().all(|upload| !upload.name.is_empty() && upload.name.len() <= KEY_BYTES_MAX)
}

fn multipart(uploads: &[Upload<'_>], scope: &mut Scope<'_>) -> Yaml {
    let mut count = Count::default();
    let mut written = Vec::new();
    for upload in uploads {
        let yaml = match upload.text() {
            Some(text) => {
                let place = ValueLocation::Field(upload.name.clone(), count.next(&upload.name));
                let text = Yaml::text(scope.changes.text(scope.entry, &place, text));
                match content_type(upload) {
                    Some(kind) => Yaml::Map(vec![("text".to_owned(), text), kind]).on_one_line(),
                    None => text,
                }
            }
            None => file(upload, scope),
        };
        written.push((literal(&upload.name), yaml));
    }
    pairs(written)
}

/// A file of a form.
fn file(upload: &Upload<'_>, scope: &mut Scope<'_>) -> Yaml {
    let given = upload.file_name.as_deref().unwrap_or_default();
    let name = if upload.content.is_empty() && scope.has_files {
        expanded(given)
    } else {
        let name = scope.keep(upload.content, given);
        if upload.content.is_empty() && !given.is_empty() {
            let given: String = given.chars().take(80).collect();
            let shown = shown(&given);
            scope
                .warnings
                .push(format!("the recording has no content of the uploaded file `{shown}`: put it into {name}"));
        }
        name
    };
    let base = given.rsplit(['/', '\\']).next().unwrap_or(given);
    let mut map = vec![("file".to_owned(), Yaml::text(name))];
    map.extend(content_type(upload));
    // Without a name of its own a part would take that of the file here.
    map.push(("name".to_owned(), Yaml::text(literal(base))));
    Yaml::Map(map).on_one_line()
}

fn content_type(upload: &Upload<'_>) -> Option<(String, Yaml)> {
    let kind = upload.content_type.as_deref()?;
    let (main, sub) = essence(kind).split_once('/').map(|(main, sub)| (main.to_owned(), sub.to_owned()))?;
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-+._".contains(&byte))
    };
    let is_type = is_word(&main) && is_word(&sub) && !kind.contains(|c: char| c.is_control() || c == '$');
    is_type.then(|| ("type".to_owned(), Yaml::text(kind)))
}

/// JSON as YAML where that says the same and stays short, else as a text.
fn json(text: &str, scope: &Scope<'_>) -> Yaml {
    let leaves = leaves(text).unwrap_or_default();
    let is_bare =
        |leaf: &Leaf| leaf.is_bare && scope.changes.has(scope.entry, &ValueLocation::Json(leaf.pointer.clone()));
    let value: Option<Value> = serde_json::from_str(text).ok();
    let is_short = leaves.len() <= LEAVES_MAX && !leaves.iter().any(is_bare);
    if let Some(value @ (Value::Object(_) | Value::Array(_))) = value.filter(|_| is_short)
        && is_plain(&value, 0)
        // YAML could not say a name twice.
        && !repeats_names(text)
    {
        let yaml = yaml(&value, &mut String::new(), &leaves, scope);
        let is_line = text.len() <= LINE_CHARS_MAX;
        return if is_line { yaml.on_one_line() } else { yaml };
    }
    Yaml::text(json_text(text, &leaves, scope))
}

/// Whether keys are short and nesting is shallow.
fn is_plain(value: &Value, depth: usize) -> bool {
    const DEPTH_MAX: usize = 8;
    match value {
        Value::Object(members) => {
            depth < DEPTH_MAX
                && members.iter().all(|(key, value)| key.len() <= KEY_BYTES_MAX && is_plain(value, depth + 1))
        }
        Value::Array(items) => depth < DEPTH_MAX && items.iter().all(|value| is_plain(value, depth + 1)),
        _ => true,
    }
}

fn yaml(value: &Value, pointer: &mut String, leaves: &[Leaf], scope: &Scope<'_>) -> Yaml {
    let below = |pointer: &mut String, token: &str, value: &Value| {
        let length = pointer.len();
        push_token(pointer, token);
        let yaml = yaml(value, pointer, leaves, scope);
        pointer.truncate(length);
        yaml
    };
    match value {
        Value::Null => Yaml::plain("null"),
        Value::Object(members) => {
            Yaml::Map(members.iter().map(|(key, value)| (literal(key), below(pointer, key, value))).collect())
        }
        Value::Array(items) => {
            let items = items.iter().enumerate();
            Yaml::List(items.map(|(at, value)| below(pointer, &at.to_string(), value)).collect())
        }
        Value::String(text) => Yaml::text(scope.changes.text(scope.entry, &ValueLocation::Json(pointer.clone()), text)),
        Value::Bool(_) | Value::Number(_) => {
            let written = leaves.iter().find(|leaf| leaf.pointer == *pointer);
            Yaml::plain(written.map_or_else(|| value.to_string(), |leaf| leaf.value.clone()))
        }
    }
}

/// The text with variables in the place of its leaves.
fn json_text(text: &str, leaves: &[Leaf], scope: &Scope<'_>) -> String {
    let mut out = String::new();
    let mut at = 0;
    for leaf in leaves {
        let place = ValueLocation::Json(leaf.pointer.clone());
        let is_changed = match leaf.is_bare {
            // A part of a number is no value of its own.
            true => scope.changes.has_whole(scope.entry, &place, leaf.value.len()),
            false => scope.changes.has(scope.entry, &place),
        };
        if !is_changed {
            continue;
        }
        out.push_str(&literal(&text[at..leaf.span.start]));
        let escaped = |text: &str| {
            let quoted = Value::from(text).to_string();
            literal(&quoted[1..quoted.len() - 1])
        };
        let filled = scope.changes.fill(scope.entry, &place, &leaf.value, escaped);
        out.push_str(&if leaf.is_bare { filled } else { format!("\"{filled}\"") });
        at = leaf.span.end;
    }
    out.push_str(&literal(&text[at..]));
    out
}
