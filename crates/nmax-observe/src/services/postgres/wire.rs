//! As much of PostgreSQL's protocol as it takes to log in and to ask simple questions.
//!
//! Source: PostgreSQL's documentation, *Frontend/Backend Protocol*, version 3.0. Every message is bounded by its
//! [`Link`], in time and size.

use ring::rand::{SecureRandom, SystemRandom};

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::auth::{Scram, md5_answer};
use crate::Trouble;
use crate::reach::{ANSWER_BYTES_MAX, Link, QueryError, server_text};

/// Version 3.0.
const VERSION: i32 = 3 << 16;
/// What stands in the place of a version to ask for TLS: 1234 and 5679.
const TLS: i32 = (1_234 << 16) + 5_679;
/// The one mechanism that is spoken.
const MECHANISM: &str = "SCRAM-SHA-256";

/// Who logs in.
pub(crate) struct Login<'a> {
    pub(crate) user: &'a str,
    pub(crate) password: Option<&'a str>,
    pub(crate) database: &'a str,
}

/// Rows of a statement; each value as text, or `None` for NULL.
pub(crate) type Rows = Vec<Vec<Option<String>>>;

/// A message of the server.
struct Message {
    kind: u8,
    body: Vec<u8>,
}

/// Asks whether TLS may begin. An answer is a single byte.
pub(crate) fn offers_tls(link: &mut Link) -> Result<bool, QueryError> {
    link.send(&framed(None, &TLS.to_be_bytes()))?;
    let answer = link.bytes(1)?;
    match (answer.as_slice(), link.waiting()) {
        (b"S", []) => Ok(true),
        (b"S", _) => Err(Trouble::passing(
            "more than its consent came before TLS began; something intercepts the connection, or it is not PostgreSQL",
        )
        .into()),
        (b"N", _) => Ok(false),
        // The beginning of an error, which nobody vouches for.
        (b"E", _) => Err(QueryError::Barred(Trouble::passing("it answers the question for TLS with an error"))),
        _ => Err(other_protocol()),
    }
}

/// Logs in, up to the server's readiness.
pub(crate) fn log_in(link: &mut Link, login: &Login<'_>) -> Result<(), QueryError> {
    let mut body = VERSION.to_be_bytes().to_vec();
    let parameters =
        [("user", login.user), ("database", login.database), ("application_name", "nmax"), ("client_encoding", "UTF8")];
    for text in parameters.iter().flat_map(|(name, value)| [name, value]) {
        body.extend_from_slice(text.as_bytes());
        body.push(0);
    }
    body.push(0);
    link.send(&framed(None, &body))?;
    let mut scram = None;
    loop {
        let message = receive(link)?;
        match message.kind {
            b'R' => authenticate(link, login, &mut scram, &message.body)?,
            b'Z' => return Ok(()),
            b'E' => return Err(refusal(&message.body, login.password)),
            // What it reports on its own: settings, its process, notices.
            b'S' | b'K' | b'N' => {}
            kind => return Err(foreign(kind)),
        }
    }
}

/// Asks in the simple way: statements in one text are one transaction, each with rows of its own.
pub(crate) fn ask(link: &mut Link, statements: &str) -> Result<Vec<Rows>, QueryError> {
    link.send(&framed(Some(b'Q'), &[statements.as_bytes(), &[0]].concat()))?;
    let (mut results, mut rows) = (Vec::new(), Rows::new());
    let mut error = None;
    loop {
        let message = receive(link)?;
        match message.kind {
            b'D' => rows.push(row(&message.body).ok_or_else(|| foreign(b'D'))?),
            b'C' => results.push(std::mem::take(&mut rows)),
            b'E' => error = Some(refusal(&message.body, None)),
            b'Z' => return error.map_or(Ok(results), Err),
            b'T' | b'I' | b'S' | b'N' => {}
            kind => return Err(foreign(kind)),
        }
    }
}

