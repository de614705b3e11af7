//! An exchange on a kept connection allocates nothing.

use allocation_counter::measure;
use nmax_http::{Jar, KeepBody, Origin, Request, Scheme, Url};
use nmax_metrics::Code;
use tokio::io::AsyncWriteExt;
use tokio::runtime::Builder;

use crate::server::{client, get, origin, read_request, serve};

/// The server has a thread of its own, because allocations are counted per thread.
fn serve_elsewhere() -> Origin {
    let (sender, receiver) = std::sync::mpsc::sync_channel(1);
    std::thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (origin, _) = serve(|mut stream, _| async move {
                while read_request(&mut stream).await {
                    let reply = b"HTTP/1.1 200 OK\r\nx: y\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
                    stream.write_all(reply).await.unwrap();
                }
            })
            .await;
            sender.send(origin).unwrap();
            std::future::pending::<()>().await;
        });
    });
    receiver.recv().unwrap()
}

#[test]
fn exchanges_in_steady_state() {
    let origin = serve_elsewhere();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let mut client = client();
    let mut allocations_of = |rounds: usize, keep_body| {
        measure(|| {
            runtime.block_on(async {
                for _ in 0..rounds {
                    let exchange = client.exchange(&Request { keep_body, ..get(&origin) }).await;
                    assert_eq!(exchange.status, Some(Code::new(200)));
                    assert_eq!(client.reply().header("X"), Some(&b"y"[..]));
                }
            });
        })
        .count_total
    };
    assert!(allocations_of(1, KeepBody::UpTo(10)) > 0, "the first one connects");
    for keep_body in [KeepBody::Discard, KeepBody::UpTo(10)] {
        // Entering the runtime may allocate; the number of exchanges must not matter.
        assert_eq!(allocations_of(200, keep_body), allocations_of(1, keep_body), "{keep_body:?}");
    }
}

#[test]
fn writing_cookies_and_storing_them_again() {
    let url = Url::parse("http://h.test/a").unwrap();
    let mut jar = Jar::new();
    jar.store(&url.origin, url.target.as_bytes(), b"b=1; domain=test", 0).unwrap_err();
    jar.store(&url.origin, url.target.as_bytes(), b"a=1; max-age=9", 0).unwrap();
    let mut out = Vec::with_capacity(100);
    let counted = measure(|| assert!(jar.write(&url.origin, url.target.as_bytes(), 0, &mut out)));
    assert_eq!((counted.count_total, out.as_slice()), (0, &b"a=1"[..]));
    let again = measure(|| jar.store(&url.origin, url.target.as_bytes(), b"a=2", 0).unwrap());
    out.clear();
    assert!(jar.write(&url.origin, url.target.as_bytes(), i64::MAX, &mut out), "it no longer expires");
    assert_eq!((again.count_total, out.as_slice()), (0, &b"a=2"[..]));
}

/// Every virtual user holds a client, and the future of an exchange also while it thinks.
#[test]
fn an_exchange_takes_little_room() {
    let origin = origin(Scheme::Http, "h", 80);
    let (mut client, request) = (client(), get(&origin));
    let sizes = (size_of_val(&client), size_of_val(&client.exchange(&request)));
    assert!(sizes.0 <= 1024 && sizes.1 <= 512, "bytes of client and future: {sizes:?}");
}
