//! What an exchange sent and received, as text without its secrets.

use nmax_http::{Exchange, Piece, RequestText};
use nmax_secrets::{Message, Redactor};

use crate::http::driver::Driver;
use crate::measure::shown::{Shown, shown};

/// A request as it was sent.
#[derive(Clone, Copy)]
pub(crate) struct Sent<'a> {
    pub(crate) text: &'a RequestText,
    /// What came after it.
    pub(crate) rest: &'a [Piece<'a>],
}

impl Sent<'_> {
    /// The body with a few words in the place of each file.
    pub(crate) fn body(&self) -> Vec<u8> {
        let mut body = self.text.body().to_vec();
        for piece in self.rest {
            match piece {
                Piece::Bytes(bytes) => body.extend_from_slice(bytes),
                Piece::File { name, length, .. } => {
                    body.extend_from_slice(format!("[{length} bytes of {name}]").as_bytes());
                }
            }
        }
        body
    }
}

/// An exchange over this driver that failed. Without a request nothing was asked.
pub(crate) fn messages(sent: Option<Sent<'_>>, exchange: &Exchange, driver: &impl Driver, redactor: Redactor) -> Shown {
    let (reply, reply_body) = match (sent, exchange.status) {
        (None, _) => Default::default(), // The last reply is another exchange's.
        (_, Some(_)) => (driver.reply().fields(), driver.reply().body()),
        (_, None) => driver.remains(),
    };
    let body = sent.map(|sent| sent.body()).unwrap_or_default();
    let request = sent.map(|sent| sent.text.fields()).unwrap_or_default();
    let [request, reply] = [(request, body.as_slice()), (reply, reply_body)]
        .map(|(head, body)| Message::new(head.text(), head.places(), body));
    let redactor = redactor.knowing_cookies(request.fields().chain(reply.fields()));
    Shown { request: shown(request, &redactor), reply: shown(reply, &redactor), redactor }
}
