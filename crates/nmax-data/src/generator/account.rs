//! Bank accounts with check digits that are right and banks that do not exist.

use super::{Words, below};
use crate::choice::{derive, mix64};
use crate::digits;
use crate::permute::permute;
use crate::text::push_number;

nmax_text::named! {
    /// A column of an account.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum Field {
        Iban = "iban",
        Number = "account_number",
        Card = "card",
    }
    /// Its name in records.
    name
}

/// Numbers of accounts in one bank: nine digits, and a check digit.
const ACCOUNTS: u64 = 1_000_000_000;

pub(super) fn push(words: Words, field: Field, out: &mut Vec<u8>) {
    match field {
        Field::Iban => push_iban(words, out),
        Field::Number => push_account(account(words).1, out),
        Field::Card => push_card(words.word(0), out),
    }
}

/// A bank, and the number of an account in it: another pair for each record, for the first 10¹⁶ of them.
fn account(words: Words) -> (u64, u64) {
    let (bank, first) = (words.record / ACCOUNTS, words.record % ACCOUNTS);
    let key = derive(mix64(words.seed), bank);
    (bank, permute(ACCOUNTS, first, |round, half| derive(key ^ round, half)))
}

fn push_account(number: u64, out: &mut Vec<u8>) {
    let from = out.len();
    push_number(number, 9, out);
    let check = digits::luhn(out[from..].iter().map(|byte| byte - b'0'));
    push_number(u64::from(check), 1, out);
}

/// German: a bank of eight digits and an account of ten. No bank's number begins with 9.
fn push_iban(words: Words, out: &mut Vec<u8>) {
    let (bank, number) = account(words);
    let mut bban = Vec::with_capacity(20);
    push_number(90_000_000 + bank % 10_000_000, 8, &mut bban);
    push_account(number, &mut bban);
    out.extend_from_slice(b"DE");
    let check = digits::iban(*b"DE", bban.iter().copied()).unwrap_or(0);
    push_number(u64::from(check), 2, out);
    out.extend_from_slice(&bban);
}

/// 4000 00 is the range that processors of payments use in their sandboxes.
fn push_card(word: u64, out: &mut Vec<u8>) {
    let from = out.len();
    out.extend_from_slice(b"400000");
    push_number(below(word, 1_000_000_000), 9, out);
    let check = digits::luhn(out[from..].iter().map(|byte| byte - b'0'));
    push_number(u64::from(check), 1, out);
}
