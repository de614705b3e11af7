use proptest::prelude::*;

use super::*;
use crate::names::{Catalog, NamesSent};
use crate::testing;

fn frame() -> impl Strategy<Value = Frame> {
    let names = prop::collection::vec("\\PC{0,20}", 0..5);
    (0..9_u32, 0..100_000_u64, names).prop_flat_map(|(injector, index, requests)| {
        let mut catalog = Catalog::default();
        for name in &requests {
            catalog.requests.intern(name);
        }
        let names = catalog.new_names(&mut NamesSent::default());
        testing::window(index).prop_map(move |window| Frame { injector, names: names.clone(), window })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Law: what is decoded is what was encoded.
    #[test]
    fn decode_inverts_encode(frame in frame()) {
        let bytes = frame.encode();
        prop_assert_eq!(Frame::decode(&bytes), Ok(frame));
    }

    /// No part of a frame is one, and nothing may follow it.
    #[test]
    fn a_frame_has_its_length(frame in frame(), at in any::<prop::sample::Index>()) {
        let mut bytes = frame.encode();
        prop_assert_eq!(Frame::decode(&bytes[..at.index(bytes.len())]), Err(WireError::Length));
        bytes.push(0);
        prop_assert_eq!(Frame::decode(&bytes), Err(WireError::Length));
    }

    /// Whatever arrives is a sound window, which can be merged, sent and asked for quantiles, or is refused.
    #[test]
    fn damaged_frames_do_no_harm(
        frame in frame(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = frame.encode();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        is_sound(&bytes)?;
    }

    #[test]
    fn strange_bytes_do_no_harm(mut bytes in prop::collection::vec(any::<u8>(), 1..400)) {
        is_sound(&bytes)?;
        bytes[0] = VERSION;
        is_sound(&bytes)?;
    }
}

fn is_sound(bytes: &[u8]) -> Result<(), TestCaseError> {
    let Ok(frame) = Frame::decode(bytes) else { return Ok(()) };
    prop_assert_eq!(Frame::decode(&frame.encode()), Ok(frame.clone()));
    let mut sum = frame.window.aggregate.clone();
    sum.merge(&frame.window.aggregate);
    for section in crate::Section::ALL {
        let response = sum.total(section).latencies().response;
        prop_assert_eq!(response.quantile_ns(0.5).is_some(), response.count() > 0);
    }
    Ok(())
}
