use nmax_metrics::{Code, Names, Outcome, Sample};

use super::*;

#[test]
fn redirects_of_a_step_come_in_their_order() {
    let mut requests = Names::default();
    let mut aggregate = Aggregate::default();
    for name in ["b", "a +10", "a +2", "a +1", "a + b", "a", "a +9"] {
        let sample = Sample {
            name: requests.intern(name),
            scenario: 0,
            outcome: Outcome::Ok,
            status: Some(Code::new(200)),
            intended: Nanos::ZERO,
            sent: None,
            first_byte: None,
            done: Nanos(1),
            network: Default::default(),
            send: Nanos::ZERO,
            slot_wait: Nanos::ZERO,
            bytes_received: 0,
            bytes_sent: 0,
            bytes_decoded: 0,
        };
        aggregate.record(Section::Hold, &sample);
    }
    let catalog = Catalog { requests, ..Catalog::default() };
    let rows = request_rows(&aggregate, &catalog, &Batches::default(), 1.0);
    let names: Vec<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["a", "a +1", "a +2", "a +9", "a +10", "a + b", "b"]);
}

#[test]
fn readings_without_room_are_a_limit_that_was_hit() {
    let hit = |left_out| limits_hit(&Catalog::default(), &Aggregate::default(), left_out);
    assert_eq!(hit(0), Vec::<String>::new());
    let said = hit(17);
    assert!(said.len() == 1 && said[0].contains("17 readings"), "{said:?}");
}
