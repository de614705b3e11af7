//! Bodies of several parts, line by line: which lines are the content of a part whose name is a secret's.

use nmax_engine::{multipart_boundary, part_name};
use nmax_plan::secret::is_secret_name;

/// Where a body of several parts is.
#[derive(Debug, Default)]
pub struct Parts {
    /// What begins a line between parts; `None` in other messages.
    separator: Option<String>,
    is_part_head: bool,
    is_secret: bool,
}

impl Parts {
    /// Looks at a line of the message's head.
    pub fn header(&mut self, line: &[u8]) {
        let line = String::from_utf8_lossy(line);
        if let Some(boundary) = multipart_boundary(&line) {
            self.separator = Some(format!("--{boundary}"));
        }
    }

    /// Whether a line of the body is a secret. What follows a line without an end is one until the next part begins: its
    /// place in the body is not known.
    pub fn holds_secret(&mut self, line: &[u8]) -> bool {
        let Some(separator) = &self.separator else {
            return false;
        };
        let (is_content, was_secret) = (!self.is_part_head, self.is_secret);
        let begins_part = line.starts_with(separator.as_bytes());
        if !line.ends_with(b"\n") {
            (self.is_part_head, self.is_secret) = (false, true);
        } else if begins_part {
            (self.is_part_head, self.is_secret) = (true, false);
        } else if self.is_part_head {
            let text = String::from_utf8_lossy(line);
            self.is_secret |= part_name(&text).is_some_and(is_secret_name);
            self.is_part_head = !text.trim().is_empty();
        }
        is_content && was_secret && !begins_part
    }
}
