//! A window of an injector on its way, with what came beside it: a line of JSON, then the frame.

use serde::{Deserialize, Serialize};

/// Longest line before the frame, bytes.
const HEAD_BYTES_MAX: usize = 4 << 20;

/// Which batch it is, for ever: none is counted twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BatchId {
    /// Number of the shard.
    pub shard: u32,
    /// How often the shard was granted, from 1.
    pub epoch: u32,
    /// Number of the batch in its epoch.
    pub sequence: u64,
}

/// What an injector hands over.
#[derive(Clone, Debug, PartialEq)]
pub enum Item<W> {
    /// What was measured in a window.
    Window {
        /// Number of the window.
        index: u64,
        /// What was measured.
        window: W,
    },
    /// Its part has come to its end.
    End(End),
}

/// The end of an injector's part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// One more than the number of its last window.
    pub windows: u64,
    /// One more than the number of its last window with load: one that was stopped when its lease ran out measures on.
    pub loaded: u64,
    /// Windows that it measured and could not keep.
    pub unkept: u64,
    /// How uncertain its clock was against the broker's, ns: the worst of the run.
    pub clock_error_ns: u64,
    /// How far its clock and the broker's moved apart during the run, ns, beyond what is uncertain.
    pub clock_moved_ns: u64,
    /// Why it ended before its plan did, if it did.
    pub why: Option<String>,
}

/// What an injector sends.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// Id of the run.
    pub run: String,
    /// Which one it is.
    pub id: BatchId,
    /// A frame ([`nmax_metrics::Frame`]) with what came beside it, or the end.
    pub item: Item<Content>,
}

/// What was measured in a window, as it is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Content {
    /// The frame.
    pub frame: Vec<u8>,
    /// Readings, failures and events as lines of a run's directory.
    pub notes: String,
}

/// Why bytes are no batch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the batch is damaged: {0}")]
pub struct BatchError(String);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    protocol: u32,
    run: String,
    id: BatchId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    window: Option<u64>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    notes: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<End>,
}

impl Batch {
    /// The batch as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let head = Head {
            protocol: crate::records::PROTOCOL,
            run: self.run.clone(),
            id: self.id,
            window: None,
            notes: String::new(),
            end: None,
        };
        let (head, frame) = match &self.item {
            Item::Window { index, window } => {
                (Head { window: Some(*index), notes: window.notes.clone(), ..head }, &window.frame[..])
            }
            Item::End(end) => (Head { end: Some(end.clone()), ..head }, &[][..]),
        };
        let mut bytes = crate::records::encode(&head);
        bytes.push(b'\n');
        bytes.extend_from_slice(frame);
        bytes
    }

    /// The batch that bytes are.
    ///
    /// # Errors
    /// When they are none.
    pub fn decode(bytes: &[u8]) -> Result<Self, BatchError> {
        let of = |text: &str| BatchError(text.into());
        let line = bytes.iter().take(HEAD_BYTES_MAX).position(|byte| *byte == b'\n');
        let (head, frame) = bytes.split_at(line.ok_or_else(|| of("it has no first line"))?);
        let head: Head = serde_json::from_slice(head).map_err(|error| BatchError(error.to_string()))?;
        if head.protocol != crate::records::PROTOCOL {
            return Err(BatchError(format!(
                "it has protocol {}, this nmax {}",
                head.protocol,
                crate::records::PROTOCOL
            )));
        }
        let frame = frame[1..].to_vec();
        let item = match (head.window, head.end) {
            (Some(index), None) => Item::Window { index, window: Content { frame, notes: head.notes } },
            (None, Some(end)) if frame.is_empty() => Item::End(end),
            _ => return Err(of("it is neither a window nor an end")),
        };
        Ok(Self { run: head.run, id: head.id, item })
    }
}

/// A window as it is sent.
pub trait Payload {
    /// The window of a shard as it is sent.
    fn content(self, shard: u32) -> Content;
}

impl Payload for Content {
    fn content(self, _: u32) -> Content {
        self
    }
}
