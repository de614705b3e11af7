use proptest::prelude::*;

use super::*;

const ID: u16 = 0x1234;
const TXT: u16 = 16;

fn name(text: &str) -> WireName {
    WireName::new(text).unwrap()
}

/// A reply to a question for `www.a.test`, with these flags and records; a record's owner is given as bytes.
/// It asks for addresses, or for texts when the first record is one.
fn reply(flags: u16, records: &[(&[u8], u16, u32, &[u8])]) -> Vec<u8> {
    let mut bytes = ID.to_be_bytes().to_vec();
    bytes.extend(flags.to_be_bytes());
    bytes.extend([0, 1]);
    bytes.extend((records.len() as u16).to_be_bytes());
    bytes.extend([0, 0, 0, 0]);
    bytes.extend(b"\x03www\x01a\x04test\x00\x00\x01\x00\x01");
    if let Some((_, kind @ TXT, ..)) = records.first() {
        let end = bytes.len();
        bytes[end - 4..end - 2].copy_from_slice(&kind.to_be_bytes());
    }
    for (owner, kind, ttl, data) in records {
        bytes.extend(*owner);
        bytes.extend(kind.to_be_bytes());
        bytes.extend([0, 1]);
        bytes.extend(ttl.to_be_bytes());
        bytes.extend((data.len() as u16).to_be_bytes());
        bytes.extend(*data);
    }
    bytes
}

/// A pointer to the name in the question.
const ASKED: &[u8] = &[0xc0, 12];

fn read(message: &[u8]) -> Result<ResolvedAddresses, Lack> {
    answer(message, ID, &name("www.a.test"), RecordType::A)
}

#[test]
fn a_question_as_bytes() {
    let want = b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x03www\x01a\x04test\x00\x00\x1c\x00\x01";
    assert_eq!(question(ID, &name("WWW.a.test."), RecordType::Aaaa), want);
}

#[test]
fn names_that_are_none() {
    let long = "a".repeat(64);
    let many = "abcdefg.".repeat(32);
    for text in ["", ".", "a..b", ".a", &long, &many] {
        assert_eq!(WireName::new(text), None, "{text:?}");
    }
    assert!(WireName::new(&"a".repeat(63)).is_some());
}

#[test]
fn addresses_with_their_shortest_lifetime() {
    let message = reply(0x8180, &[(ASKED, 1, 300, &[10, 0, 0, 1]), (ASKED, 1, 60, &[10, 0, 0, 2])]);
    let found = read(&message).unwrap();
    assert_eq!(found.addresses, [IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2])]);
    assert_eq!(found.ttl_s, 60);
}

/// A content network's alias lives for seconds though its address lives for hours, or the other way round.
#[test]
fn the_lifetime_of_an_alias_counts() {
    let alias = b"\x03cdn\x00";
    for (of_alias, of_address) in [(5, 3600), (3600, 5)] {
        let message = reply(
            0x8180,
            // The order of records says nothing.
            &[(alias, 1, of_address, &[10, 0, 0, 1]), (ASKED, 5, of_alias, alias)],
        );
        assert_eq!(read(&message).unwrap().ttl_s, 5);
    }
}

#[test]
fn addresses_of_other_names_are_not_ours() {
    let message = reply(0x8180, &[(b"\x04evil\x00", 1, 60, &[10, 6, 6, 6])]);
    assert_eq!(read(&message), Err(Lack::NoAddress));
    let message = reply(0x8180, &[(ASKED, 28, 60, &[0; 16])]);
    assert_eq!(read(&message), Err(Lack::NoAddress), "nor those of another family");
}

#[test]
fn a_lifetime_with_the_top_bit_is_none_and_a_long_one_ends() {
    for (ttl, want) in [(0, 0), (0x8000_0000, 0), (u32::MAX, 0), (i32::MAX as u32, TTL_S_MAX)] {
        assert_eq!(read(&reply(0x8180, &[(ASKED, 1, ttl, &[10, 0, 0, 1])])).unwrap().ttl_s, want);
    }
}

#[test]
fn replies_without_addresses() {
    let cases = [
        (0x8180, Lack::NoAddress),
        (0x8183, Lack::NoName),
        (0x8182, Lack::Server(2)),
        (0x8185, Lack::Server(5)),
        (0x8380, Lack::Cut),
        (0x0180, Lack::NotOurs),
        // Another kind of operation.
        (0xa980, Lack::NotOurs),
    ];
    for (flags, want) in cases {
        assert_eq!(read(&reply(flags, &[])), Err(want), "{flags:#x}");
    }
}

