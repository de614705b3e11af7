use super::*;

/// The reference implementation's vectors for messages of 0 and 8 bytes (key 00..0f, message 00, 01, ...).
#[test]
fn the_published_vectors_hold() {
    let key = SipKey::new(std::array::from_fn(|i| i as u8));
    assert_eq!(key.hash([]), 0x726f_db47_dd0e_0e31);
    assert_eq!(key.hash([0x0706_0504_0302_0100]), 0x93f5_f579_9a93_2462);
}

#[test]
fn texts_and_keys_are_told_apart() {
    let key = SipKey::new([7; 16]);
    assert_ne!(key.hash_text("a"), key.hash_text("a\0"));
    assert_ne!(key.hash_text(""), key.hash_text("\0\0\0\0\0\0\0\0"));
    assert_ne!(key.hash_text("a"), SipKey::new([8; 16]).hash_text("a"));
    assert!(!format!("{key:?}").contains('7'), "a secret is not printed");
}
