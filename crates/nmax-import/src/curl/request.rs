//! What a command asks for, put together as curl does.

use super::options::Means;
use super::shell_words::Word;
use crate::form;
use crate::parts::{split, without_fragment, without_login};
use crate::recording::{Body, Field, Request};

/// What the options of a command say.
#[derive(Debug, Default)]
pub(super) struct CurlOptions {
    pub(super) method: Option<String>,
    pub(super) headers: Vec<(String, String)>,
    /// Headers that curl is told to leave out, in small letters.
    pub(super) removed: Vec<String>,
    pub(super) urls: Vec<Word>,
    /// Where the first option of each kind of body stands.
    pub(super) bodies: Vec<(Kind, String)>,
    pub(super) data: Vec<String>,
    /// File of the data, and where it is named.
    pub(super) file: Option<Word>,
    pub(super) is_json: bool,
    pub(super) fields: Vec<Field>,
    pub(super) cookies: Vec<String>,
    pub(super) query: Vec<String>,
    pub(super) upload: Option<String>,
    pub(super) puts_data_in_query: bool,
    pub(super) is_head: bool,
    pub(super) is_to_follow: bool,
}

/// What a request sends; curl refuses two of them in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Data,
    Form,
    Upload,
}

impl Kind {
    pub(super) fn from_means(means: Means) -> Option<Self> {
        match means {
            Means::Data | Means::RawData | Means::UrlencodedData | Means::Json => Some(Self::Data),
            Means::Form | Means::FormText => Some(Self::Form),
            Means::Upload => Some(Self::Upload),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Data => "data (`-d`, `--json`)",
            Self::Form => "a form (`-F`)",
            Self::Upload => "a file (`-T`)",
        }
    }
}

/// What a command asks for once: a request, and whether redirects are followed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CurlRequest {
    pub(super) request: Request,
    pub(super) is_to_follow: bool,
}

impl CurlOptions {
    /// The request for a URL; else what is wrong with it.
    pub(super) fn request_for(&self, text: &str) -> Result<CurlRequest, String> {
        Ok(CurlRequest { request: request(url(text, self)?, self), is_to_follow: self.is_to_follow })
    }
}

/// The URL as curl completes it.
fn url(text: &str, options: &CurlOptions) -> Result<String, String> {
    let url = without_fragment(text).trim();
    let mut url = match url.split_once("://") {
        Some((scheme, rest)) if matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https") => {
            format!("{}://{rest}", scheme.to_ascii_lowercase())
        }
        Some((scheme, _)) => return Err(format!("the scheme `{scheme}` is not HTTP")),
        None => format!("http://{url}"),
    };
    let host = split(&url).host;
    if host.is_empty() || host.contains([' ', '"', '\'', '<', '>', '\\']) || url.contains(char::is_control) {
        return Err(format!("`{}` is not a URL", text.trim()));
    }
    let mut query = options.query.clone();
    if options.puts_data_in_query && !options.data.is_empty() {
        query.push(options.data.join("&"));
    }
    if !query.is_empty() {
        let sign = if url.contains('?') { '&' } else { '?' };
        url = format!("{url}{sign}{}", query.join("&"));
    }
    if let Some(file) = &options.upload
        && split(&url).path.ends_with('/')
    {
        url = format!("{}/{}", url.trim_end_matches('/'), file.rsplit(['/', '\\']).next().unwrap_or_default());
    }
    Ok(url)
}

fn request(url: String, options: &CurlOptions) -> Request {
    let (url, login) = without_login(&url).unwrap_or((url, None));
    let mut headers = options.headers.clone();
    let has = |headers: &[(String, String)], name: &str| headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
    let body = body(options, crate::recording::header(&headers, "content-type"));
    let mut add = |name: &str, value: &str| {
        if !has(&headers, name) && !options.removed.iter().any(|removed| removed == name) {
            headers.push((name.to_owned(), value.to_owned()));
        }
    };
    if let Some(body) = body.as_ref().filter(|body| !body.mime.is_empty()) {
        add("content-type", &body.mime);
    }
    add("accept", if options.is_json { "application/json" } else { "*/*" });
    if let Some(login) = login {
        add("authorization", &login);
    }
    if !options.cookies.is_empty() {
        add("cookie", &options.cookies.join("; "));
    }
    let method = match (&options.method, &body, options.is_head) {
        (Some(method), ..) => method.to_ascii_uppercase(),
        (None, _, true) => "HEAD".to_owned(),
        (None, Some(_), _) if options.upload.is_some() => "PUT".to_owned(),
        (None, Some(_), _) => "POST".to_owned(),
        (None, None, _) => "GET".to_owned(),
    };
    Request { method, url, headers, body, version: String::new() }
}

fn body(options: &CurlOptions, mime: Option<&str>) -> Option<Body> {
    let file = options.upload.clone().or_else(|| Some(options.file.as_ref()?.text.clone()));
    if options.puts_data_in_query || (options.data.is_empty() && options.fields.is_empty() && file.is_none()) {
        return None;
    }
    if !options.fields.is_empty() {
        let (mime, bytes) = form::encode("multipart/form-data", &options.fields)?;
        let fields = form::fields(&mime, &bytes).unwrap_or_default();
        return Some(Body { mime, bytes, fields, ..Body::default() });
    }
    let usual = match (options.is_json, options.upload.is_some()) {
        (true, _) => "application/json",
        (false, true) => "",
        (false, false) => "application/x-www-form-urlencoded",
    };
    let mime = mime.unwrap_or(usual).to_owned();
    let bytes = options.data.join(if options.is_json { "" } else { "&" }).into_bytes();
    Some(Body { fields: form::fields(&mime, &bytes).unwrap_or_default(), mime, bytes, file, ..Body::default() })
}
