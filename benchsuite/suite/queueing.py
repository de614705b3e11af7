"""Response times of an M/M/c queue in closed form: c servers, each with rate mu, arrivals with rate lambda, one line.

Source: L. Kleinrock, Queueing Systems 1 (1975), chapter 3; the law of the response time as in D. Gross and C. Harris,
Fundamentals of Queueing Theory, section on M/M/c. Rates in 1/s, times in s.
"""

import math


def wait_probability(servers, offered):
    """Erlang's C: the share of arrivals that find all servers busy; `offered` = lambda / mu < servers."""
    blocked = 1.0
    for count in range(1, servers + 1):
        blocked = offered * blocked / (count + offered * blocked)
    share = offered / servers
    return blocked / (1 - share * (1 - blocked))


def longer_than(time_s, arrivals, servers, rate):
    """Share of the responses that take longer than `time_s`.

    P(T > t) = e^(-mu t) (1 + C (1 - e^(-mu d t)) / d), d = c - 1 - lambda / mu; the limit for d = 0.
    """
    offered = arrivals / rate
    waits = wait_probability(servers, offered)
    rest = servers - 1 - offered
    factor = rate * time_s if abs(rest) < 1e-9 else -math.expm1(-rate * rest * time_s) / rest
    return math.exp(-rate * time_s) * (1 + waits * factor)


def load_at(time_s, quantile, servers, rate):
    """The arrivals per second at which `quantile` of the responses take `time_s`; by bisection."""
    low, high = 0.0, servers * rate * (1 - 1e-9)
    for _ in range(100):
        middle = (low + high) / 2
        if longer_than(time_s, middle, servers, rate) < 1 - quantile:
            low = middle
        else:
            high = middle
    return low
