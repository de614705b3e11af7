use tokio::net::UdpSocket;

use super::*;

const TXT_IN: [u8; 4] = [0, 16, 0, 1];
const LONG: Duration = Duration::from_secs(30);

/// A reply to `question`: flags, then records written out as (type and class, data).
fn reply(question: &[u8], flags: [u8; 2], records: &[([u8; 4], &[u8])]) -> Vec<u8> {
    let mut reply = question.to_vec();
    reply[2..4].copy_from_slice(&flags);
    reply[7] = records.len() as u8;
    for (kind, data) in records {
        reply.extend([0xc0, 0x0c]); // the name of the question
        reply.extend(kind);
        reply.extend([0, 0, 0, 60, 0, data.len() as u8]);
        reply.extend(*data);
    }
    reply
}

/// A name server on loopback that answers each question with the replies that `answer` makes of it.
async fn serve(answer: impl Fn(&[u8]) -> Vec<Vec<u8>> + Send + 'static) -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    tokio::spawn(async move {
        let mut question = [0; 512];
        while let Ok((length, client)) = socket.recv_from(&mut question).await {
            for reply in answer(&question[..length]) {
                socket.send_to(&reply, client).await.unwrap();
            }
        }
    });
    address
}

fn host() -> Host {
    "shop.example".parse().unwrap()
}

fn with_text(question: &[u8], text: &str) -> Vec<u8> {
    let mut data = vec![text.len() as u8];
    data.extend(text.as_bytes());
    reply(question, [0x81, 0x80], &[(TXT_IN, b"\x05other"), (TXT_IN, &data)])
}

#[tokio::test]
async fn the_text_proves() {
    let server = serve(|question| {
        assert!(question[12..].starts_with(b"\x05_nmax\x04shop\x07example\0"));
        vec![with_text(question, "allow-load-test")]
    })
    .await;
    let proof = prove(&host(), &[server], LONG).await.unwrap();
    assert_eq!(proof.host, host());
    assert_eq!(proof.found_at, "the DNS TXT record _nmax.shop.example");
}

#[tokio::test]
async fn other_answers_do_not() {
    type Answer = fn(&[u8]) -> Vec<u8>;
    let cases: [(Answer, &str); 4] = [
        (|question| with_text(question, "allow-load-tests"), "none with the text `allow-load-test`"),
        (|question| reply(question, [0x81, 0x80], &[]), "none with the text `allow-load-test`"),
        (|question| reply(question, [0x81, 0x83], &[]), "the name does not exist"),
        (|question| reply(question, [0x81, 0x85], &[]), "the server answered with error 5"),
    ];
    for (answer, wanted) in cases {
        let server = serve(move |question| vec![answer(question)]).await;
        let reason = prove(&host(), &[server], LONG).await.unwrap_err();
        assert!(reason.starts_with("DNS TXT record _nmax.shop.example: "), "{reason}");
        assert!(reason.contains(wanted), "{reason}\nwanted {wanted}");
    }
}

/// A forged reply with another number does not count, and does not hide the true one either.
#[tokio::test]
async fn replies_to_other_questions_are_passed_over() {
    let forged = |question: &[u8]| {
        let mut forged = with_text(question, "allow-load-test");
        forged[0] ^= 1;
        forged
    };
    let true_reply = |question: &[u8]| reply(question, [0x81, 0x83], &[]);
    let server = serve(move |question| vec![forged(question), vec![1, 2, 3], true_reply(question)]).await;
    let reason = prove(&host(), &[server], LONG).await.unwrap_err();
    assert!(reason.contains("does not exist"), "{reason}");
}

#[tokio::test]
async fn the_next_server_is_asked() {
    let silent = serve(|_| Vec::new()).await;
    let broken = serve(|question| vec![reply(question, [0x81, 0x82], &[])]).await;
    let good = serve(|question| vec![with_text(question, "allow-load-test")]).await;
    let short = Duration::from_millis(20);
    let reason = prove(&host(), &[silent], short).await.unwrap_err();
    assert!(reason.contains("no answer from 127.0.0.1:"), "{reason}");
    let reason = prove(&host(), &[silent, broken], short).await.unwrap_err();
    assert!(reason.contains("error 2 from 127.0.0.1:"), "{reason}");
    assert!(prove(&host(), &[broken, good], LONG).await.is_ok());
}

#[tokio::test]
async fn names_too_long_are_not_asked() {
    let nobody = SocketAddr::from(([127, 0, 0, 1], 9));
    let host = Host::of_url(&vec!["a".repeat(62); 4].join("."));
    let reason = prove(&host, &[nobody], LONG).await.unwrap_err();
    assert!(reason.contains("the name is too long"), "{reason}");
}
