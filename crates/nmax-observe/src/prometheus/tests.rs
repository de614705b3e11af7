use std::sync::mpsc::sync_channel;

use nmax_plan::plan::{MappedKind, ObservedSource};
use nmax_sources::figures::{IN_USE_COUNT, LIMIT_COUNT, TIMEOUTS_PER_S, WAITING_COUNT};
use nmax_sources::kinds::{NGINX, PROMETHEUS};
use proptest::prelude::*;

use super::room::RESOURCES_MAX;
use super::*;
use crate::fixture::{Fake, read_head, value};
use crate::log::Tap;
use crate::open::open;

/// Readings of pages, one a second; what the last one gives, and everything that was said.
fn digest(name: &str, resources: &[MappedResource], pages: &[&str]) -> (Vec<Reading>, Vec<String>) {
    let mut digest = Digest::new(name, resources, Neighbours::default());
    assert_eq!(digest.wrong, Vec::<String>::new());
    let mut readings = Vec::new();
    for (second, page) in (1..).zip(pages) {
        readings = digest.readings(Nanos::from_secs(second), &parse(page, Format::Prometheus).unwrap());
    }
    (readings, digest.notes)
}

#[track_caller]
fn assert_close(got: f64, want: f64) {
    assert!((got - want).abs() < 1e-9 * want.abs().max(1.0), "got {got}, want {want}");
}

fn sources(readings: &[Reading]) -> HashSet<&str> {
    readings.iter().map(|reading| reading.source.as_str()).collect()
}

#[test]
fn every_name_of_the_table_is_one() {
    let digest = Digest::new("app", &[], Neighbours::default());
    assert!(digest.recipes.len() > 40);
    for recipe in &digest.recipes {
        for (figure, _) in &recipe.figures {
            let is_word =
                |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
            assert!(figure.name.split('_').all(is_word), "{figure:?}");
        }
    }
}

