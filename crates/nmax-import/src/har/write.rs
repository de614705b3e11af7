//! Recording to HAR.

use crate::recording::{Entry, Mark, Recording};

/// Writes a recording as a HAR 1.2 file whose creator is `nmax` of this version.
pub fn write(recording: &Recording, version: &str) -> String {
    let mut writer = Writer::default();
    let mut text = writer.begin(version);
    for entry in &recording.entries {
        text.push_str(&writer.entry(entry));
    }
    for mark in &recording.marks {
        writer.mark(mark.clone());
    }
    text + &writer.end()
}

/// Writes a HAR 1.2 file piece by piece: `begin`, then `entry` and `mark` as things happen, then `end`. A file without
/// its end is readable by [`super::read`].
#[derive(Debug, Default)]
pub struct Writer {
    marks: Vec<Mark>,
}

impl Writer {
    /// What the file begins with; `version` is that of nmax.
    pub fn begin(&mut self, version: &str) -> String {
        format!(
            "{{\"log\":{{\"version\":\"1.2\",\"creator\":{{\"name\":\"nmax\",\"version\":\"{version}\"}},\"entries\":["
        )
    }

    /// An exchange, in the order in which they end.
    pub fn entry(&mut self, entry: &Entry) -> String {
        let _ = entry;
        String::new()
    }

    /// A name for what follows. It is written with the next entry or the end.
    pub fn mark(&mut self, mark: Mark) {
        self.marks.push(mark);
    }

    /// What the file ends with.
    pub fn end(&mut self) -> String {
        "]}}\n".to_owned()
    }
}
