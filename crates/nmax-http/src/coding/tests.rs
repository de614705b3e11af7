use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use proptest::prelude::*;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::*;

/// What the fixtures hold.
const TEXT: &str = "The quick brown fox jumps over the lazy dog. The quick brown fox jumps over the lazy dog. \
                    The quick brown fox jumps over the lazy dog. quick brown dog";

/// `TEXT` by the reference programs: gzip 1.12, zlib and brotli 1.2 through Python, zstd 1.5.4.
const FIXTURES: [(&str, &str, &str); 12] = [
    (
        "gzip",
        "1f8b08000000000000030bc94855282ccd4cce56482aca2fcf5348cbaf50c82acd2d2856c82f4b2d5228014ae72456552aa4e4a7eb2984d04c31b242a0000071992fec96000000",
        "gzip -n",
    ),
    (
        "gzip",
        "1f8b08083434026b0003683174000bc94855282ccd4cce56482aca2fcf5348cbaf50c82acd2d2856c82f4b2d5228014ae72456552aa4e4a7eb2984d04c31b242a0000071992fec96000000",
        "with the name of its file",
    ),
    (
        "deflate",
        "78da0bc94855282ccd4cce56482aca2fcf5348cbaf50c82acd2d2856c82f4b2d5228014ae72456552aa4e4a7eb2984d04c31b242a00000ff163635",
        "zlib",
    ),
    (
        "deflate",
        "0bc94855282ccd4cce56482aca2fcf5348cbaf50c82acd2d2856c82f4b2d5228014ae72456552aa4e4a7eb2984d04c31b242a00000",
        "without zlib's header",
    ),
    (
        "br",
        "8b4a000080aaaaaaeaff74e5c3496f273b5c4c5545974d54c54c4ccdecffaefaf7dc5bdd33aacbdb18ee8a170b0b0b1b1bab7a99511d7cf8f06330188ce34c56d56030180c068339d419918ad2281c16da49f69ee0bb3d126169761556780f047e51b4cf0bfc90e04e8476fe1f3c4783000fe93e5b9a5d8515de039ee3",
        "quality 0",
    ),
    (
        "br",
        "1b95000044db46a92e245b3214e54e459e89f2c3069c88a71125600be26d5dd94a9b14cd2dfce06908bcc8abf6096e1d0f8c8716f71f84d140088c3002",
        "quality 5",
    ),
    (
        "br",
        "1b9500502c0e78d3d0955d9710bb171ba1d293aa0c2dc9ccd81ac4652e6f839ce1e9a9b037d88003f616d89f6463bc386e9aa4e5454a1d551ba5291e75e83e0d2d00",
        "quality 11",
    ),
    (
        "zstd",
        "28b52ffd2496dd0100040354686520717569636b2062726f776e20666f78206a756d7073206f76657220746865206c617a7920646f672e20646f67020006c3811e9c54197c1be62f",
        "level 1",
    ),
    (
        "zstd",
        "28b52ffd2096dd0100040354686520717569636b2062726f776e20666f78206a756d7073206f76657220746865206c617a7920646f672e20646f6702004c1da006275506",
        "level 19 without a checksum",
    ),
    (
        "zstd",
        "28b52ffd2496dd0100040354686520717569636b2062726f776e20666f78206a756d7073206f76657220746865206c617a7920646f672e20646f6702004c1da0062755067c1be62f",
        "level 22",
    ),
    (
        "zstd",
        "28b52ffd2496dd0100040354686520717569636b2062726f776e20666f78206a756d7073206f76657220746865206c617a7920646f672e20646f67020059e0400f4eaa0c7c1be62f",
        "level -3",
    ),
    (
        "zstd",
        "28b52ffd0458dd0100040354686520717569636b2062726f776e20666f78206a756d7073206f76657220746865206c617a7920646f672e20646f67020006c3811e9c54197c1be62f",
        "from a pipe, so without its size",
    ),
];

/// 16 MiB of zeros by brotli 1.2.
pub(crate) const BOMB_BR: &str = "cbffff3ff82700e2b14020f7fe8fffff7ff04f00c4611180eefddf";
/// 1 MiB of zeros by zstd 1.5.4, in nine blocks.
const BOMB_ZSTD: &str =
    "28b52ffda4000010005400001000000100fbff39c00202001000020010000200100002001000020010000200100003001000f13e16e1";

const CODINGS: [&str; 4] = ["gzip", "deflate", "br", "zstd"];

