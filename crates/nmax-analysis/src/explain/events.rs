//! What happened during a run, and what a forecast said before it.

explanations! {
    Event "BROKE", "the run broke off",
        "A worker died or the run could not go on. The windows that are missing count as gaps (G8_GAPS).",
        "The engine ended before the plan did.",
        "The event's text says why. It is a defect of nmax: report it.";
    Event "DATA_ENDED", "the data was used up",
        "A feeder with `at_end: stop`, or one whose rows are used once, had no row left. The run ended early; when only a background read it, that alone ended.",
        "The first iteration that found no row. Rows are numbered like the iterations of the mix, or of the background, whatever scenario those are of.",
        "Give the feeder more rows, or let it begin again (`at_end: wrap`).";
    Event "REPLAY", "which log was sent again, and how",
        "The run sent the requests of a log: at their original times, with time compressed, as several copies overlaid, or thinned. These are different tests: compression makes bursts sharper and pauses shorter, copies keep the time axis.",
        "The requests that were planned, the time of the log that they are from, and what became of the time axis.",
        "Nothing is wrong. `nmax fidelity` says how like the log the run was.";
    Event "REPLAY_LEFT_OUT", "what of the log was not sent",
        "Requests of the log that a replay does not send, with the reason. A log has neither bodies nor what users are known by, so only GET, HEAD and OPTIONS are sent without being asked for more.",
        "Every line of the log is a request that is sent, or counted here.",
        "Send more by `--methods` or `--all-methods`, on a system that may be changed; name the format with `--format` where lines could not be read.";
    Event "STEERED", "the load was changed while the run went on",
        "Someone asked the run for another load, or to end it. The stages were cut at this instant and others took their place. Gates, statistics and \
         the intended rate go by the changed stages, and the run is marked as steered.",
        "The instant from which on the new stages hold, at the beginning of a window. What was due before it was due as planned.",
        "Nothing is wrong. `nmax run DIR` with the directory of the run repeats it with its changes.";
    Event "NOT_STEERED", "a wish for another load was not done",
        "A line of `control.jsonl` was not a wish, came too late, or asked for what the plan cannot do. Nothing has changed.",
        "Each new line of the file that the run did not follow.",
        "The event's text says why. Ask again with `nmax steer`.";
    Event "TEARDOWN_FAILED", "the teardown of the run failed",
        "What the run set up may still be there: entities, users, locks. The measurements are not touched by it.",
        "A step of the plan's `teardown` was not ok, or did not end within `graceful_stop`.",
        "The event's text names the step. Clean up by hand, and mend the teardown.";
    Event "NAMES_CAPPED", "more request names than are told apart",
        "The event that goes with the warning NAMES_OVERFLOWED.",
        "More than 500 request names in a run.",
        "Give the request a fixed `name`.";
    Event "EXPORT_FAILED", "figures could not be sent to a server that collects them",
        "A receiver of metrics (`--otlp`, `--remote-write`) did not take a state of the run. The run and its result are not touched by it; \
         what that server shows has a gap.",
        "The first state that was refused, or not taken within 3 s. A state is sent every 5 s, and the last one at the end.",
        "The event's text names the receiver and its answer. Check address, path and headers.";
    Event "FAILURES_NOT_KEPT", "further examples of failures were not kept",
        "failures.jsonl has its share of examples of this kind. All failures are counted all the same.",
        "100 examples of each kind, 1,000 kinds.",
        "Nothing: the examples are there to be studied, not to be counted.";
    Event "FILE_DAMAGED", "a file of the run's directory cannot be read in whole",
        "A line is not what it should be, or a file ends too early. What it held is left out, and all else is shown. A window that \
         is left out is a gap (G8_GAPS). What a rollup held is read from the windows of the run instead.",
        "Each line that cannot be read, with file and number; the first 20 of a run.",
        "Restore the file from a copy. Where there is none, the numbers are those of what is left.";
    Event "INTERVENTION_BEGAN", "an action of the timeline began",
        "Something was done to the system under test, as the plan's `timeline` says.",
        "The instant when the action was started.",
        "See its figures before, during and after in the report.";
    Event "INTERVENTION_ENDED", "an action of the timeline was over or undone",
        "The action had ended, or its undo had. Recovery counts from here.",
        "The instant when the action or its undo was done.",
        "See its figures before, during and after in the report.";
    Event "INTERVENTION_FAILED", "an action of the timeline, or its undo, failed",
        "The command, HTTP call or signal did not do what it should, or took longer than its limit. The system may not \
         be as the plan says.",
        "An exit code other than 0, a reply that is not ok, no such process, or the action's `limit`. Or nmax had \
         to end, 8 s after `TERM` or the third Ctrl-C, while an undo still went on.",
        "Try the action by hand. When an undo failed, undo it by hand before anything else.";
    Event "OBSERVED", "an observed process came, went or was replaced",
        "A process named in `observe` was found, ended, or has another number than before. Its figures are of what was \
         there.",
        "The processes of this host, looked at along with the windows.",
        "A process that ended in the middle of a run is worth a look at its log.";
    Event "SOURCE_BACK", "something that is observed can be read again",
        "A source that was lost answers again. Its gap stays a gap, but for agents, which keep their readings for some \
         minutes.",
        "The first attempt to read it that worked after one that did not.",
        "See SOURCE_LOST before it for the reason.";
    Event "SOURCE_NOTE", "a source has something to say of itself",
        "Something about a source that a person should know once: what its host does not tell, what is hidden from the \
         user that reads it, what was left out.",
        "By the source, when it is read.",
        "Mostly nothing. What is not there is not in the result, and never counted as zero.";
    Event "CLOCK_OFFSET", "the clock of an observed host is off",
        "The calendars of an agent's host and of this host differ by more than a second. Readings are not placed by it: \
         each question to the agent measures where its clock stands.",
        "From the four stamps of the questions of the last minute, that with the least round trip; the error is half of \
         it and what clocks drift since (1 ms per s at most). Source: RFC 5905.",
        "For the run nothing. Logs of that host are off by the same amount: let it keep the time by NTP.";
    Event "SLOW_TRACE", "the trace of one of the slowest requests",
        "Where the tracing of the system shows what it did for a request that took long.",
        "The five slowest requests of different iterations, of those that were kept one by one (`--samples`) and whose trace the system \
         was asked to keep (`trace: { share: .. }`). The id is a function of the run's id, the seed, the user and the iteration.",
        "Open the link, or look the id up in Tempo, Jaeger or whatever collects your traces.";
    Event "RUNNING", "the run goes on",
        "The directory is that of a run under way; its numbers are those so far.",
        "Its writer still holds the lock on windows.jsonl.",
        "Look again when it has ended.";
    Event "FORECAST_OPEN_FILES", "the plan may need more descriptors than allowed",
        "Before the run: its connections may need more open files than this process may have.",
        "Virtual users or iterations at once × connections of each, against the soft limit.",
        "Raise the limit (`ulimit -n`). See `nmax doctor PLAN`.";
    Event "FORECAST_PORTS", "the plan may need more local ports than there are",
        "Before the run: more connections at once towards one destination than this host has ports for.",
        "Connections at once, against the range of local ports × source addresses.",
        "Leave from more addresses (`--source`), or widen net.ipv4.ip_local_port_range.";
    Event "FORECAST_TIME_WAIT", "closed connections may use up the local ports",
        "Before the run: connections that are opened for each request keep their port for 60 s when nmax closes first.",
        "New connections per second × 60 s, against the range of local ports.",
        "Keep connections alive, or leave from more addresses (`--source`).";
    Event "FORECAST_MEMORY", "the plan may need more memory than there is",
        "Before the run: virtual users and buffers may not fit into the memory that is available.",
        "Virtual users × the size of one, against available memory.",
        "Use fewer virtual users, or a larger machine.";
    Event "FORECAST_WORKERS", "more workers than processors",
        "Before the run: workers would wait for each other, which G4_RUN_QUEUE may make INVALID.",
        "`--workers` against the processors that this process may use.",
        "Use as many workers as processors, or fewer.";
}
