//! Findings of profiles.

const METHODS: &str = "See docs/methods/profiles.md for what it means and what comes next.";

explanations! {
    Finding "NO_ANSWER", "the run cannot answer the question of its profile",
        "The profile asks something that this run did not last long enough, or did not measure enough, to answer.",
        "The text says what was missing.",
        "Run the profile with its own lengths, or give it longer ones.";
    Finding "INJECTOR_LIMIT", "from there on the injector was the limit (ladder, stress)",
        "At a level, or from a time on, nmax itself was short of processors or stood still. What came later says nothing of the \
         system, so the answer is of what came before.",
        "The limits of G4_INJECTOR_CPU and G4_RUN_QUEUE, for each level and for stretches of 10 s; that of G8_STALLS for a level, by the mean of its workers.",
        "Use more workers, a larger machine, or less work per exchange, and run the profile again.";
    Finding "RATE_PER_USER", "what one user does (smoke)",
        "Iterations per second of one user, as measured, beside what think times and response times say it must be.",
        "Iterations ÷ (users × time), against 1/(Z + R) with Z the pauses and R the time in exchanges. Trouble when they are \
         more than 5 % apart.",
        "When they differ, look for pauses, pacing or failures that the plan does not mean to have.";
    Finding "USERS_NEEDED", "users behind the intended rate (smoke)",
        "How many such users the rate of the plan stands for, as long as replies stay that fast.",
        "Little's law: N = X·(R + Z).",
        "Compare it with the users that you expect, before heavier profiles.";
    Finding "RATE_OF_USERS", "what the users of the plan come to (smoke)",
        "Iterations per second that the virtual users of the plan make, as long as replies stay that fast.",
        "Little's law: X = N/(R + Z).",
        "Compare it with the load that you expect, before heavier profiles.";
    Finding "FAILURES", "exchanges failed with one user (smoke)",
        "Even alone, a user met failures: the plan or the system is wrong, and load would only hide it.",
        "Failed exchanges and errors of the whole run, by request name.",
        "See the examples in the report, and `nmax check PLAN --once`.";
    Finding "STEP", "figures of one step (ladder)",
        "Throughput, response time and failures at one number of users or rate.",
        "Over the stretches of the step, ramps left out.",
        METHODS;
    Finding "LADDER_FAILURES", "failures begin at this step (ladder)",
        "The first step at which more fails than the plan allows.",
        "Failure rate of the step against the condition on `failure_rate`, by request name.",
        "Look at the request that is named: locks, pools and limits of connections show first.";
    Finding "LADDER_LATENCY", "response times jump at this step (ladder)",
        "The first step whose response times are far above those of the step before.",
        "p95 more than doubled against the step before, beyond what chance explains.",
        "Look for what the users wait for together: a lock, a pool, a single thread.";
    Finding "LADDER_THROUGHPUT", "users get less done at this step (ladder)",
        "More users no longer bring as much more throughput: they hold each other up.",
        "Throughput per user fallen by more than 20 % against the step before.",
        "The knee lies between the two steps; the profile `stress` finds it more finely.";
    Finding "MARGIN", "distance to the nearest limit (peak)",
        "How far the expected load is from breaking a condition.",
        "(limit − value) ÷ limit, the smallest of all conditions.",
        "A small margin is not headroom: find the break point with the profile `stress`.";
    Finding "BREAK_POINT", "the load at which limits are left for good (stress)",
        "Below it the system keeps failures and latency within the limits, above it no more. Its interval is at 95 %.",
        "Change point of the ramp from which on a figure stays beyond its limit: conditions of the plan, or three times the \
         median of the first tenth of the ramp.",
        "Plan for a load well below the lower end of the interval, and look at BROKE_FIRST.";
    Finding "BROKE_FIRST", "what left its limit first (stress)",
        "The figure, and the request, that gave way before all others.",
        "The request whose own figure leaves its first values, or the limit of failures, before all others.",
        "Begin the search for the bottleneck there.";
    Finding "LIMIT_LEFT", "a further limit that was left (stress)",
        "Another figure left its limit, at a higher load than the break point.",
        "As BREAK_POINT, for the other limits.",
        METHODS;
    Finding "ACHIEVED", "throughput at the break point (stress)",
        "What the system really got done when it broke, which may be less than what was asked of it.",
        "Iterations per second in the stretches around the break point.",
        METHODS;
    Finding "KNEE", "where throughput stops following the load (stress)",
        "From here on more load does not bring as much more throughput.",
        "Open: the rate from which on less than 95 % of it is achieved. Closed: the users at which the line of the first users \
         meets the highest throughput.",
        "Load beyond the knee only lengthens the queue.";
    Finding "LATENCY_SLOPE", "response times grow or fall (soak)",
        "The trend of response times over the hold, per hour, with its interval at 95 %.",
        "Theil–Sen slope with an interval that allows for dependence in time.",
        "A slope whose interval is above 0 will go on: find what grows.";
    Finding "FAILURE_SLOPE", "failures grow or fall (soak)",
        "The trend of the failure rate over the hold, per hour, with its interval at 95 %.",
        "Theil–Sen slope with an interval that allows for dependence in time.",
        "See which kind of failure grows.";
    Finding "MEMORY_SLOPE", "memory of an observed process grows or falls (soak)",
        "The trend of the memory of a process named in `observe`, with its interval at 95 %.",
        "Theil–Sen slope with an interval that allows for dependence in time, of `memory_bytes`.",
        "Growth that does not end is a leak: take a heap profile at the beginning and at the end of a soak.";
    Finding "MEMORY_EXHAUSTED", "when memory would be used up (soak)",
        "If the growth goes on, the process reaches its limit after this time.",
        "Room left below the limit ÷ slope.",
        "Restart before that time, until the leak is found.";
    Finding "CYCLE", "a disturbance that comes back (soak)",
        "Response times or failures rise regularly: a batch, a backup, a collection of garbage.",
        "Spacing of short pulses against chance at 1 %, then the periodogram with Fisher's g-test at 0.5 %, both corrected for all periods tried.",
        "Look for what runs with that period on the system.";
    Finding "SETTLING_TIME", "time until the flood has settled (flood)",
        "From the first user until figures stay at their final level; trouble when they never do.",
        "First instant after which p95 and failures stay within the band of the last third.",
        "Long settling asks for warmed caches, larger pools, or a gate that lets users in step by step.";
    Finding "WORST_P95", "the worst response times (flood)",
        "The highest p95 of a stretch, and when it was.",
        "Largest p95 of all stretches of the hold.",
        METHODS;
    Finding "WORST_FAILURES", "the most failures (flood)",
        "The highest failure rate of a stretch, and when it was.",
        "Largest share of failed exchanges of all stretches of the hold.",
        METHODS;
    Finding "FINAL_LEVEL", "the level that it settles at breaks a limit (flood)",
        "It settles, yet at a level that the plan does not allow.",
        "Figures of the last third against the conditions of the plan.",
        "The load is too high for the system, flood or not: see the profile `stress`.";
}
