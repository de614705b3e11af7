//! The shop's memory: accounts, sessions and orders, each bounded, oldest dropped first.

use std::collections::{HashMap, VecDeque};

use super::vouchers::Vouchers;

/// Most accounts, sessions and orders that are kept.
const ACCOUNTS_MAX: usize = 100_000;
const SESSIONS_MAX: usize = 100_000;
const ORDERS_MAX: usize = 100_000;
/// Most lines of a basket.
const BASKET_LINES_MAX: usize = 100;
/// Most pieces of one line.
const PIECES_MAX: u64 = 1_000;

/// A map with a limit: a new key drops the oldest one.
pub(crate) struct Bounded<V> {
    values: HashMap<String, V>,
    oldest_first: VecDeque<String>,
    limit: usize,
}

impl<V> Bounded<V> {
    pub(crate) fn new(limit: usize) -> Self {
        Self { values: HashMap::new(), oldest_first: VecDeque::new(), limit }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&V> {
        self.values.get(key)
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut V> {
        self.values.get_mut(key)
    }

    /// Inserts or replaces; drops the oldest key beyond the limit.
    pub(crate) fn insert(&mut self, key: String, value: V) {
        if self.values.insert(key.clone(), value).is_some() {
            return;
        }
        self.oldest_first.push_back(key);
        if self.oldest_first.len() > self.limit
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            self.values.remove(&oldest);
        }
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }
}

/// A customer.
pub(crate) struct Account {
    pub(crate) name: String,
    pub(crate) password_hash: String,
}

/// A visitor's server-side session; `email` is set once logged in.
#[derive(Default)]
pub(crate) struct Session {
    pub(crate) csrf: String,
    pub(crate) email: Option<String>,
    pub(crate) basket: Vec<Line>,
}

/// A line of a basket or an order.
#[derive(Clone)]
pub(crate) struct Line {
    pub(crate) uuid: String,
    pub(crate) pieces: u64,
}

/// A placed order.
pub(crate) struct Order {
    pub(crate) email: String,
    pub(crate) lines: Vec<Line>,
}

/// Everything that changes.
pub(crate) struct State {
    pub(crate) accounts: Bounded<Account>,
    pub(crate) sessions: Bounded<Session>,
    pub(crate) orders: Bounded<Order>,
    pub(crate) vouchers: Vouchers,
    serial: u64,
}

impl State {
    pub(crate) fn new() -> Self {
        Self {
            accounts: Bounded::new(ACCOUNTS_MAX),
            sessions: Bounded::new(SESSIONS_MAX),
            orders: Bounded::new(ORDERS_MAX),
            vouchers: Vouchers::default(),
            serial: 0,
        }
    }

    /// The next number, for sessions and orders.
    pub(crate) fn next_serial(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }
}

impl Session {
    /// Adds pieces to the basket, within its limits. False when the basket is full.
    pub(crate) fn add(&mut self, uuid: &str, pieces: u64) -> bool {
        let full = self.basket.len() >= BASKET_LINES_MAX;
        if let Some(line) = self.basket.iter_mut().find(|line| line.uuid == uuid) {
            line.pieces = line.pieces.saturating_add(pieces).min(PIECES_MAX);
        } else if full {
            return false;
        } else {
            self.basket.push(Line { uuid: uuid.to_owned(), pieces: pieces.min(PIECES_MAX) });
        }
        true
    }
}