#[test]
fn replies_to_others() {
    let message = reply(0x8180, &[(ASKED, 1, 60, &[10, 0, 0, 1])]);
    let asked = name("www.a.test");
    assert!(answer(&message, ID, &asked, RecordType::A).is_ok());
    assert_eq!(answer(&message, ID + 1, &asked, RecordType::A), Err(Lack::NotOurs));
    assert_eq!(answer(&message, ID, &asked, RecordType::Aaaa), Err(Lack::NotOurs));
    assert_eq!(answer(&message, ID, &name("a.test"), RecordType::A), Err(Lack::NotOurs));
    assert_eq!(read(&message[..20]), Err(Lack::NotOurs));
    assert_eq!(read(&message[..message.len() - 1]), Err(Lack::Broken));
}

#[test]
fn texts_are_read() {
    let of = |records: &[(&[u8], u16, u32, &[u8])]| texts(&reply(0x8180, records), ID, &name("www.a.test"));
    assert_eq!(of(&[(ASKED, TXT, 60, b"\x06allow-\x09load-test")]).unwrap(), [b"allow-load-test"]);
    let led_to: &[u8] = b"\x05other\0";
    let more = of(&[(ASKED, TXT, 60, b"\0"), (ASKED, 5, 60, led_to), (led_to, TXT, 60, b"\x01a")]);
    assert_eq!(more.unwrap(), [b"".as_slice(), b"a"]);
    assert_eq!(of(&[(ASKED, TXT, 60, b"\x05a")]), Err(Lack::Broken), "a string longer than its record");
    assert_eq!(of(&[]), Err(Lack::NotOurs), "a reply to a question for addresses");
    let mut upper = reply(0x8180, &[(ASKED, TXT, 60, b"\x01a")]);
    upper[13..16].make_ascii_uppercase();
    assert_eq!(texts(&upper, ID, &name("www.a.test")).unwrap(), [b"a"], "case of letters may change");
}

/// Neither aliases nor pointers in a circle keep the reader busy.
#[test]
fn circles_end() {
    let asked = b"\x03www\x01a\x04test\x00";
    assert_eq!(read(&reply(0x8180, &[(ASKED, 5, 60, asked)])), Err(Lack::NoAddress));
    let itself = 12 + 16;
    assert_eq!(read(&reply(0x8180, &[(&[0xc0, itself], 1, 60, &[10, 0, 0, 1])])), Err(Lack::Broken));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Law: texts come back whole, however they are split into strings.
    #[test]
    fn texts_come_back(
        wanted in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 1..5),
        cut in 1_usize..=255,
    ) {
        let string = |part: &[u8]| [&[part.len() as u8], part].concat();
        let data: Vec<Vec<u8>> = wanted.iter().map(|text| text.chunks(cut).flat_map(string).collect()).collect();
        let records: Vec<_> = data.iter().map(|data| (ASKED, TXT, 60, data.as_slice())).collect();
        prop_assert_eq!(texts(&reply(0x8180, &records), ID, &name("www.a.test")), Ok(wanted));
    }

    /// Law: a reply that was damaged on the way is read to the end without a panic, whatever it then says.
    #[test]
    fn damage_never_panics(at in 0_usize..60, byte: u8, cut in 0_usize..80) {
        let mut message = reply(0x8180, &[(ASKED, 5, 60, b"\x03cdn\xc0\x10"), (b"\x03cdn\xc0\x10", 1, 9, &[10, 0, 0, 1])]);
        prop_assert!(read(&message).is_ok());
        let at = at % message.len();
        message[at] = byte;
        message.truncate(message.len().min(cut + 12));
        let _ = read(&message);
    }

    /// Law: a name is read back from the question it was asked with.
    #[test]
    fn names_survive_the_wire(text in "[a-z0-9_-]{1,20}(\\.[a-z0-9-]{1,20}){0,5}") {
        let mut message = question(ID, &name(&text), RecordType::A);
        message[2] |= 0x80;
        prop_assert_eq!(answer(&message, ID, &name(&text), RecordType::A), Err(Lack::NoAddress));
    }
}
