//! A TCP stream that can end with a reset.
//!
//! Hyper owns the stream, so the service leaves a mark on the shared [`Fate`], and the
//! stream reads it when it is dropped. Below TLS too, so that a reset needs no close_notify.

use std::cell::Cell;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// How a connection shall end. Shared by the stream and the service.
#[derive(Clone, Default)]
pub(crate) struct Fate {
    reset: Rc<Cell<bool>>,
}

impl Fate {
    /// Ends the connection with RST once the stream is dropped.
    pub(crate) fn reset(&self) {
        self.reset.set(true);
    }
}

/// A TCP stream with its fate.
pub(crate) struct Socket {
    stream: TcpStream,
    fate: Fate,
}

impl Socket {
    pub(crate) fn new(stream: TcpStream, fate: Fate) -> Self {
        Self { stream, fate }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if self.fate.reset.get() {
            // A peer that is gone already cannot be reset; nothing is lost.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
