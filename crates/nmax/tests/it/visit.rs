//! A visitor with a browser's habits, who writes down what goes to and fro as a HAR file.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use nmax_target::Running;
use serde_json::{Value, json};

/// A visit under way.
pub(crate) struct Visit {
    address: std::net::SocketAddr,
    jar: BTreeMap<String, String>,
    /// Instant on the visitor's clock, ms since the visit began.
    now_ms: u64,
    page: u64,
    entries: Vec<Value>,
}

/// What came back.
pub(crate) struct Came {
    pub(crate) location: Option<String>,
    pub(crate) body: String,
}

impl Came {
    /// The value of an attribute of the first element that has this text in its tag.
    #[track_caller]
    pub(crate) fn value(&self, of: &str, attribute: &str) -> String {
        let tags = self.body.split('<').filter(|tag| tag.contains(of));
        let start = format!("{attribute}=\"");
        let found = tags.filter_map(|tag| Some(tag.split_once(&start)?.1.split_once('"')?.0.to_owned())).next();
        found.unwrap_or_else(|| panic!("no {of} with {attribute} in {}", self.body))
    }
}

impl Visit {
    pub(crate) fn new(target: &Running) -> Self {
        Self { address: target.address(), jar: BTreeMap::new(), now_ms: 0, page: 0, entries: Vec::new() }
    }

    /// Signs up, looks around, and orders: the visit of a shop's customer.
    pub(crate) fn order(target: &Running, email: &str, words: &str) -> Self {
        let mut visit = Self::new(target);
        visit.page("/");
        for file in ["/app.css", "/app.js", "/logo.png"] {
            visit.resource(file);
        }
        let csrf = visit.page("/signup").value("name=\"csrf\"", "value");
        let name = "Ann Miller";
        visit.post("/signup", &[("name", name), ("email", email), ("password", "correct horse 7"), ("csrf", &csrf)]);
        let found = visit.page(&format!("/search?q={words}"));
        let item = found.value("class=\"item\"", "href");
        let page = visit.page(&item);
        let (uuid, csrf) = (page.value("name=\"item\"", "value"), page.value("name=\"csrf\"", "value"));
        let basket = visit.post("/basket", &[("item", &uuid), ("pieces", "2"), ("csrf", &csrf)]);
        let csrf = basket.value("name=\"csrf\"", "value");
        let order = visit.post("/order", &[("csrf", &csrf)]);
        assert!(order.body.contains("Order "), "{}", order.body);
        visit
    }

    /// Opens a page after a pause of two seconds.
    pub(crate) fn page(&mut self, path: &str) -> Came {
        self.now_ms += 2_000;
        self.page += 1;
        self.exchange("GET", path, "", "document")
    }

    /// Loads something that the page needs.
    pub(crate) fn resource(&mut self, path: &str) -> Came {
        let kind = match path.rsplit('.').next() {
            Some("css") => "stylesheet",
            Some("js") => "script",
            _ => "image",
        };
        self.exchange("GET", path, "", kind)
    }

    /// Sends a form after a pause, and goes where the reply leads.
    pub(crate) fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Came {
        self.now_ms += 2_000;
        self.page += 1;
        let encode = |text: &str| {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
            let one = |byte: u8| {
                if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
            };
            text.bytes().map(one).collect::<String>()
        };
        let body: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
        let mut came = self.exchange("POST", path, &body.join("&"), "document");
        while let Some(location) = came.location.clone() {
            came = self.exchange("GET", &location, "", "document");
        }
        came
    }

    fn exchange(&mut self, method: &str, path: &str, body: &str, kind: &str) -> Came {
        let origin = format!("http://{}", self.address);
        let mut headers = vec![
            ("host".to_owned(), self.address.to_string()),
            (
                "user-agent".to_owned(),
                "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0".to_owned(),
            ),
            ("accept".to_owned(), if kind == "document" { "text/html" } else { "*/*" }.to_owned()),
            ("connection".to_owned(), "close".to_owned()),
        ];
        if !body.is_empty() {
            headers.push(("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned()));
            headers.push(("content-length".to_owned(), body.len().to_string()));
        }
        let cookies: Vec<String> = self.jar.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if !cookies.is_empty() {
            headers.push(("cookie".to_owned(), cookies.join("; ")));
        }
        let lines: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        write!(stream, "{method} {path} HTTP/1.1\r\n{lines}\r\n{body}").unwrap();
        let mut reply = Vec::new();
        stream.read_to_end(&mut reply).unwrap();
        let end = reply.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(reply[..end].to_vec()).unwrap();
        let (text, is_text) = match String::from_utf8(reply[end + 4..].to_vec()) {
            Ok(text) => (text, true),
            Err(_) => (String::new(), false),
        };
        let got: Vec<(String, String)> = head
            .lines()
            .skip(1)
            .map(|line| line.split_once(": ").unwrap())
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let header = |name: &str| got.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        for (_, cookie) in got.iter().filter(|(name, _)| name == "set-cookie") {
            let (name, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
            self.jar.insert(name.to_owned(), value.to_owned());
        }
        let status: u16 = head.split(' ').nth(1).unwrap().parse().unwrap();
        let took_ms = 20;
        let named = |pairs: &[(String, String)]| {
            let all = pairs.iter().map(|(name, value)| json!({ "name": name, "value": value }));
            all.collect::<Vec<Value>>()
        };
        let mut request = json!({
            "method": method, "url": format!("{origin}{path}"), "httpVersion": "HTTP/1.1", "headers": named(&headers),
            "queryString": [], "cookies": [], "headersSize": -1, "bodySize": body.len()
        });
        if !body.is_empty() {
            request["postData"] = json!({ "mimeType": "application/x-www-form-urlencoded", "text": body });
        }
        let mut content =
            json!({ "size": reply.len() - end - 4, "mimeType": header("content-type").unwrap_or_default() });
        if is_text {
            content["text"] = json!(text);
        }
        self.entries.push(json!({
            "startedDateTime": format!("2026-01-01T10:{:02}:{:02}.{:03}Z", self.now_ms / 60_000, self.now_ms / 1_000 % 60, self.now_ms % 1_000),
            "time": took_ms, "pageref": format!("page_{}", self.page), "_resourceType": kind,
            "request": request,
            "response": { "status": status, "statusText": "", "httpVersion": "HTTP/1.1", "headers": named(&got), "cookies": [],
                "content": content, "redirectURL": header("location").unwrap_or_default(), "headersSize": end + 4, "bodySize": -1 },
            "cache": {}, "timings": { "blocked": 0, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": took_ms, "receive": 0 }
        }));
        self.now_ms += took_ms;
        Came { location: header("location").filter(|_| (300..400).contains(&status)), body: text }
    }

    /// Every entry so far.
    pub(crate) fn entries(&self) -> &[Value] {
        &self.entries
    }

    /// The value of a cookie.
    pub(crate) fn cookie(&self, name: &str) -> &str {
        &self.jar[name]
    }

    /// What was written down, as a browser saves it.
    pub(crate) fn har(&self) -> String {
        let log = json!({ "log": {
            "version": "1.2", "creator": { "name": "Firefox", "version": "140.0" },
            "browser": { "name": "Firefox", "version": "140.0" },
            "pages": (1..=self.page).map(|page| json!({
                "startedDateTime": "2026-01-01T10:00:00.000Z", "id": format!("page_{page}"), "title": "", "pageTimings": {}
            })).collect::<Vec<_>>(),
            "entries": self.entries
        }});
        format!("{log:#}")
    }
}
