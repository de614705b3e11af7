//! Events of a stream (`text/event-stream`), read as its bytes pass: the `data` of each, as a browser hands it to a page.

/// Bytes of one event that are kept; a longer one is left out.
const EVENT_BYTES_MAX: usize = 1 << 20;

/// Reads a stream.
#[derive(Debug, Default)]
pub(crate) struct Stream {
    line: Vec<u8>,
    data: String,
    has_data: bool,
    /// The byte before was a carriage return, which ends a line with or without a line feed.
    after_return: bool,
}

impl Stream {
    /// Takes the next bytes, in pieces of any size; gives the events that they complete.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut events = Vec::new();
        for &byte in bytes {
            let was_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if was_return => {}
                b'\n' | b'\r' => events.extend(self.end_of_line()),
                _ if self.line.len() < EVENT_BYTES_MAX => self.line.push(byte),
                _ => {}
            }
        }
        events
    }

    fn end_of_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            return std::mem::take(&mut self.has_data).then_some(data);
        }
        let value = line.strip_prefix(b"data").filter(|rest| rest.is_empty() || rest[0] == b':');
        if let Some(value) = value {
            let value = value.strip_prefix(b":").unwrap_or(value);
            let value = value.strip_prefix(b" ").unwrap_or(value);
            if self.data.len() + value.len() < EVENT_BYTES_MAX {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push('\n');
                }
                self.data.push_str(&String::from_utf8_lossy(value));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
