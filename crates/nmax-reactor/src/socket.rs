//! TCP connections, on this thread's reactor, or on tokio's where there is none.

use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rustix::io::{Errno, writev};
use rustix::net::{RecvFlags, SendFlags, Shutdown, connect, recv, send, shutdown, sockopt};
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::{TcpSocket, TcpStream};

use crate::source::Source;
use crate::tasks::can_spawn;

/// A TCP connection.
#[derive(Debug)]
pub enum Socket {
    /// On the reactor of this thread.
    Own(Source<OwnedFd>),
    /// On tokio's.
    Tokio(TcpStream),
}

impl From<TcpStream> for Socket {
    fn from(stream: TcpStream) -> Self {
        Self::Tokio(stream)
    }
}

impl AsFd for Socket {
    #[inline]
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Own(source) => source.as_fd(),
            Self::Tokio(stream) => stream.as_fd(),
        }
    }
}

impl Socket {
    /// Connects a socket that does not block.
    pub async fn connect(socket: OwnedFd, to: SocketAddr) -> io::Result<Self> {
        if !can_spawn() {
            return Ok(Self::Tokio(TcpSocket::from_std_stream(socket.into()).connect(to).await?));
        }
        match connect(&socket, &to) {
            Ok(()) | Err(Errno::INPROGRESS) => {}
            Err(error) => return Err(error.into()),
        }
        let source = Source::new(socket)?;
        poll_fn(|cx| source.poll_writable(cx)).await;
        sockopt::socket_error(&*source)??;
        Ok(Self::Own(source))
    }

    /// Ready when something may be read, or nothing ever again.
    #[inline]
    pub fn poll_readable(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Own(source) => source.poll_readable(cx).map(Ok),
            Self::Tokio(stream) => stream.poll_read_ready(cx),
        }
    }

    /// Reads what is there, where the reactor says that something may be; otherwise it would block.
    ///
    /// Less than `buffer` holds is all there is: the reactor waits for more then.
    #[inline]
    pub fn try_read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Own(source) => receive(source, buffer),
            Self::Tokio(stream) => receive_by_tokio(stream, buffer),
        }
    }

    /// Reads at most `buffer.len()` bytes; 0 is the end of the stream.
    #[inline]
    pub fn poll_receive(&self, cx: &mut Context<'_>, buffer: &mut [u8]) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.poll_readable(cx))?;
            match self.try_read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return Poll::Ready(read),
            }
        }
    }

    /// Writes a part of `bytes` and returns its length. The kernel mostly takes all, and the reactor is asked when it does not.
    #[inline]
    pub fn poll_send(&self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_sent(cx, |socket| send(socket, bytes, SendFlags::NOSIGNAL))
    }

    #[inline]
    fn poll_sent(
        &self,
        cx: &mut Context<'_>,
        send: impl Fn(&Self) -> rustix::io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        loop {
            match send(self) {
                Err(Errno::AGAIN) => ready!(self.poll_room(cx))?,
                Err(Errno::INTR) => {}
                sent => return Poll::Ready(Ok(sent?)),
            }
        }
    }

    /// Ready when the kernel may take more, of which it took nothing just now.
    #[cold]
    fn poll_room(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Own(source) => {
                source.clear_writable();
                source.poll_writable(cx).map(Ok)
            }
            Self::Tokio(stream) => {
                // It remembers only what it saw itself.
                let full = || Err::<(), _>(io::ErrorKind::WouldBlock.into());
                let _ = stream.try_io(Interest::WRITABLE, full);
                stream.poll_write_ready(cx)
            }
        }
    }
}

#[inline]
fn receive(source: &Source<OwnedFd>, buffer: &mut [u8]) -> io::Result<usize> {
    let most = buffer.len();
    match recv(&**source, buffer, RecvFlags::empty()) {
        Ok((_, received)) => {
            if (1..most).contains(&received) {
                source.clear_readable();
            }
            Ok(received)
        }
        Err(error) => {
            if error == Errno::AGAIN {
                source.clear_readable();
            }
            Err(error.into())
        }
    }
}

/// The same on tokio's reactor, which waits for more after what would block.
fn receive_by_tokio(stream: &TcpStream, buffer: &mut [u8]) -> io::Result<usize> {
    let (most, mut received) = (buffer.len(), 0);
    let tried = stream.try_io(Interest::READABLE, || {
        received = recv(stream, buffer, RecvFlags::empty())?.1;
        if (1..most).contains(&received) { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(()) }
    });
    match tried {
        Err(error) if received == 0 => Err(error),
        _ => Ok(received),
    }
}

impl AsyncRead for Socket {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let received = ready!(self.poll_receive(cx, buffer.initialize_unfilled()))?;
        buffer.advance(received);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_send(cx, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_sent(cx, |socket| writev(socket, parts))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(shutdown(&*self, Shutdown::Write)?))
    }
}

#[cfg(test)]
mod tests;
