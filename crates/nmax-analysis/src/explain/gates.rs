//! Codes that may make a run INVALID: the numbers judge nothing.

explanations! {
    Invalid "G1_RATE", "the injector did not keep the intended rate",
        "Fewer iterations were started than the plan asks for, and the injector is the cause. The target saw less \
         load than the result claims.",
        "Open: (started − waited) / (due − waited − dropped at the in-flight limit), in the hold; at least 98 %, a \
         warning below 99 %. Closed: the share of virtual users that got to start. Three missing ones are \
         always forgiven. What waits for the target does not count. Source: the rate check of Lancet \
         (±10 %), made stricter.",
        "Use more workers (`--workers`), a faster or quieter machine, several injectors, or a lower rate.";
    Invalid "G2_MIX", "scenarios were not started in the planned proportion",
        "The users of the run were not those of the plan: some scenario had more or fewer iterations than its \
         weight says.",
        "|k/n − p| for each scenario of the mix: k of n iterations started, planned share p. Limit: the largest of \
         2 % of p, 3 iterations, and 4 σ of what the order of iterations leaves to chance plus the iterations \
         dropped (open) or one per virtual user (closed). Background scenarios are apart.",
        "Run longer. If it stays, the plan was not carried out as written: report it with the run's directory.";
    Invalid "G3_INJECTOR_LAG", "the injector sent too late",
        "Requests left the injector later than they were due, through no fault of the target. Response times contain \
         this delay. As a warning: some reported quantiles are mostly of nmax's own making, so they are withheld. As \
         the reason of INVALID: a condition has another answer without the delay.",
        "Response times beside the same less injector lag = send lag − (DNS + connect + TLS) − wait for an in-flight \
         slot, per exchange, in the hold. INVALID: a condition on a time that holds with the lag and not without \
         it, or the other way round; an upper limit that holds with the lag always stands. Warning: lag is more \
         than 10 % of a quantile that no condition tests.",
        "Quote the service time, which starts at the real sending. See TIME_TAKEN: it names what took the time, and what \
         to do.";
    Invalid "G4_INJECTOR_CPU", "a worker used its whole core",
        "The injector had no processor time left. What it measured is its own speed.",
        "CPU time ÷ time of the busiest worker in the hold, or of all processors that the workers share: below 95 %. The \
         same of all workers at each level of the plan, and of the worst 10 s of the hold (half of a short one), where \
         the limit is up to half of the way to 100 %, the more the less of the hold it is.",
        "Use more workers where cores are free, more cores or injectors, fewer checks per reply, or a lower rate.";
    Invalid "G4_RUN_QUEUE", "workers had to wait for a processor",
        "Something else kept the workers' cores busy. A reply that arrives while its worker waits is seen late, so \
         times are too long, and a closed workload sends too little.",
        "Time that workers were ready to run and did not (/proc/thread-self/schedstat) ÷ their time, in the hold: \
         below 25 %, or 10 % when workers are confined to some of the processors (`--pin`, taskset); a warning from 10 % on; tested from half a second of workers' time on, \
         below 1 s with up to 4 % more. The same at each level of the plan, and in the worst 10 s of the hold (half \
         of a short one), where the limit is up to half of the way to 100 %. Measured: 36 to 41 % beside one \
         busy process on the same core, 13 to 15 % beside a fast target on the same two cores, 2 to 4 % alone.",
        "Stop the other process, move the target to another host, use fewer workers than cores, or pin them (`--pin`).";
    Invalid "G4_INJECTOR_ERRORS", "exchanges failed on the injector's side",
        "The injector could not do its part of an exchange: no port, no descriptor, no memory, an unreadable file.",
        "Errors of kind `injector` in the whole run; none may be.",
        "See the examples of kind `injector` in failures.jsonl, and `nmax doctor` for the limits of this host.";
    Invalid "G4_OPEN_FILES", "the injector was short of descriptors",
        "Connections came close to the number of files that the process may open; more would have failed.",
        "Most descriptors in use ÷ their soft limit: below 95 %.",
        "Raise the limit (`ulimit -n`), or use fewer connections.";
    Invalid "G4_LOCAL_PORTS", "the injector was short of local ports",
        "Nearly every local port towards one destination was taken, by connections or by those in TIME_WAIT.",
        "Most ports in use from one source address to one destination ÷ the host's range: below 95 %.",
        "Keep connections alive, leave from more addresses (`--source`), or widen net.ipv4.ip_local_port_range.";
    Invalid "G4_MEMORY", "the injector's host was short of memory",
        "So little memory was left that the system may have stopped the injector to find some.",
        "Least available memory of the host, or of nmax's control group, ÷ all of it: at least 5 %.",
        "Use fewer virtual users, smaller bodies, or a larger machine.";
    Invalid "G4_SWAP", "the injector was swapped out",
        "Parts of the injector were on disk during the run, and its pauses are in the numbers.",
        "Growth of the injector's memory on swap during the run: at most 1 MiB.",
        "Free memory, or use a machine without swap.";
    Invalid "G5_LITTLES_LAW", "the numbers contradict each other",
        "The number of iterations in flight, counted on its own, is not what rate and durations say it must be. \
         Something was counted wrongly or lost.",
        "|N − λW| / N, with N the time average of the counter and λW the sum of iteration times (without start delays) \
         ÷ length of the hold. Limit: 5 % plus what the edges of the hold explain (the longest times of \
         as many iterations as were under way there) and what iterations that never ended may add. Tested from 100 iterations and 20 mean iteration times on. Source: \
         Little (1961).",
        "Repeat the run. If it stays, it is a defect of nmax: report it with the run's directory.";
    Invalid "G8_NO_SAMPLES", "no exchange was completed",
        "There is nothing to judge.",
        "Completed exchanges in the whole run: at least one.",
        "Check that the target answers (`nmax check PLAN --once`), and that the run is long enough to send a request.";
    Invalid "G8_GAPS", "parts of the run were not reported",
        "Some windows lack the report of a worker or of an injector: what happened then is not known.",
        "Windows without the report of a worker ÷ all windows: at most 2 %; less is a warning. Of several injectors each for \
         itself: what each lost is told in seconds of its part of the load, with the numbers of its windows.",
        "Repeat the run. Look for a worker that died (event BROKE), a machine that was suspended, or an injector that was lost.";
    Invalid "G8_CLOCK", "the clock of an injector does not agree with the others",
        "An injector began its part of the load at another instant than the others, or its clock jumped during the run. The \
         load at an instant was not the planned one, and numbers of a second are not all of that second. Its latencies are \
         right: those are of its monotonic clock.",
        "Per injector: the largest uncertainty of its clock against that of the broker from the start to the end, which is \
         half of the shortest round trip, or the largest jump that was seen, whichever is more: at most 50 ms. A constant \
         offset is corrected and does not count. Source: Cristian (1989). A run on one injector has none.",
        "Synchronize the clock of the injector (NTP, chrony), use a path to the broker with a shorter round trip, or leave \
         the injector out. Then repeat the run.";
    Invalid "G8_STALLS", "nmax itself stood still",
        "A worker did nothing at all for a while, although it was due. Replies that came meanwhile were seen late and \
         count as slow, and a closed workload sent nothing.",
        "Each worker has a timer that is due every 20 ms, whatever the load. Where it comes more than 50 ms late, the \
         time since it was due is time without the worker. Sum of the worst worker in the hold: at most 1 % of it, or \
         100 ms in a short one.",
        "Look for what stopped it: a signal, a frozen or throttled control group (`docker pause`, a CPU quota), a paused \
         or moved virtual machine, a debugger, or other processes on the same processors. Then repeat the run.";
}
