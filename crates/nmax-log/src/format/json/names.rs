//! Names that servers and libraries give to what an access log tells.
//!
//! Names are compared in lower case and without `_` and `-`, by their last parts: `url.path` is also found as
//! `http.url.path`. The first that fits in a list wins.

use super::super::number::Unit;

/// When the request arrived.
pub(super) const BEGIN: &[&str] = &[
    "starttime", "startutc", "startlocal", "event.start", "edgestarttimestamp", "requeststarttime",
    "requestreceivedat", "receivedat", "requesttimestamp", "requesttimeepoch",
];

/// When the line was written.
pub(super) const END: &[&str] = &[
    "@timestamp", "timestamp", "msec", "timeiso8601", "timelocal", "time", "ts", "timestamp(ms)", "datetime",
    "eventtime", "logtime", "endtime", "edgeendtimestamp", "asctime", "requesttime", "date", "t",
];

/// The request line.
pub(super) const REQUEST: &[&str] = &["request", "requestline", "httprequest", "requestfirstline", "req", "message"];

/// The method.
pub(super) const METHOD: &[&str] = &[
    "http.request.method", "request.method", "req.method", "httprequest.requestmethod", "clientrequestmethod",
    "requestmethod", "httpmethod", "reqmethod", "csmethod", "http.method", "method", "verb",
];

/// Path and query, or the whole URL.
pub(super) const TARGET: &[&str] = &[
    "url.original", "requesturi", "request.uri", "request.url", "req.url", "httprequest.requesturl",
    "clientrequesturi", "originaluri", "requesturl", "requesttarget", "http.target", "http.url", "uri", "url",
    "target", "url.path", "url.full", "request.path", "requestpath", "httppath", "urlpath", "csuristem", "path",
    "resourcepath", "endpoint",
];

/// The query, where the target has none.
pub(super) const QUERY: &[&str] =
    &["url.query", "request.query", "requestquery", "querystring", "csuriquery", "query", "args"];

/// The status code.
pub(super) const STATUS: &[&str] = &[
    "http.response.statuscode", "response.statuscode", "response.status", "res.statuscode", "res.status",
    "downstreamstatus", "edgeresponsestatus", "responsestatuscode", "responsestatus", "responsecode", "httpstatuscode",
    "httpstatus", "http.statuscode", "statuscode", "scstatus", "status", "code",
];

/// How long it took, with the unit of each name: `None` where it may follow the name.
pub(super) const DURATION: &[(Option<Unit>, &[&str])] = &[
    (Some(Unit::Ns), &["event.duration"]),
    (
        None,
        &[
            "httprequest.latency", "requesttime", "responsetime", "requestduration", "responseduration", "timetaken",
            "duration", "latency", "elapsedtime", "elapsed", "totaltime", "processingtime", "responselatency", "took",
            "runtime", "rt",
        ],
    ),
    (Some(Unit::Ms), &["ms"]),
    (Some(Unit::Us), &["us"]),
];

/// How long the server behind took.
pub(super) const UPSTREAM: &[(Option<Unit>, &[&str])] = &[
    (Some(Unit::S), &["upstreamresponsetime"]),
    (Some(Unit::Ns), &["originduration"]),
    (Some(Unit::Ms), &["upstreamservicetime"]),
    (None, &["timetofirstbyte", "ttfb", "upstreamtime", "upstreamlatency"]),
];

/// Bytes of the body.
pub(super) const BODY: &[&str] = &[
    "http.response.body.bytes", "bodybytessent", "downstreamcontentsize", "response.contentlength",
    "res.contentlength", "httprequest.responsesize", "responsebodysize", "responsesize", "responselength",
    "contentlength", "responsebytes", "bodysize", "size", "bytes", "bytesout",
];

/// Bytes of the whole reply.
pub(super) const ALL: &[&str] = &["http.response.bytes", "bytessent", "edgeresponsebytes", "scbytes"];

/// The address of the client.
pub(super) const CLIENT: &[&str] = &[
    "client.ip", "source.ip", "request.clientip", "request.remoteip", "httprequest.remoteip", "clientip", "remoteip",
    "clienthost", "remoteaddr", "clientaddr", "remotehost", "remoteaddress", "downstreamremoteaddress",
    "client.address", "source.address", "sourceip", "ipaddress", "cip", "ip", "client",
];

/// The address of the client, where the value looks like one.
pub(super) const CLIENT_PERHAPS: &[&str] =
    &["addr", "address", "remote", "peer", "peeraddr", "peerip", "src", "srcip", "source"];

/// Addresses that the request was forwarded for.
pub(super) const FORWARDED: &[&str] = &["xforwardedfor", "httpxforwardedfor", "forwardedfor"];

/// The authenticated user.
pub(super) const USER: &[&str] =
    &["user.name", "user.id", "remoteuser", "clientusername", "csusername", "username", "userid", "user", "authuser"];

/// The user agent.
pub(super) const AGENT: &[&str] = &[
    "useragent.original", "clientrequestuseragent", "httprequest.useragent", "httpuseragent", "useragent",
    "cs(useragent)", "csuseragent", "agent", "ua",
];

/// The referer.
pub(super) const REFERER: &[&str] = &[
    "http.request.referrer", "clientrequestreferer", "httpreferer", "httpreferrer", "referer", "referrer",
    "cs(referer)", "csreferer",
];

/// The referer, where the values look like one.
pub(super) const REFERER_PERHAPS: &[&str] = &["ref"];

/// The host that was asked for.
pub(super) const HOST: &[&str] = &[
    "request.host", "req.host", "url.domain", "requesthost", "clientrequesthost", "httphost", "headers.host",
    "http.host", "authority", "xhostheader", "cs(host)", "vhost", "virtualhost", "servername", "domain", "host",
];

/// All cookies.
pub(super) const COOKIES: &[&str] = &["headers.cookie", "httpcookie", "cookies", "cookie", "cs(cookie)"];

/// What tells sessions apart.
pub(super) const SESSION: &[&str] = &["sessionid", "session.id", "session", "sid", "visitorid", "clientid"];
