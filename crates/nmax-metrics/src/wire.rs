//! What is measured, as bytes ([`Frame`](crate::Frame)).
//!
//! Numbers are in LEB128, tables in the order of their fields, and of a histogram only buckets that hold something: see
//! `histogram/wire.rs`. The lists of fields are the only description of the format, read in both directions, so a field that
//! is missing does not compile. Bytes come from elsewhere: whatever they are, decoding ends with a sound window or a reason,
//! in bounded memory.

use core::net::IpAddr;

use crate::Nanos;

/// Most bytes of a frame. 500 names with a million exchanges in all take a fifth of it.
pub const FRAME_BYTES_MAX: usize = 16 << 20;
/// Most memory that a frame may ask for, bytes: twice what 500 names take that spread over all times.
const MEMORY_MAX: usize = 256 << 20;
/// All counts of a frame together are at most this (in ns 52 days), so that thousands of frames can be summed.
const COUNTS_MAX: u64 = 1 << 52;
/// Bits of the largest numbers, which are sums of ns.
const BITS_MAX: u32 = 91;
/// The first byte of a frame: the version of the format.
pub(crate) const VERSION: u8 = 3;

/// Why bytes are no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// Another version of nmax wrote them.
    #[error("the frame has format {0}, and this nmax reads format {VERSION}\n  help: use the same version everywhere")]
    Version(u8),
    /// They end too early, or too late.
    #[error("the frame is cut off, or something follows it")]
    Length,
    /// It is beyond a limit.
    #[error("the frame is too large")]
    TooLarge,
    /// No window has these figures.
    #[error("the frame is damaged: {0}")]
    Damaged(&'static str),
}

/// Bytes that are left, and what they may still ask for.
pub(crate) struct Input<'a> {
    bytes: &'a [u8],
    memory_left: usize,
    counts_left: u64,
}

impl<'a> Input<'a> {
    /// All of a frame.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, memory_left: MEMORY_MAX, counts_left: COUNTS_MAX }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn byte(&mut self) -> Result<u8, WireError> {
        let (first, rest) = self.bytes.split_first().ok_or(WireError::Length)?;
        self.bytes = rest;
        Ok(*first)
    }

    fn slice(&mut self, length: usize) -> Result<&'a [u8], WireError> {
        let (slice, rest) = self.bytes.split_at_checked(length).ok_or(WireError::Length)?;
        self.bytes = rest;
        Ok(slice)
    }

    /// The length of a list whose items take a byte at least, and so many in memory.
    fn length(&mut self, item_bytes: usize) -> Result<usize, WireError> {
        let length = usize::take(self)?;
        if length > self.bytes.len() {
            return Err(WireError::Length);
        }
        self.spend(length * item_bytes)?;
        Ok(length)
    }

    /// Notes that what was read takes so much memory.
    pub(crate) fn spend(&mut self, bytes: usize) -> Result<(), WireError> {
        self.memory_left = self.memory_left.checked_sub(bytes).ok_or(WireError::TooLarge)?;
        Ok(())
    }
}

/// What can be sent.
pub(crate) trait Wire: Sized {
    /// Appends it.
    fn put(&self, out: &mut Vec<u8>);
    /// Reads it back.
    fn take(input: &mut Input<'_>) -> Result<Self, WireError>;
}

/// Structures as the list of all their fields.
macro_rules! wire {
    ($($type:ident { $($field:ident),* $(,)? })*) => { $(
        impl $crate::wire::Wire for $type {
            fn put(&self, out: &mut Vec<u8>) {
                let Self { $($field),* } = self;
                $($crate::wire::Wire::put($field, out);)*
            }

            fn take(input: &mut $crate::wire::Input<'_>) -> Result<Self, $crate::wire::WireError> {
                Ok(Self { $($field: $crate::wire::Wire::take(input)?),* })
            }
        }
    )* };
}
pub(crate) use wire;

impl Wire for u128 {
    fn put(&self, out: &mut Vec<u8>) {
        let mut left = *self;
        while left >= 0x80 {
            out.push(left as u8 | 0x80);
            left >>= 7;
        }
        out.push(left as u8);
    }

    fn take(input: &mut Input<'_>) -> Result<Self, WireError> {
        let mut number = 0;
        for shift in (0..BITS_MAX).step_by(7) {
            let byte = input.byte()?;
            number |= Self::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(WireError::TooLarge)
    }
}

impl Wire for u64 {
    fn put(&self, out: &mut Vec<u8>) {
        u128::from(*self).put(out);
    }

    fn take(input: &mut Input<'_>) -> Result<Self, WireError> {
        let number = Self::try_from(u128::take(input)?).map_err(|_| WireError::TooLarge)?;
        input.counts_left = input.counts_left.checked_sub(number).ok_or(WireError::TooLarge)?;
        Ok(number)
    }
}

macro_rules! as_u64 {
    ($($type:ty)*) => { $(
        impl Wire for $type {
            fn put(&self, out: &mut Vec<u8>) {
                (*self as u64).put(out);
            }

            fn take(input: &mut Input<'_>) -> Result<Self, WireError> {
                Self::try_from(u64::take(input)?).map_err(|_| WireError::TooLarge)
            }
        }
    )* };
}
as_u64!(u16 u32 usize);

impl Wire for Nanos {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn take(input: &mut Input<'_>) -> Result<Self, WireError> {
        Ok(Self(u64::take(input)?))
    }
}

impl Wire for IpAddr {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::V4(address) => out.extend([&[4][..], &address.octets()].concat()),
            Self::V6(address) => out.extend([&[6][..], &address.octets()].concat()),
        }
    }

    fn take(input: &mut Input<'_>) -> Result<Self, WireError> {
        let version = input.byte()?;
        let octets = input.slice(if version == 4 { 4 } else { 16 })?;
        let (v4, v6) = (<[u8; 4]>::try_from(octets), <[u8; 16]>::try_from(octets));
        let address = v4.map(Self::from).or(v6.map(Self::from));
        address.ok().filter(|_| matches!(version, 4 | 6)).ok_or(WireError::Damaged("an address has no version"))
    }
}

impl Wire for String {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        out.extend(self.as_bytes());
    }

    fn take(input: &mut Input<'_>) -> Result<Self, WireError> {
        let length = input.length(1)?;
        let text = std::str::from_utf8(input.slice(length)?);
        text.map(str::to_owned).map_err(|_| WireError::Damaged("a name is not text"))
    }
}

impl<T: Wire> Wire for Option<Box<T>> {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(self.is_some()));
        self.iter().for_each(|item| item.put(out));
    }

    fn take(input: &mut Input<'_>) -> Result<Self, WireError> {
        match input.byte()? {
            0 => Ok(None),
            1 => {
                input.spend(size_of::<T>())?;
                Ok(Some(Box::new(T::take(input)?)))
            }
            _ => Err(WireError::Damaged("something is neither there nor not")),
        }
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        self.iter().for_each(|item| item.put(out));
    }

    fn take(input: &mut Input<'_>) -> Result<Self, WireError> {
        let length = input.length(size_of::<T>())?;
        (0..length).map(|_| T::take(input)).collect()
    }
}

impl<T: Wire, const N: usize> Wire for [T; N] {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|item| item.put(out));
    }

    fn take(input: &mut Input<'_>) -> Result<Self, WireError> {
        let items: Vec<T> = (0..N).map(|_| T::take(input)).collect::<Result<_, _>>()?;
        items.try_into().map_err(|_| WireError::Length)
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn take(input: &mut Input<'_>) -> Result<Self, WireError> {
        Ok((A::take(input)?, B::take(input)?))
    }
}
