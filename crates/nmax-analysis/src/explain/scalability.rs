//! Findings about measurements of scalability.

explanations! {
    Scalability "EFFICIENCY_OVER_ONE", "efficiency above 100 %: put the data in prison",
        "N units do more than N times what one unit does. Nothing works that way by itself: X(1) is too low, N does not count \
         what it says, or something else grew along. It blocks.",
        "X(N)/(N·X(1)), flagged where the lower end of its interval is above 1; the ends are one-sided at 5 % over the number \
         of N, from what replicates or residuals scatter by. Source: N. J. Gunther, slides of 2010, 21 to 23.",
        "Measure N = 1 again, after a warm-up and several times. If it stays, find what grew with N: caches, machines, data per \
         unit.";
    Scalability "GENERATOR_SATURATED", "the generator of the load was the bottleneck",
        "In these rows the load was sent late, or the injector had no processor time left. What bends there is the \
         injector's own curve, so the law would be the injector's too. It blocks.",
        "Levels whose run the injector's gates refuse (send lag, processor time), as told with the data.",
        "Use more workers or injectors, or a machine of its own, and measure these rows again.";
    Scalability "LITTLE_RESIDUAL", "N is not X·(R + Z)",
        "Load, throughput and response time contradict each other, so at least one of them is not what it is called. It \
         blocks.",
        "|N − X·(R + Z)|/N above 5 %, for each row with a response time, where N counts what is in the system. Source: \
         J. D. C. Little (1961).",
        "Look at the unit of R (milliseconds?), at the think time Z, and at waiting that R leaves out.";
    Scalability "NON_STATIONARY", "the same load gave different levels",
        "Runs at one N lie so far apart that their intervals exclude each other. The system was not in one state, and a law \
         needs one system. It blocks.",
        "Intervals of runs at the same N that do not touch, from the noise at other N, together at 95 %; 1.5 % of noise are \
         always granted.",
        "Find out which level is the one that is meant (cache, warm-up, data set, configuration) and measure it again.";
    Scalability "ONE_CONCURRENCY", "all runs have the same N",
        "One load says nothing about another, so no law can be fitted. It blocks.",
        "Different N among the usable rows: 1.",
        "Measure at least 3 loads, better 6, from N = 1 to beyond the largest throughput.";
    Scalability "TOO_FEW_POINTS", "too few points",
        "With less than 3 different N there is no fit, which blocks. With less than 6 different N or 6 runs there is one, but no \
         peak of the law; 3 runs give coefficients without intervals.",
        "Usable rows and different N. The law has 3 coefficients, and a peak needs 3 degrees of freedom beside them.",
        "Measure 8 to 12 runs, from N = 1 to about twice the peak, each N three times.";
    Scalability "NO_FIT", "no coefficients were found",
        "The method could not find a law for these data: there is no X(1) where it needs one, or every solution has a pole. It \
         blocks.",
        "The fit's own reason stands in the text. Solutions whose denominator vanishes at or below twice the largest N are \
         rejected.",
        "Use `--method log`, and look at the data: the other models are still compared.";
    Scalability "UNUSABLE_VALUE", "rows that are not measurements",
        "N or X is 0, negative or no number, so the row is left out; or R is, and then only R is.",
        "N must be above 0 and at most 1e9, X from 1e-12 to 1e15 per second, R from 0 to 1e9 s.",
        "Look at what the rows mean. A run that completed nothing is a broken run and not a point of the curve.";
    Scalability "CONCURRENCY_BELOW_ONE", "rows with N below 1",
        "The law begins at N = 1. Below it the denominator drops under 1, so efficiency looks better than 100 %. The rows are \
         left out and counted.",
        "0 < N < 1.",
        "Nothing, unless N was to count something else.";
    Scalability "EFFICIENCY_RISES", "efficiency rises with N",
        "Twice in a row each unit did more at a larger load, beyond noise.",
        "X/N at three neighboring N, two rises whose one-sided 97.5 % interval lies above 0.",
        "Run the levels in random order, each after its own warm-up; suspect caches and batches.";
    Scalability "RESPONSE_TIME_FALLS", "response time falls as load grows",
        "A queue does not get shorter by more arrivals. Often errors are answered fast and counted as good, or the target \
         scaled out meanwhile.",
        "Mean R of neighboring N, where the fall is beyond noise, one-sided at 5 % over the number of steps.",
        "Check what counts as a good reply, and whether the target was the same at all loads.";
    Scalability "UNIT_MISMATCH", "γ and the measured X(1) differ",
        "The fitted curve does not pass through the measured X(1), so it fits poorly at small N.",
        "|ln(γ/X(1))| beyond the two-sided 95 % interval of the noise of relative errors. Least squares of X do that easily, \
         since they hardly weigh small throughputs.",
        "Use `--method log`, look at the other models, and trust neither γ nor α alone.";
    Scalability "REPLICATE_SPREAD", "replicates scatter",
        "Runs at the same N differ by more than the limit: they measure something besides the load.",
        "Standard deviation ÷ mean of ln X at one N, above 10 % unless another limit is given.",
        "Longer runs, a warm-up and a quiet machine. More replicates only average over it.";
    Scalability "COPIED_RUNS", "runs at the same N are copies",
        "Two measurements never agree to the last digit. Copies of rows count as evidence, so intervals become too narrow.",
        "All X at an N are equal, at each of at least three N that were repeated.",
        "Leave the copies out, and repeat the runs instead.";
    Scalability "LACK_OF_FIT", "the law misses the levels",
        "The means lie further from the law than replicates scatter, so the law's shape is not that of the data and its \
         intervals are too narrow.",
        "F = [(RSS − SSPE)/(m − 3)] / [SSPE/(n − m)] above F(.95), with SSPE the squares within N and m the different N.",
        "Look at the ladder of models and at the residuals over N; a cap or two systems in one table are likely.";
    Scalability "NEGATIVE_COEFFICIENT", "α or β is below 0",
        "β at or below 0 means that no coherency is seen: there is no peak, and the law is Amdahl's. α below 0 means \
         superlinear growth, which is real only with a cause and an interval that excludes 0.",
        "The fitted values, without bounds: of systems without coherency half give a β below 0.",
        "For β measure at larger N. For α suspect X(1) first, then caches and dimensions that grew along.";
    Scalability "OUTLIER", "a point far from the law",
        "One run lies further from the law than clean data would have it. It is kept in the fit.",
        "Externally studentized residual beyond t(1 − .05/(2m), n − 4), Bonferroni over all m points: in 95 of 100 clean sets \
         none is flagged.",
        "Find out what was different in that run before it is left out, and say so when it is.";
    Scalability "SHAPE_CHANGE", "a cap, or a change of shape",
        "A straight line with a cap, or two straight pieces in logarithms, explain the data better than the law. No peak is \
         stated; the cap or the bend is named.",
        "AICc below that of the law by more than 6: of min(γN, X_cap) with the bend within the data and no other model ahead by \
         more than 4, or of ln X = a + p·ln N + c·max(0, ln N − ln N_bend), which must lead all models.",
        "Look for what is full or sets in there: cores, a pool of connections or threads, a network card, a limit of rate, \
         another configuration.";
    Scalability "AT_BOUND", "a bound decided a coefficient",
        "This coefficient is at its bound, so it has no confidence interval. What is derived from it is a result of the bound.",
        "Coefficients of the fit, and of the models in the ladder, that equal the end of the range they were searched in.",
        "For β = 0 and α = 0 nothing: the simpler model is the answer. For bounds that were set by hand, take them away.";
    Scalability "NOTHING_PAST_PEAK", "nothing was measured past a peak",
        "Neither was throughput seen to fall, nor does the law's peak lie within the data. Where throughput falls, and whether \
         it does, is extrapolation.",
        "No N at or beyond N_peak, and no observed peak: on both sides of the largest X a point that is lower beyond noise (5 \
         %, or twice the deviation of replicates).",
        "Measure at up to twice the largest N, while the system bears it.";
    Scalability "DEMAND_MISMATCH", "the law contradicts a measured resource",
        "The most that a resource can do, 1/D_max, and the law do not agree. A roof above it means that the cap comes first; a \
         roof below it means that something else is serial; throughput above it means that the demand is wrong.",
        "γ/α, X_peak and the largest X against 1/D_max, as intervals, with D = U/X and U averaged over all servers. The identity \
         γ/α = 1/S is exact for synchronous queues only.",
        "Above: draw the cap and do not believe the peak. Below: suspect a lock, a pool or a remote call.";
}
