use proptest::prelude::*;

use super::*;

const ID: u16 = 0xbeef;

/// A reply to `question`: flags, then records written out as (type and class, data).
pub(crate) fn reply(question: &[u8], flags: [u8; 2], records: &[([u8; 4], &[u8])]) -> Vec<u8> {
    let mut reply = question[..2].to_vec();
    reply.extend(flags);
    reply.extend([0, 1, 0, u8::try_from(records.len()).unwrap(), 0, 0, 0, 0]);
    reply.extend(&question[HEAD_BYTES..]);
    for (kind, data) in records {
        reply.extend([0xc0, 0x0c]); // the name of the question
        reply.extend(kind);
        reply.extend([0, 0, 0, 60]);
        reply.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
        reply.extend(*data);
    }
    reply
}

const OK: [u8; 2] = [0x81, 0x80];

/// Worked by hand from RFC 1035, section 4.1.
#[test]
fn question_on_the_wire() {
    let wanted = b"\xbe\xef\x01\x00\0\x01\0\0\0\0\0\0\x05_nmax\x04shop\x07example\0\0\x10\0\x01";
    assert_eq!(question(ID, "_nmax.shop.example").unwrap(), wanted);
}

#[test]
fn names_that_dns_cannot_hold() {
    let label = "a".repeat(63);
    let longest = format!("{label}.{label}.{label}.{}", "a".repeat(61));
    assert!(question(ID, &longest).is_some(), "255 bytes on the wire");
    for name in ["", "a..b", ".", &"a".repeat(64), &format!("{longest}a")] {
        assert_eq!(question(ID, name), None, "{name}");
    }
}

#[test]
fn records_are_read() {
    let asked = question(ID, "_nmax.shop.example").unwrap();
    let alias = [0, 5, 0, 1];
    type Case<'a> = (&'a [([u8; 4], &'a [u8])], &'a [&'a [u8]]);
    let cases: [Case; 5] = [
        (&[], &[]),
        (&[(TXT_IN, b"\x0fallow-load-test")], &[b"allow-load-test"]),
        (&[(TXT_IN, b"\x06allow-\x09load-test")], &[b"allow-load-test"]),
        (&[(alias, b"\x01x\xc0\x12"), (TXT_IN, b"\x01a"), (TXT_IN, b"\0")], &[b"a", b""]),
        (&[([0, 16, 0, 3], b"\x01a")], &[]), // class CHAOS
    ];
    for (records, wanted) in cases {
        assert_eq!(answers(&reply(&asked, OK, records), &asked).unwrap(), wanted, "{records:?}");
    }
    let mut upper = reply(&asked, OK, &[(TXT_IN, b"\x01a")]);
    upper[HEAD_BYTES + 1..HEAD_BYTES + 6].make_ascii_uppercase();
    assert_eq!(answers(&upper, &asked).unwrap(), [b"a"], "case of letters may change");
}

#[test]
fn replies_without_records() {
    let asked = question(ID, "_nmax.shop.example").unwrap();
    let record: &[([u8; 4], &[u8])] = &[(TXT_IN, b"\x01a")];
    let of = |flags| answers(&reply(&asked, flags, record), &asked);
    assert_eq!(of([0x81, 0x83]), Err(ReplyError::NoName));
    assert_eq!(of([0x81, 0x82]), Err(ReplyError::Server(2)));
    assert_eq!(of([0x83, 0x80]), Err(ReplyError::Truncated));
    assert_eq!(of([0x01, 0x00]), Err(ReplyError::Foreign), "a question is no reply");
    assert_eq!(of([0xa9, 0x80]), Err(ReplyError::Foreign), "another kind of operation");
    let other_id = question(ID ^ 1, "_nmax.shop.example").unwrap();
    assert_eq!(answers(&reply(&other_id, OK, record), &asked), Err(ReplyError::Foreign));
    let other_name = question(ID, "_nmax.shop.examplf").unwrap();
    assert_eq!(answers(&reply(&other_name, OK, record), &asked), Err(ReplyError::Foreign));
    let mut no_question = reply(&asked, OK, record);
    no_question[5] = 0;
    assert_eq!(answers(&no_question, &asked), Err(ReplyError::Foreign));
    let beyond = reply(&asked, OK, &[(TXT_IN, b"\x05a")]);
    assert_eq!(answers(&beyond, &asked), Err(ReplyError::Malformed), "a string longer than its record");
}

/// Law: a reply cut anywhere is an error, never a shorter answer.
#[test]
fn cut_replies_are_errors() {
    let asked = question(ID, "_nmax.shop.example").unwrap();
    let whole = reply(&asked, OK, &[(TXT_IN, b"\x0fallow-load-test"), (TXT_IN, b"\x01a")]);
    assert_eq!(answers(&whole, &asked).unwrap().len(), 2);
    for length in 0..whole.len() {
        let cut = answers(&whole[..length], &asked);
        assert!(matches!(cut, Err(ReplyError::Foreign | ReplyError::Malformed)), "{length}: {cut:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Law: no bytes panic, neither on their own nor behind a head and question that fit.
    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..600), count: u8) {
        let asked = question(ID, "_nmax.shop.example").unwrap();
        let _ = answers(&bytes, &asked);
        let _ = answers(&bytes, &bytes);
        let mut fitting = reply(&asked, OK, &[]);
        fitting[7] = count;
        fitting.extend(&bytes);
        if let Ok(texts) = answers(&fitting, &asked) {
            prop_assert!(texts.len() <= usize::from(count));
            prop_assert!(texts.iter().map(Vec::len).sum::<usize>() <= bytes.len());
        }
    }

    /// Law: texts come back whole, however they are split into strings.
    #[test]
    fn texts_come_back(texts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..5), cut in 1_usize..=255) {
        let asked = question(ID, "_nmax.shop.example").unwrap();
        let data: Vec<Vec<u8>> = texts
            .iter()
            .map(|text| text.chunks(cut).flat_map(|part| [&[part.len() as u8], part].concat()).collect())
            .collect();
        let records: Vec<([u8; 4], &[u8])> = data.iter().map(|data| (TXT_IN, data.as_slice())).collect();
        prop_assert_eq!(answers(&reply(&asked, OK, &records), &asked), Ok(texts));
    }
}