pub(crate) fn bytes_of(hex: &str) -> Vec<u8> {
    hex.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// What `coded` decodes to, pushed in pieces of the given sizes in turn.
fn decode(codings: &str, coded: &[u8], sizes: &[usize]) -> Result<Vec<u8>, CodecError> {
    let mut listed = Codings::default();
    listed.add(codings.as_bytes());
    let mut decoder = listed.decoder(u64::MAX)?;
    let mut plain = Vec::new();
    let mut sizes = sizes.iter().cycle();
    let mut rest = coded;
    while !rest.is_empty() {
        let size = sizes.next().map_or(rest.len(), |&s| s.clamp(1, rest.len()));
        decoder.push(&rest[..size], &mut |data| {
            assert!(data.len() <= OUTPUT_BYTES.max(size));
            plain.extend_from_slice(data);
            Ok(())
        })?;
        rest = &rest[size..];
    }
    decoder.end()?;
    Ok(plain)
}

fn whole(codings: &str, coded: &[u8]) -> Result<Vec<u8>, CodecError> {
    decode(codings, coded, &[])
}

pub(crate) fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

fn zlib(plain: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

fn raw_deflate(plain: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

/// Brotli without compression, bit by bit from RFC 7932 section 9: a window of 64 KiB (one zero bit), then
/// meta-blocks of at most 65,536 bytes as they are, then an empty last one.
pub(crate) fn brotli(plain: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    // The first header starts after the window's bit; later ones start at a byte, as does the data.
    let mut shift = 1;
    for block in plain.chunks(1 << 16) {
        // ISLAST 0 (1 bit), MNIBBLES 0 for four (2 bits), MLEN - 1 (16 bits), ISUNCOMPRESSED 1 (1 bit).
        let header = ((block.len() as u32 - 1) << 3 | 1 << 19) << shift;
        out.extend(&header.to_le_bytes()[..3]);
        out.extend(block);
        shift = 0;
    }
    // ISLAST 1, ISLASTEMPTY 1.
    out.push(0b11 << shift);
    out
}

fn zstd(plain: &[u8]) -> Vec<u8> {
    compress_to_vec(plain, CompressionLevel::Fastest)
}

/// `plain` in a coding, by an encoder.
fn encode(coding: &str, plain: &[u8]) -> Vec<u8> {
    match coding {
        "gzip" => gzip(plain),
        "deflate" => zlib(plain),
        "br" => brotli(plain),
        _ => zstd(plain),
    }
}

#[test]
fn reference_encoders_are_read() {
    for (coding, hex, why) in FIXTURES {
        let coded = bytes_of(hex);
        for size in [1, 2, 7, coded.len()] {
            let plain = decode(coding, &coded, &[size]).unwrap();
            assert_eq!(String::from_utf8(plain).unwrap(), TEXT, "{coding} {why} by {size}");
        }
    }
}

#[test]
fn names_of_codings() {
    let gzipped = gzip(TEXT.as_bytes());
    for names in ["gzip", "GZip", "x-gzip", "identity, gzip", " gzip ,, identity"] {
        assert_eq!(whole(names, &gzipped).unwrap(), TEXT.as_bytes(), "{names}");
    }
    for names in ["", "identity", "compress", "gzip, compress", "gzipped", "aes128gcm"] {
        let mut codings = Codings::default();
        codings.add(names.as_bytes());
        assert!(!codings.can_be_undone(), "{names}: nothing that can be undone");
    }
    let most = ["gzip"; CODINGS_MAX].join(",");
    let mut codings = Codings::default();
    codings.add(most.as_bytes());
    assert!(codings.decoder(u64::MAX).is_ok());
    codings.add(b"br");
    assert_eq!(codings.decoder(u64::MAX).unwrap_err(), CodecError::TooManyCodings);
    codings.add(format!("{most},").repeat(100).as_bytes());
    assert!(codings.decoder(u64::MAX).is_err());
}

#[test]
fn codings_are_undone_in_reverse_order() {
    let coded = brotli(&gzip(TEXT.as_bytes()));
    assert_eq!(whole("gzip, br", &coded).unwrap(), TEXT.as_bytes());
    assert!(whole("br, gzip", &coded).is_err());
    let mut two_lines = Codings::default();
    two_lines.add(b"gzip");
    two_lines.add(b"br");
    let mut one_line = Codings::default();
    one_line.add(b"gzip, br");
    assert_eq!(two_lines, one_line);
}

#[test]
fn deflate_may_lack_its_zlib_header() {
    for level in [0, 1, 9] {
        for plain in [&b""[..], b"x", TEXT.as_bytes()] {
            assert_eq!(whole("deflate", &raw_deflate(plain, level)).unwrap(), plain, "level {level}");
        }
    }
}

#[test]
fn streams_may_follow_each_other() {
    let two = [gzip(b"one "), gzip(b""), gzip(b"two")].concat();
    assert_eq!(whole("gzip", &two).unwrap(), b"one two");
    let skipped = [&[0x5f, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    let empty_skipped = [0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0].to_vec();
    let three = [skipped, zstd(b"one "), empty_skipped, zstd(b""), zstd(b"two")].concat();
    for sizes in [vec![], vec![1], vec![3, 5]] {
        assert_eq!(decode("zstd", &three, &sizes).unwrap(), b"one two");
    }
}

#[test]
fn gzip_headers_with_all_fields() {
    let plain = gzip(TEXT.as_bytes());
    let mut header = plain[..10].to_vec();
    header[3] = flags("extra") | flags("name") | flags("comment") | flags("crc");
    header.extend(b"\x03\x00abcname\0comment\0\xaa\xbb");
    let full = [&header, &plain[10..]].concat();
    for sizes in [vec![], vec![1], vec![4, 3]] {
        assert_eq!(decode("gzip", &full, &sizes).unwrap(), TEXT.as_bytes());
    }
    header[3] |= 0x80;
    let reserved = [&header, &plain[10..]].concat();
    assert!(whole("gzip", &reserved).is_err(), "reserved flags");
}

/// Bits of RFC 1952 section 2.3.1.
fn flags(name: &str) -> u8 {
    match name {
        "crc" => 2,
        "extra" => 4,
        "name" => 8,
        _ => 16,
    }
}

#[test]
fn damage_is_named() {
    let text = TEXT.as_bytes();
    let mut wrong_sum = gzip(text);
    let at = wrong_sum.len() - 5;
    wrong_sum[at] ^= 1;
    let mut wrong_size = gzip(text);
    *wrong_size.last_mut().unwrap() ^= 1;
    let mut wrong_zstd = bytes_of(FIXTURES[7].1);
    *wrong_zstd.last_mut().unwrap() ^= 1;
    let mut other_size = bytes_of(FIXTURES[8].1);
    other_size[5] += 1;
    let window_of_16_mib = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 14 << 3, 1, 0, 0].to_vec();
    let window_of_8_mib = [0x28, 0xb5, 0x2f, 0xfd, 0x00, 13 << 3, 1, 0, 0].to_vec();
    assert_eq!(whole("zstd", &window_of_8_mib).unwrap(), b"");
    let cases = [
        ("gzip", wrong_sum, "gzip data of the reply cannot be undone: its checksum is wrong"),
        ("gzip", wrong_size, "gzip data of the reply cannot be undone: its checksum is wrong"),
        ("gzip", text.to_vec(), "gzip data of the reply cannot be undone: its header is not that of gzip"),
        (
            "gzip",
            [gzip(text), b"\0".to_vec()].concat(),
            "gzip data of the reply cannot be undone: its header is not that of gzip",
        ),
        (
            "deflate",
            [zlib(text), b"x".to_vec()].concat(),
            "deflate data of the reply cannot be undone: more bytes come after its end",
        ),
        ("deflate", b"\xff\xff".to_vec(), "deflate data of the reply cannot be undone: it is damaged"),
        (
            "br",
            [brotli(text), b"x".to_vec()].concat(),
            "br data of the reply cannot be undone: more bytes come after its end",
        ),
        ("br", b"\xff\xff\xff\xff".to_vec(), "br data of the reply cannot be undone: it is damaged"),
        ("zstd", wrong_zstd, "zstd data of the reply cannot be undone: its checksum is wrong"),
        ("zstd", other_size, "zstd data of the reply cannot be undone: its length is not the size in the frame header"),
        ("zstd", text.to_vec(), "zstd data of the reply cannot be undone: its header is not that of zstd"),
        (
            "zstd",
            window_of_16_mib,
            "zstd data of the reply cannot be undone: its header is damaged, or asks for a dictionary or a window above 8 MiB",
        ),
    ];
    for (coding, coded, want) in cases {
        for sizes in [vec![], vec![1]] {
            let error = decode(coding, &coded, &sizes).unwrap_err();
            assert_eq!(error.to_string(), format!("the {want}"));
        }
    }
}

/// Data of the size of nothing may become megabytes: they pass in small pieces, and the sink may stop them.
#[test]
fn a_bomb_can_be_stopped() {
    let bombs = [
        ("br", bytes_of(BOMB_BR), 16 << 20),
        ("zstd", bytes_of(BOMB_ZSTD), 1 << 20),
        ("gzip", gzip(&vec![0; 1 << 20]), 1 << 20),
        ("gzip, gzip", gzip(&gzip(&vec![0; 1 << 20])), 1 << 20),
    ];
    for (codings, coded, size) in bombs {
        let mut listed = Codings::default();
        listed.add(codings.as_bytes());
        let (mut all, mut some) = (0, 0);
        let mut decoder = listed.decoder(u64::MAX).unwrap();
        decoder
            .push(&coded, &mut |data| {
                all += data.len();
                Ok(())
            })
            .unwrap();
        assert_eq!(all, size, "{codings}");
        let mut decoder = listed.decoder(u64::MAX).unwrap();
        let stopped = decoder.push(&coded, &mut |data| {
            some += data.len();
            if some > 50_000 { Err(CodecError::BodyLimit(50_000)) } else { Ok(()) }
        });
        assert_eq!(stopped, Err(CodecError::BodyLimit(50_000)));
        assert!(some <= 50_000 + OUTPUT_BYTES, "{codings}: {some} bytes came before the limit was seen");
    }
}

/// The name of a file in a gzip header is never plain: a sink that counts plain bytes sees nothing of it.
#[test]
fn a_bomb_between_two_codings_is_stopped() {
    let mut inner = vec![0x1f, 0x8b, 8, 1 << 3, 0, 0, 0, 0, 0, 3];
    inner.resize(10 << 20, b'a');
    let coded = gzip(&inner);
    assert!(coded.len() < 100_000, "{} bytes", coded.len());
    let mut listed = Codings::default();
    listed.add(b"gzip, gzip");
    let stopped = listed.decoder(100_000).unwrap().push(&coded, &mut |_| panic!("no plain byte is in there"));
    assert_eq!(stopped, Err(CodecError::BodyLimit(100_000)));
}

fn coding_name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&CODINGS[..])
}

/// Bytes with runs and repeats, so that compression has something to do.
fn plain_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec((any::<u8>(), 1..30_usize), 0..60)
        .prop_map(|runs| runs.iter().flat_map(|&(byte, times)| vec![byte; times]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Law: what was encoded comes back, however the stream is cut, also through two codings.
    #[test]
    fn encoded_bytes_come_back(
        inner in coding_name(),
        outer in coding_name(),
        plain in plain_bytes(),
        sizes in prop::collection::vec(1..40_usize, 1..6),
    ) {
        let once = encode(inner, &plain);
        prop_assert_eq!(&decode(inner, &once, &sizes).unwrap(), &plain);
        let twice = encode(outer, &once);
        prop_assert_eq!(decode(&format!("{inner},{outer}"), &twice, &sizes).unwrap(), plain);
    }

    /// Law: a stream that is cut off is never taken for a whole one; no stream at all is an empty body.
    #[test]
    fn cut_off_streams_are_errors(coding in coding_name(), plain in plain_bytes(), cut: prop::sample::Index) {
        let coded = encode(coding, &plain);
        let part = &coded[..cut.index(coded.len())];
        match whole(coding, part) {
            Ok(plain) => prop_assert!(part.is_empty() && plain.is_empty()),
            Err(error) => prop_assert_eq!(error, broken(CODINGS.iter().find(|c| **c == coding).unwrap(), "it ends too early")),
        }
    }

    /// Law: a changed byte is an error or changes nothing, in codings with a checksum.
    #[test]
    fn checksums_find_damage(is_gzip: bool, plain in plain_bytes(), at: prop::sample::Index, change in 1..=255_u8) {
        let coding = if is_gzip { "gzip" } else { "deflate" };
        let mut coded = encode(coding, &plain);
        let at = at.index(coded.len());
        coded[at] ^= change;
        // With another header the bytes are another format, without a checksum.
        prop_assume!(is_gzip || at > 1);
        if let Ok(read) = whole(coding, &coded) {
            prop_assert_eq!(read, plain);
        }
    }

    /// Law: no bytes panic, and where they are cut makes no difference.
    #[test]
    fn cuts_make_no_difference(
        coding in coding_name(),
        noise in prop::collection::vec(any::<u8>(), 0..40),
        plain in plain_bytes(),
        keep: prop::sample::Index,
        sizes in prop::collection::vec(1..9_usize, 1..6),
    ) {
        let mut coded = encode(coding, &plain);
        coded.truncate(keep.index(coded.len() + 1));
        coded.extend(noise);
        prop_assert_eq!(whole(coding, &coded), decode(coding, &coded, &sizes));
    }
}