/// Two looks at a host of two cores, one second apart, with figures that are known.
#[test]
fn a_host_speaks_the_vocabulary() {
    let page = |cpu: [f64; 4], reads: f64, read_s: f64, weighted: f64, swap: f64| {
        let [user0, user1, idle0, idle1] = cpu;
        format!(
            "# TYPE node_cpu_seconds_total counter
node_cpu_seconds_total{{cpu=\"0\",mode=\"idle\"}} {idle0}
node_cpu_seconds_total{{cpu=\"1\",mode=\"idle\"}} {idle1}
node_cpu_seconds_total{{cpu=\"0\",mode=\"user\"}} {user0}
node_cpu_seconds_total{{cpu=\"1\",mode=\"user\"}} {user1}
node_procs_running 5
node_memory_SwapTotal_bytes 1000
node_memory_SwapFree_bytes 400
node_vmstat_pswpin {swap}
node_disk_reads_completed_total{{device=\"sda\"}} {reads}
node_disk_read_time_seconds_total{{device=\"sda\"}} {read_s}
node_disk_io_time_weighted_seconds_total{{device=\"sda\"}} {weighted}
node_disk_reads_completed_total{{device=\"sdb\"}} 7
node_disk_read_time_seconds_total{{device=\"sdb\"}} 9
node_exporter_build_info{{version=\"1\"}} 1
go_gc_duration_seconds_sum 5
process_cpu_seconds_total 9
"
        )
    };
    let before = page([10.0, 20.0, 30.0, 40.0], 100.0, 1.0, 3.0, 6.0);
    let after = page([10.75, 20.25, 30.25, 40.5], 150.0, 5.0, 15.0, 8.0);
    let (readings, notes) = digest("db1", &[], &[&before, &after]);
    assert_eq!(notes, Vec::<String>::new());
    assert_close(value(&readings, "cpu", "cores_count"), 2.0);
    assert_close(value(&readings, "cpu", "busy_cores"), 1.0);
    assert_close(value(&readings, "cpu", "running_count"), 5.0);
    assert_close(value(&readings, "cpu 0", "busy_ratio"), 0.75);
    assert_close(value(&readings, "cpu 1", "busy_ratio"), 0.5);
    assert_close(value(&readings, "memory", "swap_used_bytes"), 600.0);
    assert_close(value(&readings, "memory", "swap_in_bytes_per_s"), 2.0 * 4096.0);
    // 4 s of reading in 50 reads.
    assert_close(value(&readings, "disk sda", "await_ms"), 80.0);
    assert_close(value(&readings, "disk sda", "queue_count"), 12.0);
    assert_close(value(&readings, "operations disk reads", "operations_per_s"), 50.0);
    // Nothing was read from it, so how long a read took is not known.
    let idle_disk = readings.iter().find(|reading| reading.source == "disk sdb" && reading.metric == "await_ms");
    assert_eq!(idle_disk, None);
    // What the exporter says of itself is not the host's.
    assert!(!sources(&readings).contains("process db1"), "{readings:#?}");
    assert!(!sources(&readings).contains("gc db1"), "{readings:#?}");
    // Nothing is told twice.
    let doubled = readings.iter().filter(|reading| reading.metric.starts_with("node_"));
    assert_eq!(doubled.count(), 0);
}

#[test]
fn first_pages_have_no_rates() {
    let (readings, _) = digest("app", &[], &["a_total 5\nb 3\n"]);
    let metrics: Vec<_> = readings.iter().map(|reading| &*reading.metric).collect();
    assert_eq!(metrics, ["b"]);
}

#[test]
fn other_series_keep_their_names() {
    let page = |total: u64, sum: f64, count: u64| {
        format!(
            "# TYPE http_seconds histogram
http_seconds_bucket{{path=\"/\",le=\"+Inf\"}} {count}
http_seconds_sum{{path=\"/\"}} {sum}
http_seconds_count{{path=\"/\"}} {count}
# TYPE sent_bytes_total counter
sent_bytes_total {total}
# TYPE heap_bytes gauge
heap_bytes{{area=\"old\"}} 77
# TYPE broken gauge
broken NaN
# TYPE app_info gauge
app_info{{version=\"3\"}} 1
"
        )
    };
    let (readings, _) = digest("app", &[], &[&page(100, 1.0, 10), &page(350, 2.0, 14)]);
    let by_name: Vec<_> = readings
        .iter()
        .map(|reading| (&*reading.source, &*reading.metric, reading.value, reading.unit.name()))
        .collect();
    assert_eq!(
        by_name,
        [
            ("prometheus app", "http_seconds_count{path=\"/\"}", 4.0, "per s"),
            ("prometheus app", "http_seconds_mean{path=\"/\"}", 0.25, "s"),
            ("prometheus app", "sent_bytes_total", 250.0, "bytes per s"),
            ("prometheus app", "heap_bytes{area=\"old\"}", 77.0, "bytes"),
        ]
    );
}

#[test]
fn pools_collectors_and_processes_of_an_application() {
    let page = |pause: f64, pauses: u64, cpu: f64, timeouts: u64| {
        format!(
            "hikaricp_connections_active{{pool=\"orders\"}} 8
hikaricp_connections_pending{{pool=\"orders\"}} 30
hikaricp_connections_max{{pool=\"orders\"}} 10
hikaricp_connections_timeout_total{{pool=\"orders\"}} {timeouts}
# TYPE jvm_gc_pause_seconds summary
jvm_gc_pause_seconds_count{{action=\"minor\"}} {pauses}
jvm_gc_pause_seconds_sum{{action=\"minor\"}} {pause}
process_cpu_seconds_total {cpu}
# TYPE nmax_target_lock_waiting gauge
nmax_target_lock_waiting{{lock=\"stock\"}} 4
"
        )
    };
    let (readings, _) = digest("shop", &[], &[&page(1.0, 4, 10.0, 0), &page(1.25, 6, 11.5, 3)]);
    assert_close(value(&readings, "pool orders", "in_use_count"), 8.0);
    assert_close(value(&readings, "pool orders", "waiting_count"), 30.0);
    assert_close(value(&readings, "pool orders", "limit_count"), 10.0);
    assert_close(value(&readings, "pool orders", "timeouts_per_s"), 3.0);
    assert_close(value(&readings, "gc shop", "pause_ratio"), 0.25);
    assert_close(value(&readings, "gc shop", "pauses_per_s"), 2.0);
    assert_close(value(&readings, "process shop", "cpu_cores"), 1.5);
    assert_close(value(&readings, "lock stock", "waiting_count"), 4.0);
}

fn orders(figures: &[(Figure, &str)]) -> MappedResource {
    MappedResource {
        name: "orders".into(),
        kind: MappedKind::Pool,
        figures: figures.iter().map(|(figure, text)| (*figure, (*text).to_owned())).collect(),
    }
}

#[test]
fn resources_of_the_plan_are_made_as_it_says() {
    let resources = [orders(&[
        (IN_USE_COUNT, "lent{pool=\"orders\",state!=\"idle\"}"),
        (WAITING_COUNT, "waited_seconds_total{pool=\"orders\"}"),
        (LIMIT_COUNT, "pool_size"),
        (TIMEOUTS_PER_S, "gave_up"),
    ])];
    let page = |waited: f64, gave_up: u64| {
        format!(
            "lent{{pool=\"orders\",state=\"busy\"}} 5\nlent{{pool=\"orders\",state=\"idle\"}} 3\n\
             lent{{pool=\"other\",state=\"busy\"}} 9\nwaited_seconds_total{{pool=\"orders\"}} {waited}\n\
             gave_up {gave_up}\n"
        )
    };
    let (readings, notes) = digest("app", &resources, &[&page(10.0, 1), &page(13.5, 3)]);
    assert_close(value(&readings, "pool orders", "in_use_count"), 5.0);
    // Seconds of waiting per second are how many wait.
    assert_close(value(&readings, "pool orders", "waiting_count"), 3.5);
    assert_close(value(&readings, "pool orders", "timeouts_per_s"), 2.0);
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0].contains("`pool_size` is not on its page") && notes[0].contains("limit_count of `pool orders`"),
        "{notes:?}"
    );
    assert!(sources(&readings).contains("prometheus app"), "{readings:?}");
}

/// A pool of the plan that is made of what a convention knows is that pool: it is told once, under the plan's name, with what
/// the convention knows besides.
#[test]
fn a_resource_of_the_plan_is_told_once() {
    let page = "phpfpm_active_processes{pool=\"www\"} 4\nphpfpm_listen_queue{pool=\"www\"} 10\n\
                phpfpm_total_processes{pool=\"www\"} 5\nphpfpm_active_processes{pool=\"api\"} 2\n\
                phpfpm_total_processes{pool=\"api\"} 3\n";
    let pools = |resources: &[MappedResource]| {
        let (readings, _) = digest("fpm", resources, &[page, page]);
        let pools = readings.into_iter().filter(|reading| reading.source.starts_with("pool "));
        let mut pools: Vec<_> =
            pools.map(|reading| format!("{} {} {}", reading.source, reading.metric, reading.value)).collect();
        pools.sort();
        pools
    };
    let one = orders(&[(IN_USE_COUNT, "phpfpm_active_processes{pool=\"www\"}")]);
    let of_www = ["pool orders in_use_count 4", "pool orders limit_count 5", "pool orders waiting_count 10"];
    let of_api = ["pool api in_use_count 2", "pool api limit_count 3"];
    assert_eq!(pools(&[one]), [&of_api[..], &of_www[..]].concat());
    let all = orders(&[(IN_USE_COUNT, "phpfpm_active_processes")]);
    let both = ["pool orders in_use_count 6", "pool orders limit_count 8", "pool orders waiting_count 10"];
    assert_eq!(pools(&[all]), both);
    // Of another kind: what it is made of is not told again.
    let lock =
        MappedResource { kind: MappedKind::Lock, ..orders(&[(WAITING_COUNT, "phpfpm_listen_queue{pool=\"www\"}")]) };
    let of_www = ["pool www in_use_count 4", "pool www limit_count 5"];
    assert_eq!(pools(&[lock]), [&of_api[..], &of_www[..]].concat());
}

#[test]
fn a_wrong_metric_of_the_plan_is_a_lasting_trouble() {
    let server = Fake::page("text/plain", "up 1\n");
    let resources = [orders(&[(IN_USE_COUNT, "lent{pool=orders}")])];
    let trouble = source(&server.url("/"), None, "app", &resources, Neighbours::default()).read(Nanos(0)).unwrap_err();
    assert!(trouble.is_final, "{trouble}");
    assert!(
        trouble.text.contains("in_use_count of `pool orders`") && trouble.text.contains("not in quotes"),
        "{trouble}"
    );
}

#[test]
fn too_many_series_are_chosen_once_and_said_once() {
    let page = |from: usize, to: usize| (from..to).map(|n| format!("a{{n=\"{n}\"}} {n}\n")).collect::<String>();
    let mut digest = Digest::new("app", &[], Neighbours::default());
    let mut read = |second, page: &str| {
        let readings = digest.readings(Nanos::from_secs(second), &parse(page, Format::Prometheus).unwrap());
        (readings, std::mem::take(&mut digest.notes))
    };
    let (first, notes) = read(1, &page(0, 700));
    assert_eq!((first.len(), notes.len()), (SERIES_MAX, 1));
    assert!(notes[0].starts_with("200 of its 700 other series are left out"), "{notes:?}");
    let (second, notes) = read(2, &page(250, 900));
    let metrics: Vec<_> = second.iter().map(|reading| reading.value as usize).collect();
    assert_eq!(metrics, (250..SERIES_MAX).collect::<Vec<_>>());
    assert_eq!(notes, Vec::<String>::new());
    let (long, _) = read(3, &format!("a{{n=\"0\"}} 1\nb{{n=\"{}\"}} 1\n", "x".repeat(400)));
    assert_eq!(long.len(), 1);
}

#[test]
fn both_formats_are_asked_for_and_read() {
    let (sender, heads) = sync_channel(1);
    let body = "# TYPE a gauge\na 3\n# EOF\n";
    let server = Fake::start(move |mut stream| {
        sender.send(read_head(&stream).join("\n")).unwrap();
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: application/openmetrics-text; version=1.0.0; charset=utf-8\r\n\r\n";
        let _ = std::io::Write::write_all(&mut stream, format!("{head}{body}").as_bytes());
        None
    });
    let mut source = source(&server.url("/metrics"), None, "app", &[], Neighbours::default());
    let readings = source.read(Nanos(0)).unwrap();
    assert_eq!((readings.len(), readings[0].value), (1, 3.0));
    assert!(heads.recv().unwrap().contains(ACCEPT));
}

#[test]
fn what_is_no_page_of_metrics_is_said_with_its_line() {
    // type, page, what is said
    let cases = [
        ("text/html; charset=utf-8", "<html></html>", "is a web page and has no metrics"),
        ("text/plain", "up 1\n{\"error\": true}\n", "is not a page of metrics: line 2"),
        ("application/openmetrics-text", "up 1\n", "without `# EOF`"),
        ("text/plain", "# nothing\n", "has no metrics in it"),
    ];
    for (kind, page, says) in cases {
        let server = Fake::page(kind, page);
        let trouble = source(&server.url("/"), None, "app", &[], Neighbours::default()).read(Nanos(0)).unwrap_err();
        assert!(trouble.text.contains(says) && !trouble.is_final, "{trouble}");
        assert!(trouble.text.starts_with(&server.url("/")), "{trouble}");
    }
}

#[test]
fn a_page_that_comes_back_goes_on_with_its_rates() {
    let replies = ["a_total 5\n", "<garbage>", "a_total 35\n"];
    let mut next = replies.into_iter();
    let server = Fake::start(move |mut stream| {
        read_head(&stream);
        let body = next.next().unwrap();
        let _ = std::io::Write::write_all(&mut stream, format!("HTTP/1.1 200 OK\r\n\r\n{body}").as_bytes());
        None
    });
    let mut source = source(&server.url("/"), None, "app", &[], Neighbours::default());
    assert_eq!(source.read(Nanos::from_secs(1)).unwrap(), []);
    source.read(Nanos::from_secs(2)).unwrap_err();
    let readings = source.read(Nanos::from_secs(4)).unwrap();
    assert_close(readings[0].value, 10.0);
}

proptest! {
    /// Law: a page of any numbers makes only finite readings, no figure twice, and bounded ones.
    #[test]
    fn any_page_makes_finite_readings(
        pages in prop::collection::vec(
            prop::collection::vec(
                (
                    prop::sample::select(vec![
                        "node_cpu_seconds_total", "node_disk_reads_completed_total", "node_load1", "a_total", "b", "c_sum",
                        "c_count", "node_disk_read_time_seconds_total", "hikaricp_connections_active",
                    ]),
                    prop::sample::select(vec!["", "{cpu=\"0\",mode=\"idle\"}", "{device=\"sda\"}", "{pool=\"\"}"]),
                    prop_oneof![any::<f64>(), Just(0.0), Just(f64::MAX), Just(f64::NAN), Just(f64::INFINITY)],
                ),
                0..30,
            ),
            1..4,
        )
    ) {
        let mut digest = Digest::new("app", &[], Neighbours::default());
        for (second, page) in (1..).zip(pages) {
            let text: String = page.iter().map(|(name, labels, value)| format!("{name}{labels} {value:e}\n")).collect();
            let text = format!("# TYPE c summary\n{}", text.replace("inf", "+Inf"));
            let samples = parse(&text, Format::Prometheus).unwrap();
            let readings = digest.readings(Nanos::from_secs(second), &samples);
            prop_assert!(readings.iter().all(|reading| reading.value.is_finite()), "{:?}", readings);
            prop_assert!(readings.len() <= 4 * samples.len() + 20);
        }
    }
}

/// A source that cannot be read says where it is, without the secrets of its URL.
#[test]
fn no_message_of_a_source_holds_a_secret_of_its_query() {
    let answers = [
        "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>",
        "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\u{7f}",
        "what?\r\n\r\n",
    ];
    for answer in answers {
        let server = Fake::says(answer);
        let url = server.url("/m?token=s3cret&page=7");
        for kind in [&PROMETHEUS, &NGINX] {
            let spec = ObservedSource::at(kind, &url);
            let mut source = open(&spec, &[], &Tap::default());
            let trouble = source.read(Nanos::ZERO).unwrap_err();
            assert!(!trouble.text.contains("s3cret"), "{trouble}");
            assert!(trouble.text.contains("/m?token=REDACTED&page=7"), "{trouble}");
        }
    }
    let trouble = source("http://no url?token=s3cret", None, "app", &[], Neighbours::default()).read(Nanos::ZERO);
    assert!(!trouble.unwrap_err().text.contains("s3cret"));
}

/// Labels without end do not become resources without end; those that are kept stay the same.
#[test]
fn resources_of_labels_are_bounded_and_it_is_said_once() {
    let page = |pools: std::ops::Range<usize>| {
        pools
            .map(|pool| format!("hikaricp_connections_active{{pool=\"p{pool:04}\"}} 1\nhikaricp_connections_max{{pool=\"p{pool:04}\"}} 9\n"))
            .chain(["node_disk_reads_completed_total{device=\"sda\"} 3\n".into()])
            .collect::<String>()
    };
    let pages = [page(100..700), page(0..700)];
    let (readings, notes) = digest("shop", &[], &[&pages[0], &pages[1]]);
    let pools: HashSet<&str> = sources(&readings).into_iter().filter(|source| source.starts_with("pool ")).collect();
    assert_eq!(pools.len(), RESOURCES_MAX);
    assert!(pools.contains("pool p0100") && !pools.contains("pool p0000"), "{pools:?}");
    for pool in &pools {
        value(&readings, pool, "limit_count");
    }
    value(&readings, "disk sda", "reads_per_s");
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].contains("pool") && notes[0].contains("550"), "{notes:?}");

    let named = |pool: &str| MappedResource {
        kind: MappedKind::Pool,
        name: pool.into(),
        figures: vec![(IN_USE_COUNT, format!("hikaricp_connections_active{{pool=\"{pool}\"}}"))],
    };
    let (readings, _) = digest("shop", &[named("p0699")], &[&pages[0]]);
    value(&readings, "pool p0699", "in_use_count");
}

/// Two programs of a host call their pools alike; a host that is read itself is not read from a page again.
#[test]
fn no_figure_is_made_of_two_sources() {
    let page = "hikaricp_connections_active{pool=\"HikariPool-1\"} 10\nnode_procs_running 8\nnode_disk_io_now 2\n\
                process_resident_memory_bytes 7\n";
    let of = |name: &str, is_host_read, has_other_page| {
        let neighbours = Neighbours { is_host_read, has_other_page };
        let mut digest = Digest::new(name, &[], neighbours);
        let samples = parse(page, Format::Prometheus).unwrap();
        digest.readings(Nanos::ZERO, &samples);
        (digest.readings(Nanos::from_secs(1), &samples), digest.notes)
    };
    let (alone, notes) = of("shop", false, false);
    assert_eq!(notes, Vec::<String>::new());
    value(&alone, "pool HikariPool-1", "in_use_count");
    value(&alone, "cpu", "running_count");

    let (shop, notes) = of("shop", true, true);
    let (cart, _) = of("cart", true, true);
    assert_eq!(notes.len(), 1, "{notes:?}");
    value(&shop, "pool shop HikariPool-1", "in_use_count");
    value(&cart, "pool cart HikariPool-1", "in_use_count");
    assert!(!sources(&shop).contains("cpu"), "{shop:#?}");
    let both = sources(&shop).intersection(&sources(&cart)).count();
    assert_eq!(both, 0, "{shop:#?}\n{cart:#?}");
}

/// The session in which an exporter asks is no load, and those that send the log to replicas are none.
#[test]
fn an_exporter_itself_is_no_load() {
    let active = |page: &str| {
        let (readings, _) = digest("shop", &[], &[page]);
        value(&readings, "database shop", "active_count")
    };
    let of = |kind: &str, count: u32| {
        format!("pg_stat_activity_count{{state=\"active\",backend_type=\"{kind}\"}} {count}\n")
    };
    let sender = of("walsender", 2);
    assert_close(active(&(of("client backend", 1) + &sender)), 0.0);
    assert_close(active(&(of("client backend", 4) + &sender)), 3.0);
    // An older exporter has no such label.
    assert_close(active("pg_stat_activity_count{state=\"active\"} 3\n"), 2.0);
    assert_close(active("mysql_global_status_threads_running 1\n"), 0.0);
    assert_close(active("mysql_global_status_threads_running 6\n"), 5.0);
}
