//! Keys of `defaults` and what is inside it.

use super::Shape::*;
use super::{Shape, Words, keywords};
use crate::plan::{Coding, Connection, Cookies, Family, REDIRECTS_DEFAULT, REDIRECTS_MAX, Version, Visitor};

pub(crate) const CONNECTION: Words<Connection> = &[
    ("keep-alive", Connection::KeepAlive),
    ("per-iteration", Connection::PerIteration),
    ("per-request", Connection::PerRequest),
];
pub(crate) const VISITOR: Words<Visitor> = &[("returning", Visitor::Returning), ("new", Visitor::New)];
pub(crate) const COOKIES: Words<Cookies> =
    &[("per-iteration", Cookies::PerIteration), ("keep", Cookies::Kept), ("ignore", Cookies::Ignored)];
pub(crate) const VERSION: Words<Version> = &[("1.1", Version::Http11), ("1.0", Version::Http10)];
/// Words that stand for a number of redirects.
pub(crate) const REDIRECTS: Words<u32> = &[("none", 0), ("follow", REDIRECTS_DEFAULT)];
pub(crate) const CODINGS: Words<Coding> = words_of!(Coding token);
/// Words for several codings or none.
pub(crate) const CODING_SETS: Words<&[Coding]> = &[("all", &Coding::ALL), ("none", &[])];
pub(crate) const FAMILY: Words<Family> = &[("any", Family::Any), ("ipv4", Family::V4), ("ipv6", Family::V6)];
/// Whether each VU resolves names for itself.
pub(crate) const DNS_CACHE: Words<bool> = &[("run", false), ("vu", true)];
/// The word for times to live as servers say them.
pub(crate) const HONOR: &str = "honor";

/// How redirects are followed, in `defaults` and in a step.
pub(super) const REDIRECTS_SHAPE: Shape =
    Shape::Either(&[Shape::OneOf(|| keywords(REDIRECTS)), Shape::Whole(0, REDIRECTS_MAX as u64)]);
const COMPRESSION: Shape = Shape::Either(&[
    Shape::OneOf(|| keywords(CODINGS).into_iter().chain(keywords(CODING_SETS)).collect()),
    Shape::List(&Shape::OneOf(|| keywords(CODINGS))),
]);

/// One text or several.
pub(super) const TEXTS: Shape = Shape::Either(&[Shape::Text, Shape::List(&Shape::Text)]);

tables! {
    DEFAULTS "`defaults`" {
        key "connection": OneOf(|| keywords(CONNECTION)), "When connections are closed; keep-alive by default.";
        key "visitor": Either(&[OneOf(|| keywords(VISITOR)), Object(&NEW_VISITORS)]),
            "Whether a VU is known to the server from before; returning by default.";
        key "cookies": OneOf(|| keywords(COOKIES)), "How long a VU keeps cookies; per-iteration by default.";
        key "redirects": REDIRECTS_SHAPE,
            "Redirects that a step follows: none, follow (at most 10), or a number up to 50; none by default.";
        key "compression": COMPRESSION,
            "Content codings that requests accept, best first; replies in them are decoded. None by default.";
        key "version": OneOf(|| keywords(VERSION)), "HTTP version; 1.1 by default.";
        key "timeout": Duration, "From intended send to last byte; 30s by default.";
        key "timeouts": Object(&TIMEOUTS), "Limits of single phases, each at most `timeout`.";
        key "headers": Map(&Text), "Headers of every request.";
        key "body_limit": Size, "Largest reply body; 64MiB by default.";
        key "tls": Object(&TLS), "Trust in the server's certificate, and a certificate of one's own.";
        key "dns": Object(&DNS), "How names are resolved.";
        key "source_addresses": TEXTS, "Addresses of this machine that connections leave from, in turn.";
        key "proxy": Text, "Proxy for all requests, such as `http://user:password@proxy:3128`.";
        key "trace": Either(&[Bool, Object(&TRACE)]),
            "Each request carries `traceparent` (W3C Trace Context), an iteration being a trace; false by default.";
    } later [("http", "write `version: 1.1` or `version: 1.0`"), ("resources", "write one step per resource")];
    TRACE "`trace`" {
        key "share": Share, "Share of the iterations whose traces the system is asked to keep; 100% by default.";
        key "link": Text, "URL of a trace, such as `https://tempo/trace/{trace_id}`: failures and slow requests name it.";
    };
    NEW_VISITORS "`visitor`" {
        required "new": Share, "Share of the iterations that new visitors make; returning ones make the rest.";
    };
    TIMEOUTS "`timeouts`" {
        key "dns": Duration, "Name resolution.";
        key "connect": Duration, "TCP connect, all addresses tried together; each gets an equal part of what remains.";
        key "tls": Duration, "TLS handshake.";
        key "send": Duration, "From the first byte of the request to its last.";
        key "wait": Duration, "From the last byte of the request to the first of the reply.";
        key "receive": Duration, "From the first byte of the reply to its last.";
    };
    TLS "`tls`" {
        key "ca": TEXTS, "PEM files with additional issuers.";
        key "insecure": Bool, "Accept any certificate.";
        key "certificate": Text,
            "PEM file with the client's own certificate and those between it and its issuer; needs `key`.";
        key "key": Text, "PEM file with the private key of `certificate`.";
    };
    DNS "`dns`" {
        key "ttl": Either(&[OneOf(|| vec![HONOR]), Duration]),
            "How long an answer is believed: honor (as long as the server says, the default), or a time; 0s asks for every connection.";
        key "cache": OneOf(|| keywords(DNS_CACHE)),
            "Who shares an answer: all VUs of a worker for the whole run (the default), or only the VU.";
        key "family": OneOf(|| keywords(FAMILY)), "Addresses that are used; any by default.";
        key "servers": TEXTS, "Servers to ask in place of the system's, such as `10.0.0.2` or `127.0.0.1:5353`.";
    };
}
