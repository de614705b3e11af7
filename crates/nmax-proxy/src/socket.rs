//! Connections that became something else: WebSockets, whose messages are remembered, and other upgrades, whose bytes
//! only pass. Bytes go on as they came, and each direction ends by itself.

use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::capture::{Capture, Guard};
use crate::frames::{FrameEvent, Frames};

/// Bytes that are under way in one direction.
const PIECE_BYTES: usize = 16 * 1024;

/// Joins the two sides until both have ended, or one broke off.
pub(crate) async fn join(
    client: OnUpgrade,
    server: OnUpgrade,
    capture: Capture,
    _guard: Option<Guard>,
    is_socket: bool,
) {
    let (client, server) = match tokio::join!(client, server) {
        (Ok(client), Ok(server)) => (TokioIo::new(client), TokioIo::new(server)),
        (Err(error), _) | (_, Err(error)) => {
            capture.fail(&format!("the connection could not be upgraded: {error}"));
            return;
        }
    };
    let (mut up, mut down) = (Frames::default(), Frames::default());
    let read = |frames: &mut Frames, bytes: &[u8], is_sent: bool| {
        if !is_socket {
            return;
        }
        frames.push(bytes, &mut |event| match event {
            FrameEvent::Message(opcode, data) => capture.message(is_sent, opcode, data),
            FrameEvent::TooLong => capture.message_lost(),
            FrameEvent::Garbage => capture.note("what followed was not WebSocket and was not read"),
        });
    };
    let passed = both(client, server, |bytes| read(&mut up, bytes, true), |bytes| read(&mut down, bytes, false));
    match passed.await {
        Ok(()) => capture.finish(),
        Err(error) => capture.fail(&format!("the connection broke off: {error}")),
    }
}

/// Passes bytes to and fro until both directions have ended, or one broke off. Who looks sees them before they go on.
pub(crate) async fn both<C, S>(
    client: C,
    server: S,
    see_up: impl FnMut(&[u8]),
    see_down: impl FnMut(&[u8]),
) -> std::io::Result<()>
where
    C: AsyncRead + AsyncWrite,
    S: AsyncRead + AsyncWrite,
{
    let (from_client, to_client) = tokio::io::split(client);
    let (from_server, to_server) = tokio::io::split(server);
    let up = pass(from_client, to_server, see_up);
    let down = pass(from_server, to_client, see_down);
    tokio::try_join!(up, down).map(|_| ())
}

async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut see: impl FnMut(&[u8]),
) -> std::io::Result<()> {
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let count = from.read(&mut piece).await?;
        if count == 0 {
            return to.shutdown().await;
        }
        see(&piece[..count]);
        to.write_all(&piece[..count]).await?;
        to.flush().await?;
    }
}
