//! Numbers for texts: a fast hash with a fixed seed, and maps that take it as it is.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

const K0: u64 = 0x9e37_79b9_7f4a_7c15;
const K1: u64 = 0xd6e8_feb8_6659_fd93;

/// A map whose keys are hashes already.
pub(crate) type IdMap<V> = HashMap<u64, V, BuildHasherDefault<AsIs>>;

/// Hands a hash on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AsIs(u64);

impl Hasher for AsIs {
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
    scatter(u64::from(a) << 32 | u64::from(b))
}

/// A bijection of words that changes half of the bits: the finalizer of SplitMix64.
fn scatter(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A stream of numbers from a seed (SplitMix64).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(K0);
        scatter(self.0)
    }

    /// A number below `n`, each equally likely up to 2⁻⁴⁰; 0 for `n` = 0.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }

    /// From 0 up to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests;
