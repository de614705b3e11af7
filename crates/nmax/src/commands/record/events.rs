//! What a program sees while it records: a line of JSON on standard output for each thing that happens.

use nmax_import::recording::{Entry, Kind};
use nmax_record::visit::{Listener, RecordingStarted};
use serde_json::{Value, json};

use crate::say;

/// Standard output, while it records for a program.
pub(super) struct Events;

fn line(event: &Value) {
    say::line(event.to_string());
}

impl Listener for Events {
    fn note(&mut self, text: &str) {
        line(&json!({"event": "note", "text": text}));
    }

    fn begins(&mut self, begun: &RecordingStarted<'_>) {
        line(&json!({
            "event": "begins",
            "proxy": begun.address.to_string(),
            "has_browser": begun.has_browser,
            "certificate": begun.certificate.display().to_string(),
        }));
    }

    fn exchange(&mut self, entry: &Entry) {
        if entry.request.url.is_empty() {
            return;
        }
        let is_step = matches!(entry.kind, Kind::Document | Kind::Call | Kind::Socket | Kind::Events | Kind::Other);
        line(&json!({
            "event": "exchange",
            "at_us": entry.sent_us,
            "method": entry.request.method,
            "url": entry.request.url,
            "status": entry.response.as_ref().map_or(0, |response| response.status),
            "is_step": is_step,
        }));
    }

    fn passed(&mut self, host: &str) {
        line(&json!({"event": "passed", "host": host}));
    }

    fn untrusted(&mut self, host: &str, reason: &str) {
        line(&json!({"event": "note", "text": format!("{host}: {reason}")}));
    }

    fn request_name(&mut self) {}

    fn cancel_name(&mut self) {}

    fn marked(&mut self, name: &str) {
        line(&json!({"event": "marked", "name": name}));
    }
}
