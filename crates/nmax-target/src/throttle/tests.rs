use proptest::prelude::*;

use super::*;

proptest! {
    /// Law: whatever is asked for and when, in no span does the line carry more than it can.
    #[test]
    fn a_line_carries_no_more_than_its_rate(
        bytes_per_s in 1_000_u64..10_000_000,
        asked in proptest::collection::vec((0_u64..50_000_000, 1_usize..65_536), 1..50),
    ) {
        let line = Line::new(bytes_per_s);
        let (mut now_ns, mut total, mut last_ns) = (0, 0, 0);
        for (pause_ns, bytes) in asked {
            now_ns += pause_ns;
            total += bytes as u64;
            let through_ns = line.take(now_ns, bytes);
            prop_assert!(through_ns >= last_ns, "first come, first served");
            prop_assert!(through_ns >= now_ns);
            // Rounding down takes less than a nanosecond each.
            prop_assert!(u128::from(through_ns + 50) * u128::from(bytes_per_s) >= u128::from(total) * 1_000_000_000);
            last_ns = through_ns;
        }
    }
}

/// A line that nobody uses saves nothing up.
#[test]
fn an_idle_line_is_no_faster_later() {
    let line = Line::new(1_000);
    assert_eq!(line.take(5_000_000_000, 1_000), 6_000_000_000);
    assert_eq!(line.take(5_000_000_000, 500), 6_500_000_000);
}
