//! One DNS question for TXT records, and its answer, as bytes (RFC 1035). No I/O, no compression followed.

/// Bytes of a message's head.
const HEAD_BYTES: usize = 12;
/// The longest name on the wire, in bytes.
const NAME_BYTES_MAX: usize = 255;
/// The longest part of a name between dots, in bytes.
const LABEL_BYTES_MAX: usize = 63;
/// Record type TXT and class IN.
const TXT_IN: [u8; 4] = [0, 16, 0, 1];

/// Why a reply holds no records.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReplyError {
    /// It does not answer the question that was asked: somebody else's, a late or a forged one.
    #[error("a reply to another question")]
    Foreign,
    /// It ends too early or counts wrongly.
    #[error("a malformed reply")]
    Malformed,
    /// It was cut to fit into a datagram.
    #[error("a reply too long for one datagram")]
    Truncated,
    /// The name has no records.
    #[error("the name does not exist")]
    NoName,
    /// The server could not or would not answer.
    #[error("the server answered with error {0}")]
    Server(u8),
}

/// The question for the TXT records of `name`, numbered `id`; `None` when DNS cannot hold the name.
pub fn question(id: u16, name: &str) -> Option<Vec<u8>> {
    let mut message = Vec::with_capacity(HEAD_BYTES + name.len() + 6);
    message.extend(id.to_be_bytes());
    // A standard query, recursion desired; one question, no records.
    message.extend([0x01, 0x00, 0, 1, 0, 0, 0, 0, 0, 0]);
    for label in name.split('.') {
        let length = u8::try_from(label.len()).ok()?;
        if label.is_empty() || label.len() > LABEL_BYTES_MAX {
            return None;
        }
        message.push(length);
        message.extend(label.as_bytes());
    }
    message.push(0);
    let fits = message.len() - HEAD_BYTES <= NAME_BYTES_MAX;
    message.extend(TXT_IN);
    fits.then_some(message)
}

/// The TXT records in `reply` to `question`, each with its strings joined. O(length).
///
/// Owners of records are not compared: a resolver answers with the records that the name leads to, aliases included.
pub fn answers(reply: &[u8], question: &[u8]) -> Result<Vec<Vec<u8>>, ReplyError> {
    let mut reader = Reader { rest: reply };
    let head = reader.take(HEAD_BYTES).ok_or(ReplyError::Foreign)?;
    let asked = question.get(HEAD_BYTES..).ok_or(ReplyError::Foreign)?;
    let is_reply = head[2] & 0xf8 == 0x80 && head[..2] == question[..2];
    let is_one_question = head[4..6] == [0, 1];
    // Letters of the name may come back in another case; the bytes beside them are no letters.
    let echoed = reader.take(asked.len()).ok_or(ReplyError::Foreign)?;
    if !is_reply || !is_one_question || !echoed.eq_ignore_ascii_case(asked) {
        return Err(ReplyError::Foreign);
    }
    match head[3] & 0x0f {
        0 if head[2] & 0x02 != 0 => Err(ReplyError::Truncated),
        0 => records(&mut reader, u16::from_be_bytes([head[6], head[7]])).ok_or(ReplyError::Malformed),
        3 => Err(ReplyError::NoName),
        code => Err(ReplyError::Server(code)),
    }
}

/// The TXT records among the next `count`; `None` when the message ends before.
fn records(reader: &mut Reader, count: u16) -> Option<Vec<Vec<u8>>> {
    let mut found = Vec::new();
    for _ in 0..count {
        reader.skip_name()?;
        let kind = reader.take(4)?;
        let _lifetime = reader.take(4)?;
        let length = reader.u16()?;
        let data = reader.take(usize::from(length))?;
        if kind == TXT_IN {
            found.push(joined(data)?);
        }
    }
    Some(found)
}

/// The strings of a TXT record, joined.
fn joined(data: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Reader { rest: data };
    let mut text = Vec::with_capacity(data.len());
    while !reader.rest.is_empty() {
        let length = reader.u8()?;
        text.extend(reader.take(usize::from(length))?);
    }
    Some(text)
}

/// Takes bytes off the front; `None` when there are not enough.
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take(1).map(|byte| byte[0])
    }

    fn u16(&mut self) -> Option<u16> {
        self.take(2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    /// A name ends with an empty label or with a pointer, which is not followed.
    fn skip_name(&mut self) -> Option<()> {
        loop {
            match self.u8()? {
                0 => return Some(()),
                length @ 1..=0x3f => drop(self.take(usize::from(length))?),
                0xc0.. => return self.u8().map(drop),
                _ => return None,
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
