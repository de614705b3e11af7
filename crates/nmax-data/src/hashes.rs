//! Hash functions that stores use to choose a shard.

/// A hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardHash {
    /// FNV-1a, 64 bits.
    Fnv,
    /// MurmurHash3 for x86, 32 bits, seed 0.
    Murmur3,
    /// CRC-32 as in zlib.
    Crc32,
}

impl ShardHash {
    /// The shard of `value` among `shards`: its hash modulo their number. `shards` must be above 0.
    pub fn shard(self, value: &str, shards: usize) -> usize {
        let bytes = value.as_bytes();
        let hash = match self {
            Self::Fnv => fnv1a(bytes),
            Self::Murmur3 => u64::from(murmur3(bytes)),
            Self::Crc32 => u64::from(crc32(bytes)),
        };
        (hash % shards.max(1) as u64) as usize
    }
}

/// Source: G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, RFC 9923.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Source: A. Appleby, `MurmurHash3_x86_32`, public domain.
fn murmur3(bytes: &[u8]) -> u32 {
    let mixed = |word: u32| word.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
    let (words, rest) = bytes.as_chunks::<4>();
    let mut hash = words.iter().fold(0_u32, |hash, word| {
        let hash = (hash ^ mixed(u32::from_le_bytes(*word))).rotate_left(13);
        hash.wrapping_mul(5).wrapping_add(0xe654_6b64)
    });
    hash ^= mixed(rest.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)));
    hash ^= bytes.len() as u32;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

/// Source: ISO/IEC 8802-3, reflected, polynomial 0xedb88320.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| crc >> 1 ^ (crc & 1).wrapping_neg() & 0xedb8_8320)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published vectors.
    #[test]
    fn hashes_are_those_of_their_names() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(murmur3(b""), 0);
        assert_eq!(murmur3(b"test"), 0xba6b_d213);
        assert_eq!(murmur3(b"Hello, world!"), 0xc036_3e43);
        assert_eq!(murmur3(b"The quick brown fox jumps over the lazy dog"), 0x2e4f_f723);
    }

    #[test]
    fn shards_are_in_range() {
        for hash in [ShardHash::Fnv, ShardHash::Murmur3, ShardHash::Crc32] {
            assert!((0..100).all(|n: u32| hash.shard(&n.to_string(), 7) < 7));
        }
    }
}
