//! Headers that are no correlation whatever they hold.

/// Headers of requests that browsers and this program write by themselves.
const BROWSER: &str = "accept accept-charset accept-encoding accept-language access-control-request-headers \
    access-control-request-method alt-used cache-control connection content-encoding content-length content-type \
    cookie date device-memory dnt downlink ect expect forwarded from host if-match if-modified-since if-none-match \
    if-range if-unmodified-since keep-alive origin pragma priority proxy-authorization proxy-connection purpose range \
    referer rtt save-data te trailer transfer-encoding upgrade upgrade-insecure-requests user-agent";
/// Headers of replies whose values belong to the exchange and to nothing after it.
const SERVER: &str = "accept-ranges age akamai-grn allow alt-svc cache-control cf-cache-status cf-ray connection \
    content-encoding content-language content-length content-md5 content-range content-security-policy \
    content-security-policy-report-only content-type date digest etag expires keep-alive last-modified nel \
    permissions-policy pragma referrer-policy report-to reporting-endpoints retry-after server server-timing \
    strict-transport-security timing-allow-origin transfer-encoding vary via x-cache x-powered-by x-runtime \
    x-served-by";
/// Beginnings of such names.
const SERVER_PREFIXES: [&str; 9] = [
    "access-control-", "cf-", "ratelimit", "sec-", "x-amz-cf-", "x-cache-", "x-content-", "x-rate-limit", "x-ratelimit",
];
/// Headers, and fields of other places, that name an exchange for those who read logs.
const TRACES: [&str; 15] = [
    "b3", "baggage", "correlation-id", "elastic-apm-traceparent", "newrelic", "request-id", "sentry-trace", "span-id",
    "trace-id", "traceparent", "tracestate", "uber-trace-id", "x-amzn-trace-id", "x-cloud-trace-context", "x-trace",
];
const TRACE_PREFIXES: [&str; 9] = [
    "x-amz-request-id", "x-amzn-requestid", "x-b3-", "x-correlation-id", "x-datadog-", "x-newrelic-",
    "x-ot-span-context", "x-request-id", "x-trace-id",
];

fn is_one_of(names: &str, name: &str) -> bool {
    names.split(' ').any(|known| known == name)
}

/// A header of a request that a plan does not take from a reply.
pub(super) fn is_of_the_browser(name: &str) -> bool {
    is_one_of(BROWSER, name) || ["sec-", "proxy-", "x-forwarded-", "cf-"].iter().any(|prefix| name.starts_with(prefix))
}

/// A header of a reply that gives no values.
pub(super) fn is_of_the_server(name: &str) -> bool {
    is_one_of(SERVER, name) || SERVER_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// A header that names the exchange for those who read logs.
pub(super) fn is_trace(name: &str) -> bool {
    TRACES.contains(&name) || TRACE_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}