fn authenticate(link: &mut Link, login: &Login<'_>, scram: &mut Option<Scram>, body: &[u8]) -> Result<(), QueryError> {
    let unknown = || Trouble::passing("it asks for a login of an unknown kind");
    let (code, rest) = body.split_first_chunk().ok_or_else(unknown)?;
    let code = i32::from_be_bytes(*code);
    if code == 0 {
        return Ok(());
    }
    if code == 12 {
        let proved = scram.as_ref().is_some_and(|scram| scram.is_proved_by(&text(rest)));
        return if proved {
            Ok(())
        } else {
            Err(Trouble::lasting("it does not know the password itself, so it may be an impostor").into())
        };
    }
    let Some(password) = login.password else {
        let user = login.user;
        return Err(Trouble::lasting(format!(
            "it wants a password for `{user}`; write `postgres://{user}:PASSWORD@host/database`"
        ))
        .into());
    };
    let answer = match code {
        3 => format!("{password}\0").into_bytes(),
        5 => format!("{}\0", md5_answer(login.user, password, rest)).into_bytes(),
        10 => {
            let mechanisms = text(rest);
            if !mechanisms.split('\0').any(|mechanism| mechanism == MECHANISM) {
                return Err(Trouble::lasting(format!("it offers no login by {MECHANISM}")).into());
            }
            let mut random = [0; 18];
            SystemRandom::new().fill(&mut random).map_err(|_| Trouble::passing("this host has no random numbers"))?;
            let first = scram.insert(Scram::new("", STANDARD_NO_PAD.encode(random))).first();
            let length = (first.len() as i32).to_be_bytes();
            [MECHANISM.as_bytes(), &[0], &length, first.as_bytes()].concat()
        }
        11 => {
            let last = scram.as_mut().and_then(|scram| scram.last(&text(rest), password));
            last.ok_or_else(|| Trouble::passing(format!("its challenge is none of {MECHANISM}")))?.into_bytes()
        }
        code => {
            return Err(Trouble::lasting(format!(
                "it asks for a login of kind {code}; passwords by SCRAM or MD5, and `trust`, are spoken"
            ))
            .into());
        }
    };
    Ok(link.send(&framed(Some(b'p'), &answer))?)
}

fn framed(kind: Option<u8>, body: &[u8]) -> Vec<u8> {
    let length = body.len() as i32 + 4;
    let mut message: Vec<u8> = kind.into_iter().collect();
    message.extend_from_slice(&length.to_be_bytes());
    message.extend_from_slice(body);
    message
}

fn receive(link: &mut Link) -> Result<Message, QueryError> {
    let head = link.bytes(5)?;
    let length = i32::from_be_bytes([head[1], head[2], head[3], head[4]]);
    let is_letter = head[0].is_ascii_alphanumeric();
    let length = usize::try_from(length).ok().and_then(|length| length.checked_sub(4));
    match length.filter(|&length| is_letter && length <= ANSWER_BYTES_MAX) {
        Some(length) => Ok(Message { kind: head[0], body: link.bytes(length)? }),
        None => Err(other_protocol()),
    }
}

/// Nothing of the reply is repeated: what answers is no PostgreSQL.
fn other_protocol() -> QueryError {
    Trouble::passing("it does not speak PostgreSQL's protocol").into()
}

/// `kind` is a letter.
fn foreign(kind: u8) -> QueryError {
    Trouble::passing(format!("it sent a message that was not asked for: `{}`", kind.escape_ascii())).into()
}

/// Values of a row.
fn row(body: &[u8]) -> Option<Vec<Option<String>>> {
    let (count, mut rest) = body.split_first_chunk()?;
    let count = u16::from_be_bytes(*count);
    let mut values = Vec::with_capacity(usize::from(count));
    for _ in 0..count {
        let (length, after) = rest.split_first_chunk()?;
        rest = after;
        values.push(match usize::try_from(i32::from_be_bytes(*length)) {
            Ok(length) => {
                let (value, after) = rest.split_at_checked(length)?;
                rest = after;
                Some(text(value))
            }
            Err(_) => None,
        });
    }
    Some(values)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What an error of the server means for a source.
fn refusal(body: &[u8], secret: Option<&str>) -> QueryError {
    let field = |kind: u8| {
        let mut fields = body.split(|&byte| byte == 0);
        let found = fields.find_map(|field| field.strip_prefix(&[kind]));
        server_text(found.unwrap_or_default(), secret)
    };
    let (code, message) = (field(b'C'), field(b'M'));
    // Classes 28 and 3D: a wrong password, no entry in pg_hba.conf, no such database.
    let is_final = code.starts_with("28") || code.starts_with("3D") || code.starts_with("42");
    let trouble = if is_final { Trouble::lasting } else { Trouble::passing };
    let trouble = trouble(format!("it says: {message} ({code})"));
    // No entry in pg_hba.conf for this user over such a connection.
    if code == "28000" { QueryError::Barred(trouble) } else { QueryError::Refused(trouble) }
}

#[cfg(test)]
mod tests;
