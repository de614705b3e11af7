//! SipHash-2-4: a keyed function whose results tell nothing of the key.

#[cfg(test)]
mod tests;

/// The secret of a keyed function.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct SipKey {
    k0: u64,
    k1: u64,
}

impl SipKey {
    /// From 16 bytes, little-endian.
    pub(crate) fn new(key: [u8; 16]) -> Self {
        let key = u128::from_le_bytes(key);
        Self { k0: key as u64, k1: (key >> 64) as u64 }
    }

    /// The hash of whole words, as of their little-endian bytes.
    ///
    /// Source: J.-P. Aumasson, D. J. Bernstein, *SipHash: a fast short-input PRF*, INDOCRYPT 2012.
    pub(crate) fn hash(self, words: impl IntoIterator<Item = u64>) -> u64 {
        let mut v = [
            self.k0 ^ 0x736f_6d65_7073_6575,
            self.k1 ^ 0x646f_7261_6e64_6f6d,
            self.k0 ^ 0x6c79_6765_6e65_7261,
            self.k1 ^ 0x7465_6462_7974_6573,
        ];
        let mut count = 0_u64;
        for word in words {
            compress(&mut v, word);
            count += 1;
        }
        // The length in bytes, modulo 256, stands in the top byte of the last word.
        compress(&mut v, (count * 8) << 56);
        v[2] ^= 0xff;
        for _ in 0..4 {
            round(&mut v);
        }
        v[0] ^ v[1] ^ v[2] ^ v[3]
    }

    /// The hash of a text.
    pub(crate) fn hash_text(self, text: &str) -> u64 {
        let words = text.as_bytes().chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        });
        self.hash(words.chain([text.len() as u64]))
    }
}

impl std::fmt::Debug for SipKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SipKey(secret)")
    }
}

fn compress(v: &mut [u64; 4], word: u64) {
    v[3] ^= word;
    round(v);
    round(v);
    v[0] ^= word;
}

fn round(v: &mut [u64; 4]) {
    v[0] = v[0].wrapping_add(v[1]);
    v[2] = v[2].wrapping_add(v[3]);
    v[1] = v[1].rotate_left(13) ^ v[0];
    v[3] = v[3].rotate_left(16) ^ v[2];
    v[0] = v[0].rotate_left(32);
    v[2] = v[2].wrapping_add(v[1]);
    v[0] = v[0].wrapping_add(v[3]);
    v[1] = v[1].rotate_left(17) ^ v[2];
    v[3] = v[3].rotate_left(21) ^ v[0];
    v[2] = v[2].rotate_left(32);
}
