//! What the person sees while it records: a line for each exchange on standard error, and how to point a client at the
//! proxy.

use std::collections::HashSet;
use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use nmax_http::{Scheme, Url};
use nmax_import::recording::{Entry, Kind};
use nmax_record::visit::{Listener, RecordingStarted};
use nmax_report::number;
use nmax_text::{Ink, Painted, shown};

use crate::{live, say};

/// Longest path that is shown where the terminal's width is not known, characters.
const PATH_CHARS_MAX: usize = 120;
/// Different reasons for a missing reply that are told; the rest is in the summary.
const REASONS_MAX: usize = 100;

/// Standard error, while it records.
pub(super) struct Screen {
    begin: Instant,
    is_quiet: bool,
    has_color: bool,
    width: Option<usize>,
    /// Reasons for a missing reply that were told.
    reasons: HashSet<String>,
}

impl Screen {
    #[expect(clippy::disallowed_methods, reason = "lines say when they happened")]
    pub(super) fn new(is_quiet: bool) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        Self {
            begin: Instant::now(),
            is_quiet,
            has_color: is_terminal && live::use_color(),
            width: is_terminal.then(live::terminal_width),
            reasons: HashSet::new(),
        }
    }

    fn line(&self, line: &str, ink: Ink) {
        let most = self.width.unwrap_or(PATH_CHARS_MAX).max(40);
        let line = match line.char_indices().nth(most) {
            None => line.to_owned(),
            Some(_) => line.chars().take(most - 1).chain(['…']).collect(),
        };
        say::note(Painted::inked(&line, ink, self.has_color));
    }

    #[expect(clippy::disallowed_methods, reason = "lines say when they happened")]
    fn time(&self) -> String {
        seconds(Instant::now().saturating_duration_since(self.begin))
    }
}

impl Listener for Screen {
    fn note(&mut self, text: &str) {
        say::note(text);
    }

    fn begins(&mut self, begun: &RecordingStarted<'_>) {
        let address = begun.address;
        say::note(format_args!("recording {}; proxy http://{address}", begun.hosts));
        if !address.ip().is_loopback() {
            say::note(
                "anybody who reaches this address can use the proxy: end it when you are done. Loopback and link-local \
                 addresses of this host are closed to other clients, except those of recorded hosts",
            );
        }
        if begun.has_browser {
            say::note("the browser is open: click through, and close it when you are done");
        } else {
            say::note(hints(address, begun.certificate, begun.url));
        }
        say::note("Enter names what you do next, q and Enter or Ctrl-C ends the recording");
    }

    fn exchange(&mut self, entry: &Entry) {
        if self.is_quiet || entry.request.url.is_empty() {
            return;
        }
        let status = entry.response.as_ref().map_or(0, |response| response.status);
        let code = match status {
            0 => "---".to_owned(),
            code => code.to_string(),
        };
        let total = entry.timings.total.unwrap_or_default();
        let bytes = entry.response.as_ref().and_then(|response| response.bytes);
        let size = bytes.map_or_else(String::new, |bytes| number::bytes(bytes as f64));
        let (_, rest) = entry.request.url.split_once("//").unwrap_or(("", ""));
        let path = rest.find('/').map_or("/", |at| &rest[at..]);
        let mut line = format!(
            "{} {:<7} {code} {:>8} {size:>9}  {}",
            self.time(),
            shown(&entry.request.method),
            number::time(total.as_nanos() as f64),
            shown(path)
        );
        if entry.kind == Kind::Socket {
            line.push_str(&format!(" (WebSocket, {} messages)", entry.messages.len()));
        }
        let has_reply = entry.response.is_some();
        if !entry.comment.is_empty() && has_reply {
            line.push_str(&format!(" ({})", shown(&entry.comment)));
        }
        let ink = match status {
            0 | 500.. => Ink::Bad,
            400.. => Ink::Warning,
            300.. => Ink::Accent,
            _ => Ink::Plain,
        };
        self.line(&line, ink);
        // In full, for it says what to do; once, for a page asks for many things.
        let is_new = !has_reply && self.reasons.len() < REASONS_MAX && self.reasons.insert(entry.comment.clone());
        if is_new && !entry.comment.is_empty() {
            say::note(format_args!("        no reply: {}", shown(&entry.comment)));
        }
    }

    fn passed(&mut self, host: &str) {
        if !self.is_quiet {
            let line = format!("{} {} passes undecrypted, not recorded", self.time(), shown(host));
            self.line(&line, Ink::Dim);
        }
    }

    fn untrusted(&mut self, host: &str, reason: &str) {
        say::note(format_args!("{} {}: {}", self.time(), shown(host), shown(reason)));
    }

    fn request_name(&mut self) {
        say::note("name of what you do next (none: never mind, q: end the recording):");
    }

    fn cancel_name(&mut self) {
        say::note("no name, so nothing is marked");
    }

    fn marked(&mut self, name: &str) {
        self.line(&format!("{} --- {} ---", self.time(), shown(name)), Ink::Bold);
    }
}

/// Since the beginning, as `12.3s` or `5:07.1`.
fn seconds(span: Duration) -> String {
    let tenths = span.as_millis() / 100;
    let text = match tenths / 600 {
        0 => format!("{}.{}s", tenths / 10, tenths % 10),
        minutes => format!("{minutes}:{:02}.{}", tenths / 10 % 60, tenths % 10),
    };
    format!("{text:>7}")
}

/// How to point any client at the proxy.
fn hints(address: SocketAddr, certificate: &Path, url: &Url) -> String {
    let file = certificate.display();
    let is_encrypted = url.origin.scheme == Scheme::Https;
    let cacert = if is_encrypted { format!(" --cacert {file}") } else { String::new() };
    let mut text = format!(
        "point a client at it:\n  curl      curl --proxy http://{address} --noproxy ''{cacert} '{url}'\n  \
         service   HTTP_PROXY=http://{address} HTTPS_PROXY=http://{address} NO_PROXY= SSL_CERT_FILE={file}\n  \
         browser   chromium --user-data-dir=$(mktemp -d) --proxy-server=http://{address} \
         '--proxy-bypass-list=<-loopback>'\n"
    );
    if address.ip().is_loopback() {
        text.push_str("  phone     start again with --listen 0.0.0.0:8888\n");
    } else {
        let host = if address.ip().is_unspecified() {
            format!("THIS-MACHINE:{}", address.port())
        } else {
            address.to_string()
        };
        text.push_str(&format!(
            "  phone     set {host} as the proxy of its network, open http://{host}/ca.crt on it, and trust the certificate; \
             remove it afterwards\n"
        ));
    }
    text.push_str(&format!(
        "the certificate for clients is {file}: trust it for this recording only; it goes away at the end"
    ));
    text
}
