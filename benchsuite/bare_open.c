/* A bare open loop: keeps an exact schedule with epoll and one timerfd, parses nothing, measures its own lag.
 * It is the floor that the open model of nmax is compared with. One thread, keep-alive, fixed-size replies.
 *
 * Usage: bare_open PORT RATE SECONDS SLACK_US CONNECTIONS
 *
 * SLACK_US: one wake-up serves everything that is due within this time (0: a wake-up per start).
 * Prints: starts, completions, lag p50 and p99 (sent - due, us), response p50 and p99 (done - due, us), connections used, CPU us per exchange.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000ull + t.tv_nsec; }
static int by_size(const void *a, const void *b) { uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b; return (x > y) - (x < y); }

int main(int argc, char **argv) {
    if (argc != 6) return fprintf(stderr, "usage: %s PORT RATE SECONDS SLACK_US CONNECTIONS\n", argv[0]), 2;
    const double rate = atof(argv[2]), seconds = atof(argv[3]);
    const uint64_t slack = (uint64_t)(atof(argv[4]) * 1000), total = (uint64_t)(rate * seconds);
    const int connections = atoi(argv[5]);
    const char *request = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    const size_t request_bytes = strlen(request);
    prctl(PR_SET_TIMERSLACK, 1);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int ep = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
    struct epoll_event ev = {.events = EPOLLIN | EPOLLET, .data.u32 = UINT32_MAX};
    epoll_ctl(ep, EPOLL_CTL_ADD, timer, &ev);
    int *fds = calloc(connections, sizeof *fds), *idle = calloc(connections, sizeof *idle), idles = 0, used = 0;
    uint64_t *due_of = calloc(connections, sizeof *due_of);
    uint32_t *lag = calloc(total + 1, 4), *response = calloc(total + 1, 4);
    for (int i = 0; i < connections; i++) {
        fds[i] = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(fds[i], (struct sockaddr *)&to, sizeof to)) return perror("connect"), 1;
        int one = 1; setsockopt(fds[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        ev = (struct epoll_event){.events = EPOLLIN | EPOLLET, .data.u32 = i};
        epoll_ctl(ep, EPOLL_CTL_ADD, fds[i], &ev);
        idle[idles++] = connections - 1 - i; /* popped from the end: few connections stay warm */
    }
    for (int i = 0; i < connections; i++) idle[i] = connections - 1 - i;
    char buffer[65536];
    struct epoll_event events[256];
    struct rusage a, b; getrusage(RUSAGE_SELF, &a);
    uint64_t start = now() + 1000000, next = 0, done = 0, armed = 0, at, wakes = 0, arms = 0;
    while (done < total) {
        at = now();
        while (next < total && idles > 0) {
            uint64_t due = start + (uint64_t)(next * 1e9 / rate);
            if (due > at) break;
            int c = idle[--idles]; if (c + 1 > used) used = c + 1;
            due_of[c] = due;
            uint64_t sent = now();
            if (send(fds[c], request, request_bytes, MSG_NOSIGNAL) != (ssize_t)request_bytes) return perror("send"), 1;
            lag[next++] = (uint32_t)((sent - due) / 1000);
        }
        if (next < total && idles > 0) {
            uint64_t due = start + (uint64_t)(next * 1e9 / rate) + slack;
            if (armed <= at) {
                struct itimerspec when = {.it_value = {due / 1000000000ull, due % 1000000000ull}};
                timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL); armed = due; arms++;
            }
        }
        int n = epoll_wait(ep, events, 256, 1000); wakes++;
        for (int i = 0; i < n; i++) {
            uint32_t c = events[i].data.u32;
            if (c == UINT32_MAX) { uint64_t ticks; if (read(timer, &ticks, 8) < 0 && errno != EAGAIN) return 1; armed = 0; continue; }
            ssize_t got = recv(fds[c], buffer, sizeof buffer, MSG_DONTWAIT);
            if (got < 0 && errno == EAGAIN) continue;
            if (got <= 0) return perror("recv"), 1;
            response[done++] = (uint32_t)((now() - due_of[c]) / 1000); idle[idles++] = c;
        }
    }
    getrusage(RUSAGE_SELF, &b);
    double cpu = (b.ru_utime.tv_sec - a.ru_utime.tv_sec + b.ru_stime.tv_sec - a.ru_stime.tv_sec) * 1e6 + b.ru_utime.tv_usec - a.ru_utime.tv_usec + b.ru_stime.tv_usec - a.ru_stime.tv_usec;
    qsort(lag, total, 4, by_size); qsort(response, total, 4, by_size);
    printf("starts %lu done %lu lag_us p50 %u p99 %u response_us p50 %u p99 %u connections %d wakes/exchange %.2f arms/exchange %.2f cpu_us/exchange %.2f\n",
           (unsigned long)next, (unsigned long)done, lag[total / 2], lag[total * 99 / 100], response[total / 2], response[total * 99 / 100], used, (double)wakes / total, (double)arms / total, cpu / total);
    return 0;
}
