//! What happened during a run, and what a forecast said before it.

use super::{Explanation, Weight};

pub(super) const ALL: &[Explanation] = &[
    Explanation {
        code: "THRESHOLD_ABORT",
        title: "a condition ended the run",
        weight: Weight::Event,
        means: "A condition with `abort` had not held for its time without a break, so the run was ended early. The verdict \
                is FAIL, exit code 3.",
        computed: "The condition, looked at once per window over the hold so far or the time that its `in` names. Without samples \
                   it does not count as broken.",
        remedy: "See the condition among the thresholds of the report.",
    },
    Explanation {
        code: "BROKE",
        title: "the run broke off",
        weight: Weight::Event,
        means: "A worker died or the run could not go on. The windows that are missing count as gaps (G8_GAPS).",
        computed: "The engine ended before the plan did.",
        remedy: "The event's text says why. It is a defect of nmax: report it.",
    },
    Explanation {
        code: "DATA_ENDED",
        title: "the data was used up",
        weight: Weight::Event,
        means: "A feeder with `at_end: stop`, or one whose rows are used once, had no row left, and the run ended early.",
        computed: "The first iteration that found no row.",
        remedy: "Give the feeder more rows, or let it begin again (`at_end: wrap`).",
    },
    Explanation {
        code: "NAMES_CAPPED",
        title: "more request names than are told apart",
        weight: Weight::Event,
        means: "The event that goes with the warning NAMES_OVERFLOWED.",
        computed: "More than 500 request names in a run.",
        remedy: "Give the request a fixed `name`.",
    },
    Explanation {
        code: "FAILURES_NOT_KEPT",
        title: "further examples of failures were not kept",
        weight: Weight::Event,
        means: "failures.jsonl has its share of examples of this kind. All failures are counted all the same.",
        computed: "100 examples of each kind, 1,000 kinds.",
        remedy: "Nothing: the examples are there to be studied, not to be counted.",
    },
    Explanation {
        code: "OBSERVED",
        title: "an observed process came, went or was replaced",
        weight: Weight::Event,
        means: "A process named in `observe` was found, ended, or has another number than before. Its figures are of what was \
                there.",
        computed: "The processes of this host, looked at along with the windows.",
        remedy: "A process that ended in the middle of a run is worth a look at its log.",
    },
    Explanation {
        code: "RUNNING",
        title: "the run goes on",
        weight: Weight::Event,
        means: "The directory is that of a run under way; its numbers are those so far.",
        computed: "Its writer still holds the lock on windows.jsonl.",
        remedy: "Look again when it has ended.",
    },
    Explanation {
        code: "FORECAST_OPEN_FILES",
        title: "the plan may need more descriptors than allowed",
        weight: Weight::Event,
        means: "Before the run: its connections may need more open files than this process may have.",
        computed: "Virtual users or iterations at once × connections of each, against the soft limit.",
        remedy: "Raise the limit (`ulimit -n`). See `nmax doctor PLAN`.",
    },
    Explanation {
        code: "FORECAST_PORTS",
        title: "the plan may need more local ports than there are",
        weight: Weight::Event,
        means: "Before the run: more connections at once towards one destination than this host has ports for.",
        computed: "Connections at once, against the range of local ports × source addresses.",
        remedy: "Leave from more addresses (`--source`), or widen net.ipv4.ip_local_port_range.",
    },
    Explanation {
        code: "FORECAST_TIME_WAIT",
        title: "closed connections may use up the local ports",
        weight: Weight::Event,
        means: "Before the run: connections that are opened for each request keep their port for 60 s when nmax closes first.",
        computed: "New connections per second × 60 s, against the range of local ports.",
        remedy: "Keep connections alive, or leave from more addresses (`--source`).",
    },
    Explanation {
        code: "FORECAST_MEMORY",
        title: "the plan may need more memory than there is",
        weight: Weight::Event,
        means: "Before the run: virtual users and buffers may not fit into the memory that is available.",
        computed: "Virtual users × the size of one, against available memory.",
        remedy: "Use fewer virtual users, or a larger machine.",
    },
    Explanation {
        code: "FORECAST_WORKERS",
        title: "more workers than processors",
        weight: Weight::Event,
        means: "Before the run: workers would wait for each other, which G4_RUN_QUEUE may make INVALID.",
        computed: "`--workers` against the processors that this process may use.",
        remedy: "Use as many workers as processors, or fewer.",
    },
];
