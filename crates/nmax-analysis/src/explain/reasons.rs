//! Codes that may make a run FAIL, and warnings.

explanations! {
    Fail "THRESHOLD", "a condition of the plan does not hold",
        "The target did not do what the plan demands. The reason names condition, measured value and limit.",
        "The condition's own figure, in the hold unless it says otherwise. Without samples it does not hold. Exchanges \
         cut off at the end count against it, whatever they would have taken. The margin is the distance to the \
         limit, of the limit.",
        "Find out why in the report: which request, from when on, with which errors. Or correct the condition.";
    Fail "THRESHOLD_ABORT", "a condition ended the run",
        "A condition with `abort` had not held for its time without a break, so the run was ended early. It is a \
         FAIL, exit code 3, also where what still came to its end mended the figure.",
        "The condition, looked at once per window over the hold so far or the time that its `in` names. Without samples \
         it does not count as broken.",
        "See the condition among the thresholds of the report.";
    Fail "TARGET_OVERLOADED", "overload of the target",
        "The target could not take the load: replies came so late that the limit of iterations in flight was reached, and \
         users had to wait for a slot. It is the target's failure, so it never makes a run INVALID.",
        "Due iterations that waited for a slot or never got one ÷ due: above 25 % decides, as do drops that break a \
         condition on `dropped`; above 1 %, or any drop, is a warning.",
        "Lower the rate, or find what holds the target up. `max_in_flight` only moves the limit.";
    Warning "TIME_TAKEN", "what took nmax's time: steal, a control group, other processes, timers",
        "nmax was late or stood still (injector lag, run queue, CPU, stall). This names what used the processors of \
         its host meanwhile: steal is time that the host of a virtual machine gave to others; processes are named \
         with the processors that they used on average.",
        "Over the hold, from /proc/stat, /proc/PID/stat and the control group of nmax, about once a second. Named \
         from 1 % steal and 0.1 processors on. When nothing is found and processors were idle, the timers of the \
         machine are late, or something stopped nmax.",
        "Steal: another machine or dedicated cores. Other processes: stop them. The target: move it to another machine. A \
         control group: raise its quota. Timers: `nmax doctor` measures them.";
    Warning "ONLY_REDIRECTS", "a request was answered by redirects only",
        "Every reply of a request was a redirect (301, 302, 303, 307, 308) that nmax did not follow, often to a log-in \
         page. Such a reply counts as ok and is quick: the numbers are those of the redirect and not of the page.",
        "By request name in the hold. Not told where the step or `defaults` follow redirects, or where the step's \
         `expect` names a status.",
        "Follow redirects (`--follow`, or `redirects: follow` in the plan), log in first, test the page behind it, or write \
         `expect: { status: 302 }` where the redirect is what you test.";
    Warning "STATUS_UNEXPECTED", "no reply of a request had an accepted status",
        "Every reply of a request was an error such as 404 or 503. The exchanges count as failed; a request that is \
         rare among many does not break a condition on the failure rate, so it is named here.",
        "By request name in the hold: no reply with a status from 200 to 399, or with one that the step's `expect` \
         names.",
        "Check the path, the data and the credentials. Where the status is what you test, write it into `expect`. A \
         condition such as `failure_rate < 5% for request NAME` makes it a FAIL.";
    Warning "TARGET_SATURATED", "the target did not keep up",
        "Iterations of an open load were completed at a lower rate than they were started, so ever more of them were in \
         flight. The throughput is what the target can do; response times grow for as long as the load lasts and say \
         nothing about any other length.",
        "The longest part of the hold with one level, in thirds (at least 3 stretches). From the first to the last \
         third less than 98 % of what was started ended; the number in flight grew by at least half as much in the \
         second step as in the first while at most 1.1 times as much ended, so it is not a queue that only fills up; \
         and by more than 3.29 standard deviations of what ended (and started, if arrivals are random). Not in \
         `ladder` and `stress`, which look for this, of a replay, nor where `max_in_flight` held starts up: see \
         TARGET_OVERLOADED.",
        "Lower the rate, or find what holds the target up. A condition on `throughput` makes it a FAIL.";
    Warning "G6_NOT_STEADY", "the target does not stand still",
        "Throughput or response times moved over the hold: a cache that fills, a leak, a queue that grows. Quantiles of \
         such a hold are a mixture; another length would give others. It is a property of the target and not of the \
         measurement, so it decides nothing.",
        "Over the longest part of the hold with one level, in at least 60 stretches of at least 10 exchanges, less a \
         transient (MSER-5) of up to a quarter: Theil–Sen slope × length ÷ median beyond 2 % (throughput) or 5 % \
         (mean, p95), and KPSS above 0.739 (1 %). Not a reason in `ladder`, `stress` and `flood`, which are about \
         change.",
        "Give the target a longer warm-up (`warm_up`), hold longer, and look at the charts for what grows. For growth over \
         hours use the profile `soak`.";
    Warning "G7_ARRIVALS", "arrivals are not like those of a Poisson process",
        "Starts per window vary more or less than independent users would. Waiting times depend on that.",
        "Index of dispersion, variance ÷ mean of starts per window: 1 ± 3.29·√(2/(n − 1)) in n windows. Only for \
         `arrivals: poisson`, from 60 windows with 5 starts on, when nothing had to wait. Source: Cox and Lewis \
         (1966).",
        "See G3_INJECTOR_LAG and G4_RUN_QUEUE: starts that come in bursts are mostly those of a machine that stalls.";
    Warning "AUTOCORRELATED", "response times depend on those before them",
        "Slow replies come in groups, as they do wherever requests queue. Means and quantiles of the run are known less \
         well than its number of exchanges suggests. Intervals within the run allow for it; where they cannot, the \
         report says \"too dependent\" in their place.",
        "n_eff, how many independent exchanges would tell as much: n times the variance that sums of batches would \
         have if exchanges were independent, of the variance that they have, times (1 − r)/(1 + r), with r the \
         correlation of neighbouring batches. At most 60 batches, at least ten windows. Said where n/n_eff is \
         above 1 by five standard errors: from 2.6 on with 60 batches, 3.4 with ten.",
        "Hold longer for narrower intervals. To compare, repeat the whole run: the run is the unit, not the exchange.";
    Warning "FEW_SAMPLES", "too few values for an interval",
        "A quantile rests on so few values that nothing can be said about how far it may be off.",
        "Fewest values for a finite 95 % interval by order statistics: p50 6, p90 36, p95 72, p99 368, p99.9 3,688.",
        "Run longer, or judge a lower quantile.";
    Warning "SOURCE_LOST", "something that is observed could not be read",
        "An agent, exporter, database, cache or log of `observe` did not answer, or not with what it should, for a part \
         of the hold. The run went on; what the source would have said is a gap, and nothing is concluded from it. As \
         an event it says when and why.",
        "Each attempt to read a source counts until the next one; what an agent gave later is not missing. A \
         source that will not get better by trying, as with a wrong password, is not tried again.",
        "Do what its event says, then run again. `nmax check` says what is observed.";
    Warning "INTERVENTION_NOT_DONE", "the moment of an action of the timeline never came",
        "The run ended before the item's time, or was never seen to be steady. Nothing was done to the system: the result \
         says nothing about how it would bear that. As an event it tells the same.",
        "An item of `timeline` that had not begun when the load ended. `when: steady` needs 60 windows of the hold that \
         pass the test of G6.",
        "Run longer, hold one level longer, or give the item a time (`at`).";
    Warning "LOCATION_EMPTY", "a location had no users",
        "A location of the plan has a share of the users, and none of them did an iteration there. Nothing is known of it; \
         conditions on it do not hold.",
        "No iteration ended there in the whole run. A closed workload shares out its VUs, an open one its iterations; \
         `nmax check` says how many are needed.",
        "Use more VUs, run longer, or give the location a larger weight.";
    Warning "INTERRUPTED", "the run was stopped before its end",
        "Someone pressed Ctrl-C, sent a signal or asked for the end by `nmax steer --stop`. What was measured until then is complete. As an \
         event it tells when.",
        "A signal or a wish came before the planned end.",
        "Nothing, if it was meant. A shorter run is `--duration`.";
    Warning "CENSORED", "exchanges were unfinished at the end",
        "Their latency is only known to be at least their age, so high quantiles are lower bounds.",
        "Exchanges under way when `graceful_stop` after the last start was over, at the second Ctrl-C, or 4 s after \
         `TERM`.",
        "Raise `graceful_stop`, or set a `timeout` that ends them as errors.";
    Warning "SOCKET_HELD", "the server kept sockets open after complete replies",
        "The reply said that the connection ends, yet the server closed it late. Clients that wait for the close see that \
         time; nmax does not count it.",
        "Sockets still open 100 ms after the complete reply that should have ended them, watched for up to 60 s.",
        "Have the server close a connection as soon as its last reply is sent.";
    Fail "USERS_UNSERVED", "virtual users never got a reply",
        "Some users of a closed workload waited for their first reply as long as the load went on, and got none. Those that \
         were served make nearly all the exchanges, so no figure of exchanges shows it. A server that gives each connection \
         a worker and keeps it does this to all users beyond its workers.",
        "Virtual users that began an iteration and got no reply (errors are none) until the load ended, after at least \
         1 s and 10 times the median response time. More than 10 % of the users, and at least two, are a FAIL; fewer are \
         a warning.",
        "Raise the server's limit of workers or connections, let it close idle connections, or use fewer virtual users.";
    Fail "ITERATIONS_FAILED", "users fail although exchanges look well",
        "A step of many fails for most users: among all exchanges it is rare, so the failure rate does not show it, \
         and it is a warning. Or users fail without any failed exchange (their setup, a `fail` of the plan, a \
         value that was not found): no condition on exchanges can see that, so it is a FAIL.",
        "Failed ÷ completed iterations of a scenario above 5 % and above the failure rate of exchanges, while every \
         condition on failures holds. It decides when the failed iterations beyond the number of failed exchanges \
         are above 5 %.",
        "Add the condition that the warning suggests, such as `failure_rate < 5% for request NAME`; see the examples of \
         failures in the report.";
    Warning "NAMES_OVERFLOWED", "more request names than are told apart",
        "Names that vary, mostly with a number in the path, filled the table; the rest is summed up as `other`.",
        "More than 500 request names in a run.",
        "Give the request a fixed `name`, or one of the template that the warning suggests.";
    Warning "CLAMPED", "times beyond one hour",
        "Some times were longer than can be told apart, and count as one hour.",
        "Response times, iteration times and ages above 1 h, in the whole run.",
        "Set a `timeout`.";
}
