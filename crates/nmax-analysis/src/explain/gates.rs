//! Codes that may make a run INVALID: the numbers judge nothing.

use super::{Explanation, Weight};

pub(super) const ALL: &[Explanation] = &[
    Explanation {
        code: "G1_RATE",
        title: "the injector did not keep the intended rate",
        weight: Weight::Invalid,
        means: "Fewer iterations were started than the plan asks for, and the injector is the cause. The target saw less \
                load than the result claims.",
        computed: "Open: (started − waited) / (due − waited − dropped at the in-flight limit), in the hold; at least 98 %, a \
                   warning below 99 %. Closed: the share of virtual users that got to start. Three missing ones are \
                   always forgiven. What waits for the target does not count. Source: the rate check of Lancet \
                   (±10 %), made stricter.",
        remedy: "Use more workers (`--workers`), a faster or quieter machine, several injectors, or a lower rate.",
    },
    Explanation {
        code: "G2_MIX",
        title: "scenarios were not started in the planned proportion",
        weight: Weight::Invalid,
        means: "The users of the run were not those of the plan: some scenario had more or fewer iterations than its \
                weight says.",
        computed: "|k/n − p| for each scenario of the mix: k of n iterations started, planned share p. Limit: the largest of \
                   2 % of p, 3 iterations, and 4 σ of what the order of iterations leaves to chance plus the iterations \
                   dropped (open) or one per virtual user (closed). Background scenarios are apart.",
        remedy: "Run longer. If it stays, the plan was not carried out as written: report it with the run's directory.",
    },
    Explanation {
        code: "G3_INJECTOR_LAG",
        title: "the injector sent too late",
        weight: Weight::Invalid,
        means: "Requests left the injector later than they were due, through no fault of the target. Response times contain \
                this delay. As a warning: some reported quantiles are mostly of nmax's own making, so they are withheld. As \
                the reason of INVALID: a condition has another answer without the delay.",
        computed: "Response times beside the same less injector lag = send lag − (DNS + connect + TLS) − wait for an in-flight \
                   slot, per exchange, in the hold. INVALID: a condition on a time that holds with the lag and not without \
                   it, or the other way round; an upper limit that holds with the lag always stands. Warning: lag is more \
                   than 10 % of a quantile that no condition tests.",
        remedy: "Quote the service time, which starts at the real sending. See TIME_TAKEN: it names what took the time, and what \
                 to do.",
    },
    Explanation {
        code: "G4_INJECTOR_CPU",
        title: "a worker used its whole core",
        weight: Weight::Invalid,
        means: "The injector had no processor time left. What it measured is its own speed.",
        computed: "CPU time ÷ time of the busiest worker in the hold, or of all processors that the workers share: below 95 %. The \
                   same of all workers at each level of the plan, and of the worst 10 s of the hold (half of a short one), where \
                   the limit is up to half of the way to 100 %, the more the less of the hold it is.",
        remedy: "Use more workers where cores are free, more cores or injectors, fewer checks per reply, or a lower rate.",
    },
    Explanation {
        code: "G4_RUN_QUEUE",
        title: "workers had to wait for a processor",
        weight: Weight::Invalid,
        means: "Something else kept the workers' cores busy. A reply that arrives while its worker waits is seen late, so \
                times are too long, and a closed workload sends too little.",
        computed: "Time that workers were ready to run and did not (/proc/thread-self/schedstat) ÷ their time, in the hold: \
                   below 25 %, or 10 % when workers are confined to some of the processors (`--pin`, taskset); a warning from 10 % on; tested from half a second of workers' time on, \
                   below 1 s with up to 4 % more. The same at each level of the plan, and in the worst 10 s of the hold (half \
                   of a short one), where the limit is up to half of the way to 100 %. Measured: 36 to 41 % beside one \
                   busy process on the same core, 13 to 15 % beside a fast target on the same two cores, 2 to 4 % alone.",
        remedy: "Stop the other process, move the target to another host, use fewer workers than cores, or pin them (`--pin`).",
    },
    Explanation {
        code: "G4_INJECTOR_ERRORS",
        title: "exchanges failed on the injector's side",
        weight: Weight::Invalid,
        means: "The injector could not do its part of an exchange: no port, no descriptor, no memory, an unreadable file.",
        computed: "Errors of kind `injector` in the whole run; none may be.",
        remedy: "See the examples of kind `injector` in failures.jsonl, and `nmax doctor` for the limits of this host.",
    },
    Explanation {
        code: "G4_OPEN_FILES",
        title: "the injector was short of descriptors",
        weight: Weight::Invalid,
        means: "Connections came close to the number of files that the process may open; more would have failed.",
        computed: "Most descriptors in use ÷ their soft limit: below 95 %.",
        remedy: "Raise the limit (`ulimit -n`), or use fewer connections.",
    },
    Explanation {
        code: "G4_LOCAL_PORTS",
        title: "the injector was short of local ports",
        weight: Weight::Invalid,
        means: "Nearly every local port towards one destination was taken, by connections or by those in TIME_WAIT.",
        computed: "Most ports in use from one source address to one destination ÷ the host's range: below 95 %.",
        remedy: "Keep connections alive, leave from more addresses (`--source`), or widen net.ipv4.ip_local_port_range.",
    },
    Explanation {
        code: "G4_MEMORY",
        title: "the injector's host was short of memory",
        weight: Weight::Invalid,
        means: "So little memory was left that the system may have stopped the injector to find some.",
        computed: "Least available memory of the host, or of nmax's control group, ÷ all of it: at least 5 %.",
        remedy: "Use fewer virtual users, smaller bodies, or a larger machine.",
    },
    Explanation {
        code: "G4_SWAP",
        title: "the injector was swapped out",
        weight: Weight::Invalid,
        means: "Parts of the injector were on disk during the run, and its pauses are in the numbers.",
        computed: "Growth of the injector's memory on swap during the run: at most 1 MiB.",
        remedy: "Free memory, or use a machine without swap.",
    },
    Explanation {
        code: "G5_LITTLES_LAW",
        title: "the numbers contradict each other",
        weight: Weight::Invalid,
        means: "The number of iterations in flight, counted on its own, is not what rate and durations say it must be. \
                Something was counted wrongly or lost.",
        computed: "|N − λW| / N, with N the time average of the counter and λW the sum of iteration times (without start delays) \
                   ÷ length of the hold. Limit: 5 % plus what the edges of the hold explain (the longest times of \
                   as many iterations as were under way there) and what iterations that never ended may add. Tested from 100 iterations and 20 mean iteration times on. Source: \
                   Little (1961).",
        remedy: "Repeat the run. If it stays, it is a defect of nmax: report it with the run's directory.",
    },
    Explanation {
        code: "G8_NO_SAMPLES",
        title: "no exchange was completed",
        weight: Weight::Invalid,
        means: "There is nothing to judge.",
        computed: "Completed exchanges in the whole run: at least one.",
        remedy: "Check that the target answers (`nmax check PLAN --once`), and that the run is long enough to send a request.",
    },
    Explanation {
        code: "G8_GAPS",
        title: "parts of the run were not reported",
        weight: Weight::Invalid,
        means: "Some windows lack the report of a worker: what happened then is not known.",
        computed: "Windows without the report of a worker ÷ all windows: at most 2 %; less is a warning.",
        remedy: "Repeat the run. Look for a worker that died (event BROKE) or a machine that was suspended.",
    },
    Explanation {
        code: "G8_STALLS",
        title: "nmax itself stood still",
        weight: Weight::Invalid,
        means: "A worker did nothing at all for a while, although it was due. Replies that came meanwhile were seen late and \
                count as slow, and a closed workload sent nothing.",
        computed: "Each worker has a timer that is due every 20 ms, whatever the load. Where it comes more than 50 ms late, the \
                   time since it was due is time without the worker. Sum of the worst worker in the hold: at most 1 % of it, or \
                   100 ms in a short one.",
        remedy: "Look for what stopped it: a signal, a frozen or throttled control group (`docker pause`, a CPU quota), a paused \
                 or moved virtual machine, a debugger, or other processes on the same processors. Then repeat the run.",
    },
];
