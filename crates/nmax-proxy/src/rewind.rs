//! A stream whose first bytes were looked at and come once more.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};

/// See the module.
pub(crate) struct Rewound<S> {
    first: Vec<u8>,
    stream: S,
}

impl<S: AsyncRead + Unpin> Rewound<S> {
    /// Waits for the first bytes; none when the other side closes without a word.
    pub(crate) async fn peek(mut stream: S) -> io::Result<Self> {
        let mut first = vec![0; 1024];
        let count = stream.read(&mut first).await?;
        first.truncate(count);
        Ok(Self { first, stream })
    }
}

impl<S> Rewound<S> {
    /// What was looked at.
    pub(crate) fn first(&self) -> &[u8] {
        &self.first
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Rewound<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.first.is_empty() {
            return Pin::new(&mut self.stream).poll_read(context, into);
        }
        let count = self.first.len().min(into.remaining());
        into.put_slice(&self.first[..count]);
        self.first.drain(..count);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Rewound<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
