//! Response times taken apart, and what hosts felt, as `breakdown` and `hosts` of the summary.

use nmax_analysis::breakdown::{self, Dimension};
use nmax_analysis::summary;
use nmax_json::{Map, Micro, Word, records};

records! {
    pub(super) struct Host(host: &summary::HostView) {
        name: String;
        figures: Vec<Figure>;
    }
    pub(super) struct Figure(row: &summary::FigureRow) {
        source: String;
        metric: String;
        unit: String;
        mean: Option<Micro>;
        max: Option<Micro>;
        covered: Micro, "Share of the phase in which it was read, 0 to 1.";
    }
    pub(super) struct LogErrors(log: &summary::LogErrors) {
        host: String;
        source: String;
        count: u64 = log.total;
        kinds: Map<u64>, "The most frequent ones; those that name no kind are in `count` only.";
    }
    pub(super) struct Breakdown(all: &breakdown::Breakdown) {
        rows: Vec<Row>;
        bandwidth_bytes_per_s: Option<Micro> = all.bandwidth.as_ref().map(|one| one.bytes_per_s);
        bandwidth_of: Option<String> = all.bandwidth.as_ref().map(|one| &one.of);
        operations: Vec<Operations>;
        sides: Option<Sides>;
        notes: Vec<String>;
    }
    pub(super) struct Operations(one: &breakdown::Operations) {
        host: String;
        what: String;
        per_s: Micro;
        per_request: Micro;
    }
    pub(super) struct Row(row: &breakdown::Row) {
        dimension: Word = row.dimension.name(), in Dimension::ALL.map(Dimension::name);
        value: String;
        count: u64;
        rate_per_s: Option<Micro>;
        failed: Option<u64>;
        response_time_ms: Option<Latency> = &row.response;
        connect_ms: Option<Micro>;
        ttfb_ms: Option<Micro>;
        receive_ms: Option<Micro>;
        bytes: Option<Micro>;
        floor_ms: Option<Micro> = row.floor.map(|floor| floor.floor_ms),
            "Bytes per exchange by the bandwidth that was measured, where that is much of the response time.";
    }
    pub(super) struct Latency(latency: &nmax_analysis::Latency) {
        mean: Micro = latency.mean_ms;
        p50: Micro = latency.p50_ms;
        p95: Micro = latency.p95_ms;
        p99: Micro = latency.p99_ms;
    }
    pub(super) struct Sides(sides: &breakdown::Sides) {
        logs: Vec<String>, "Logs that are the server's side, added together.";
        behind: Vec<String>, "Logs of the servers behind these that tell their times.";
        rows: Vec<SideRow>;
        others: u64, "Requests in the log that were not the run's.";
        offset_s: Option<Micro> = sides.offset_s.map(|(offset_s, _)| offset_s);
        notes: Vec<String>;
    }
    pub(super) struct SideRow(row: &breakdown::SideRow) {
        name: String, "Method and path template; empty for all requests.";
        status: Option<u64>;
        client: Side;
        server: Side;
        upstream_ms: Option<Micro>;
        outside_ms: Option<Micro>, "The network, and the queue in front of the server.";
        front_ms: Option<Micro>;
    }
    pub(super) struct Side(side: &breakdown::Side) {
        count: u64;
        time_ms: Option<Latency> = &side.time;
    }
}
