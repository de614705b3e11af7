use super::*;

fn origin(scheme: Scheme, host: &str, port: u16) -> Origin {
    Origin { scheme, host: host.into(), port }
}

fn proxy(authorization: Option<&str>) -> Proxy {
    Proxy { origin: origin(Scheme::Http, "proxy.test", 3128), authorization: authorization.map(str::to_owned) }
}

fn request(method: &str, target: &str, body: &str) -> RequestText {
    let mut request = RequestText::new();
    request.begin(method.as_bytes(), target.as_bytes(), "HTTP/1.1");
    request.field("host", b"h");
    request.end(body.as_bytes());
    request
}

fn absolute(proxy: &Proxy, request: &RequestText, origin: &Origin) -> String {
    let absolute = proxy.absolute(request, origin);
    assert_eq!(absolute.body(), request.body(), "the body stays the same");
    String::from_utf8_lossy(absolute.bytes()).into_owned()
}

#[test]
fn requests_become_absolute() {
    let cases = [
        ("GET", "/a?b", "", "GET http://shop.test/a?b HTTP/1.1\r\nhost: h\r\n\r\n"),
        ("POST", "/", "GET / x\r\n", "POST http://shop.test/ HTTP/1.1\r\nhost: h\r\n\r\nGET / x\r\n"),
        ("GET", "http://other/", "", "GET http://other/ HTTP/1.1\r\nhost: h\r\n\r\n"),
        ("OPTIONS", "*", "", "OPTIONS * HTTP/1.1\r\nhost: h\r\n\r\n"),
    ];
    let shop = origin(Scheme::Http, "shop.test", 80);
    for (method, target, body, want) in cases {
        assert_eq!(absolute(&proxy(None), &request(method, target, body), &shop), want);
    }
}

#[test]
fn the_port_and_the_credentials_go_along() {
    let six = origin(Scheme::Http, "::1", 8080);
    assert_eq!(
        absolute(&proxy(Some("Basic eDp5")), &request("GET", "/", ""), &six),
        "GET http://[::1]:8080/ HTTP/1.1\r\nproxy-authorization: Basic eDp5\r\nhost: h\r\n\r\n"
    );
}

#[test]
fn the_status_of_a_tunnel() {
    let read = |text: &str| status_of(text.as_bytes());
    assert_eq!(read("HTTP/1.1 200 Connection established\r\n\r\n"), Ok(Some((200, 0))));
    assert_eq!(read("HTTP/1.0 200 OK\r\ncontent-length: 9\r\n\r\nhi"), Ok(Some((200, 2))));
    assert_eq!(read("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 407 No\r\n\r\n"), Ok(Some((407, 0))));
    assert_eq!(read("HTTP/1.1 200 OK\r\n"), Ok(None));
    assert_eq!(read(""), Ok(None));
    assert!(read("SSH-2.0\r\n").is_err());
}

#[test]
fn settings_that_cannot_work() {
    assert_eq!(proxy(Some("Basic eDp5")).problem(), None);
    assert!(proxy(Some("Basic x\r\nevil: 1")).problem().is_some());
    let tls = Proxy { origin: origin(Scheme::Https, "proxy.test", 443), authorization: None };
    assert!(tls.problem().is_some());
}

#[test]
fn credentials_are_not_printed() {
    let text = format!("{:?}", proxy(Some("Basic c2VjcmV0")));
    assert!(!text.contains("c2VjcmV0"), "{text}");
}
