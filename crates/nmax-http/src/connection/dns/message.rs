//! Questions and answers of DNS as bytes (RFC 1035, RFC 3596): one name, addresses of one family or texts.
//!
//! Pure. Reading never panics and ends after at most as many steps as the message has bytes, because a
//! compressed name may only point backwards.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The longest name on the wire, in bytes.
const NAME_BYTES_MAX: usize = 255;
/// The longest label of a name, in bytes.
const LABEL_BYTES_MAX: usize = 63;
/// Bytes before the question.
const HEAD_BYTES: usize = 12;
/// Aliases that are followed from the name to its addresses.
const ALIASES_MAX: usize = 16;
/// The class of the internet.
const CLASS_IN: u16 = 1;
/// The record of an alias.
const TYPE_CNAME: u16 = 5;
/// Longest lifetime that is believed, in seconds.
const TTL_S_MAX: u32 = 86_400;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordType {
    /// IPv4.
    A = 1,
    /// Text.
    Txt = 16,
    /// IPv6.
    Aaaa = 28,
}

/// A name as DNS carries it, in lower case: each label after its length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireName(Vec<u8>);

impl WireName {
    /// `None` when no DNS name has this form: an empty or too long label, or too many of them.
    pub fn new(text: &str) -> Option<Self> {
        let mut wire = Vec::with_capacity(text.len() + 2);
        for label in text.strip_suffix('.').unwrap_or(text).split('.') {
            let length = u8::try_from(label.len()).ok()?;
            if label.is_empty() || label.len() > LABEL_BYTES_MAX {
                return None;
            }
            wire.push(length);
            wire.extend(label.bytes().map(|byte| byte.to_ascii_lowercase()));
        }
        wire.push(0);
        (wire.len() <= NAME_BYTES_MAX).then_some(Self(wire))
    }
}

/// Addresses of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResolvedAddresses {
    /// At least one.
    pub(crate) addresses: Vec<IpAddr>,
    /// How long they hold, in seconds: the shortest lifetime on the way from the name to them.
    pub(crate) ttl_s: u32,
}

/// Why a message holds nothing of what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lack {
    /// The message answers another question, or none.
    #[error("a reply to another question")]
    NotOurs,
    /// The message was cut: ask again over TCP.
    #[error("a reply too long for one datagram")]
    Cut,
    /// The message breaks the rules.
    #[error("a malformed reply")]
    Broken,
    /// There is no such name.
    #[error("the name does not exist")]
    NoName,
    /// The name has no address of this family.
    #[error("the name has no such address")]
    NoAddress,
    /// The server could not say: the code of its reply.
    #[error("the server answered with error {0}")]
    Server(u8),
}

/// A question about `name`, to be answered by recursion.
pub(crate) fn question(id: u16, name: &WireName, kind: RecordType) -> Vec<u8> {
    let mut message = Vec::with_capacity(HEAD_BYTES + name.0.len() + 4);
    message.extend(id.to_be_bytes());
    message.extend([0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, 0]);
    message.extend(&name.0);
    message.extend((kind as u16).to_be_bytes());
    message.extend(CLASS_IN.to_be_bytes());
    message
}

/// The addresses in the reply to [`question`].
pub(crate) fn answer(message: &[u8], id: u16, name: &WireName, kind: RecordType) -> Result<ResolvedAddresses, Lack> {
    follow(&records(message, id, name, kind)?, name, kind).ok_or(Lack::NoAddress)
}

/// The texts in the reply to [`question`], each with its strings joined.
///
/// Owners of records are not compared: a resolver answers with the records that the name leads to, aliases included.
pub(crate) fn texts(message: &[u8], id: u16, name: &WireName) -> Result<Vec<Vec<u8>>, Lack> {
    let records = records(message, id, name, RecordType::Txt)?;
    let texts = records.iter().filter(|record| record.kind == RecordType::Txt as u16);
    texts.map(|record| joined(record.data)).collect::<Option<_>>().ok_or(Lack::Broken)
}

/// The strings of a TXT record, each after its length.
fn joined(mut data: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(data.len());
    while let Some((&length, rest)) = data.split_first() {
        let (string, after) = rest.split_at_checked(usize::from(length))?;
        text.extend(string);
        data = after;
    }
    Some(text)
}

/// The records in the reply to [`question`].
fn records<'a>(message: &'a [u8], id: u16, name: &WireName, kind: RecordType) -> Result<Vec<Record<'a>>, Lack> {
    let mut reader = Reader { message, at: 0 };
    let head = reader.head().ok_or(Lack::NotOurs)?;
    let is_ours = head.id == id && head.is_reply && reader.question() == Some((name.clone(), kind as u16, CLASS_IN));
    if !is_ours || head.questions != 1 {
        return Err(Lack::NotOurs);
    }
    if head.is_cut {
        return Err(Lack::Cut);
    }
    match head.code {
        0 => {}
        3 => return Err(Lack::NoName),
        code => return Err(Lack::Server(code)),
    }
    let mut records = Vec::new();
    for _ in 0..head.answers {
        records.push(reader.record().ok_or(Lack::Broken)?);
    }
    Ok(records)
}

