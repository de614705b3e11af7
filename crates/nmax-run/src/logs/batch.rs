//! Records on their way from one thread to another: their texts in one buffer that is used again.

use nmax_log::record::Record;

/// Where a text is in the buffer.
type Range = (u32, u32);

/// A record whose texts are in the batch.
#[derive(Clone, Copy, Debug)]
struct Packed {
    arrival_us: i64,
    is_arrival: bool,
    resolution_us: u32,
    duration_us: Option<u64>,
    upstream_us: Option<u64>,
    status: u16,
    bytes: Option<u64>,
    texts: [Range; 8],
}

/// Records with their texts.
#[derive(Debug, Default)]
pub(super) struct Batch {
    text: Vec<u8>,
    records: Vec<Packed>,
    /// Bytes of the log that it comes from.
    pub(super) bytes: u64,
    /// Lines of it.
    pub(super) lines: u64,
}

impl Batch {
    /// Empties it, and keeps its memory.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.records.clear();
        (self.bytes, self.lines) = (0, 0);
    }

    /// Adds a record. A batch holds far less than 4 GiB of text: it is made of one block of a file.
    pub(super) fn push(&mut self, record: &Record<'_>) {
        let texts = [
            record.method, record.target, record.client, record.user, record.agent, record.referer, record.host,
            record.session,
        ];
        let texts = texts.map(|text| {
            let at = self.text.len() as u32;
            self.text.extend_from_slice(text);
            (at, text.len() as u32)
        });
        self.records.push(Packed {
            arrival_us: record.arrival_us,
            is_arrival: record.is_arrival,
            resolution_us: record.resolution_us,
            duration_us: record.duration_us,
            upstream_us: record.upstream_us,
            status: record.status,
            bytes: record.bytes,
            texts,
        });
    }

    /// Every record, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = Record<'_>> {
        self.records.iter().map(|packed| {
            let text = |number: usize| {
                let (at, length) = packed.texts[number];
                &self.text[at as usize..(at + length) as usize]
            };
            Record {
                arrival_us: packed.arrival_us,
                is_arrival: packed.is_arrival,
                resolution_us: packed.resolution_us,
                duration_us: packed.duration_us,
                upstream_us: packed.upstream_us,
                method: text(0),
                target: text(1),
                status: packed.status,
                bytes: packed.bytes,
                client: text(2),
                user: text(3),
                agent: text(4),
                referer: text(5),
                host: text(6),
                session: text(7),
            }
        })
    }
}
