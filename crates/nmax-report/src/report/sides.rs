//! Times of the same requests, by the client and by a server's log.

use nmax_analysis::Latency;
use nmax_analysis::breakdown::SideRow;

use crate::doc::table::Table;
use crate::number::milliseconds as ms;

/// Both sides of these requests.
pub(super) fn table<'a>(rows: impl Iterator<Item = &'a SideRow>) -> Table<&'a SideRow> {
    let of = |time: &Option<Latency>, of: fn(&Latency) -> f64| ms(time.as_ref().map(of));
    Table::from_rows(rows)
        .named()
        .word("request", |row| if row.name.is_empty() { "all requests" } else { &row.name })
        .short("  mean times", 0)
        .number("status", |row| row.status.map_or_else(|| "all".to_owned(), |status| status.to_string()))
        .count("client n", |row| row.client.count)
        .count("server n", |row| row.server.count)
        .short("server n", 10)
        .number("client", |row| of(&row.client.time, |time| time.mean_ms))
        .short("client", 10)
        .number("client p95", |row| of(&row.client.time, |time| time.p95_ms))
        .number("server", |row| of(&row.server.time, |time| time.mean_ms))
        .short("server", 10)
        .number("server p95", |row| of(&row.server.time, |time| time.p95_ms))
        .number("outside", |row| ms(row.outside_ms))
        .short("outside", 10)
        .number("server itself", |row| ms(row.front_ms))
        .number("behind it", |row| ms(row.upstream_ms))
        .short("behind", 10)
}
