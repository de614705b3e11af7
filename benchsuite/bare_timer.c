/* How late does this machine wake a thread that does nothing else? A timerfd at an even rate, read in a loop.
 *
 * Usage: bare_timer RATE_PER_S SECONDS. Prints JSON: lateness of each wake-up after its due instant, microseconds.
 * It is what any load generator that sleeps between sends has at best.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    long rate = argc > 1 ? atol(argv[1]) : 0, seconds = argc > 2 ? atol(argv[2]) : 0;
    if (rate < 1 || seconds < 1) {
        fprintf(stderr, "usage: bare_timer RATE_PER_S SECONDS\n");
        return 2;
    }
    long total = rate * seconds;
    int64_t *late = malloc(total * sizeof *late);
    int timer = timerfd_create(CLOCK_MONOTONIC, 0);
    if (late == NULL || timer < 0)
        return 1;
    prctl(PR_SET_TIMERSLACK, 1);
    int64_t begin = now_ns() + 10000000, due;
    for (long i = 0; i < total; i++) {
        due = begin + i * 1000000000LL / rate;
        if (now_ns() < due) {
            struct itimerspec once = {.it_value = {.tv_sec = due / 1000000000, .tv_nsec = due % 1000000000}};
            uint64_t count;
            timerfd_settime(timer, TFD_TIMER_ABSTIME, &once, NULL);
            if (read(timer, &count, sizeof count) < 0)
                return 1;
        }
        late[i] = now_ns() - due;
    }
    qsort(late, total, sizeof *late, ascending);
    printf("{\"p50\": %.1f, \"p99\": %.1f, \"p999\": %.1f, \"max\": %.1f}\n", late[total / 2] / 1e3,
           late[total - 1 - total / 100] / 1e3, late[total - 1 - total / 1000] / 1e3, late[total - 1] / 1e3);
    return 0;
}
