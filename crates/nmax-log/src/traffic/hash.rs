//! Numbers for texts: a fast hash with a fixed seed, and maps that take it as it is.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use nmax_plan::choice::mix64;

const K0: u64 = 0x9e37_79b9_7f4a_7c15;
const K1: u64 = 0xd6e8_feb8_6659_fd93;

/// A map whose keys are hashes already.
pub(crate) type IdMap<V> = HashMap<u64, V, BuildHasherDefault<IdentityHasher>>;

/// Hands a hash on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash(bytes);
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ ((product >> 64) as u64)
}

/// 64 bits for a text: equal texts equal bits. Two of n different texts meet with a chance of about n²/2⁶⁵, which a
/// million texts make 3·10⁻⁸. Not for texts that are chosen to meet.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let (chunks, rest) = bytes.as_chunks::<8>();
    let mut state = K0 ^ bytes.len() as u64;
    for chunk in chunks {
        state = fold(state ^ u64::from_le_bytes(*chunk), K1);
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(state, u64::from_le_bytes(last))
}

/// One hash of two.
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    fold(a ^ K0, b ^ K1).wrapping_add(fold(a ^ K1, b.rotate_left(32) ^ K0))
}

/// A key for two numbers below 2³², another one for each pair.
pub(crate) fn pair(a: u32, b: u32) -> u64 {
    mix64(u64::from(a) << 32 | u64::from(b))
}

#[cfg(test)]
mod tests;