/// Goes from alias to alias until there are addresses.
fn follow(records: &[Record<'_>], name: &WireName, kind: RecordType) -> Option<ResolvedAddresses> {
    let (mut owner, mut ttl_s) = (name, TTL_S_MAX);
    for _ in 0..=ALIASES_MAX {
        let mut addresses: Vec<IpAddr> = Vec::new();
        for record in records.iter().filter(|record| record.owner == *owner) {
            if let Some(address) = record.address(kind) {
                ttl_s = ttl_s.min(record.ttl_s);
                if !addresses.contains(&address) {
                    addresses.push(address);
                }
            }
        }
        if !addresses.is_empty() {
            return Some(ResolvedAddresses { addresses, ttl_s });
        }
        let alias = records.iter().find(|record| record.owner == *owner && record.alias.is_some())?;
        ttl_s = ttl_s.min(alias.ttl_s);
        owner = alias.alias.as_ref()?;
    }
    None
}

struct Head {
    id: u16,
    is_reply: bool,
    is_cut: bool,
    code: u8,
    questions: u16,
    answers: u16,
}

struct Record<'a> {
    owner: WireName,
    kind: u16,
    ttl_s: u32,
    data: &'a [u8],
    /// Where an alias leads.
    alias: Option<WireName>,
}

impl Record<'_> {
    /// The address in a record of this kind.
    fn address(&self, kind: RecordType) -> Option<IpAddr> {
        if self.kind != kind as u16 {
            return None;
        }
        Some(match kind {
            RecordType::A => Ipv4Addr::from(<[u8; 4]>::try_from(self.data).ok()?).into(),
            RecordType::Aaaa => Ipv6Addr::from(<[u8; 16]>::try_from(self.data).ok()?).into(),
            RecordType::Txt => return None,
        })
    }
}

/// Reads a message from its start; `None` where it ends too early.
struct Reader<'a> {
    message: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let taken = self.message.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        self.take(2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    fn head(&mut self) -> Option<Head> {
        let (id, flags) = (self.u16()?, self.u16()?);
        let (questions, answers) = (self.u16()?, self.u16()?);
        self.take(4)?;
        Some(Head {
            id,
            // To a query, and no other kind of operation.
            is_reply: flags & 0xf800 == 0x8000,
            is_cut: flags & 0x0200 != 0,
            code: (flags & 0x000f) as u8,
            questions,
            answers,
        })
    }

    fn question(&mut self) -> Option<(WireName, u16, u16)> {
        Some((self.name()?, self.u16()?, self.u16()?))
    }

    fn record(&mut self) -> Option<Record<'a>> {
        let owner = self.name()?;
        let (kind, class) = (self.u16()?, self.u16()?);
        let ttl_s = u32::from(self.u16()?) << 16 | u32::from(self.u16()?);
        let length = usize::from(self.u16()?);
        let start = self.at;
        let data = self.take(length)?;
        let alias = if kind == TYPE_CNAME && class == CLASS_IN {
            let mut reader = Reader { message: self.message, at: start };
            Some(reader.name()?)
        } else {
            None
        };
        Some(Record {
            owner,
            kind: if class == CLASS_IN { kind } else { 0 },
            // A lifetime with the top bit set counts as none (RFC 2181, 8).
            ttl_s: if ttl_s > i32::MAX as u32 { 0 } else { ttl_s },
            data,
            alias,
        })
    }

    /// A name, which may end in a pointer to an earlier place.
    fn name(&mut self) -> Option<WireName> {
        let mut wire = Vec::new();
        let mut after = None;
        let mut start = self.at;
        loop {
            let length = usize::from(self.take(1)?[0]);
            match length {
                0 => break,
                1..=LABEL_BYTES_MAX => {
                    wire.push(length as u8);
                    wire.extend(self.take(length)?.iter().map(u8::to_ascii_lowercase));
                }
                0xc0.. => {
                    let target = (length & 0x3f) << 8 | usize::from(self.take(1)?[0]);
                    after.get_or_insert(self.at);
                    if target >= start {
                        return None;
                    }
                    (start, self.at) = (target, target);
                }
                _ => return None,
            }
            if wire.len() >= NAME_BYTES_MAX {
                return None;
            }
        }
        wire.push(0);
        self.at = after.unwrap_or(self.at);
        Some(WireName(wire))
    }
}

#[cfg(test)]
mod tests;
