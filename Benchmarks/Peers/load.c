// Asks a server on a Unix stream socket as fast as it answers, or at a given rate, and tells how fast it did.
//
//   load SOCKET CONNECTIONS DEPTH SECONDS TERMINATOR PER_REPLY REQUEST_FILE [RATE [PROLOGUE_FILE]]
//
// Every connection keeps DEPTH copies of the request in flight, and sends the next DEPTH when all replies are in. A reply
// ends with PER_REPLY bytes of value TERMINATOR (varlink: 0 and 1; GET of Redis: 10 and 2). RATE is how many batches a
// second all connections send together, evenly spaced; 0 is as many as can be. With a rate it polls without sleeping, so
// that its own pace adds nothing to the latencies. The prologue is sent once on each connection before the clock runs,
// and holds as many requests as terminators.
//
// Prints one JSON object: replies a second, and the latency of a batch in microseconds.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { SAMPLES = 1 << 22, EVENTS = 512, READ_BYTES = 1 << 18, TEXT_BYTES = 1 << 16 };

struct text { char *bytes; size_t length; };
struct connection { int fd; long pending; double sentAt; };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static struct text contents(const char *name) {
  FILE *file = fopen(name, "rb");
  struct text text = {malloc(TEXT_BYTES), 0};
  if (!file || !text.bytes) fail(name);
  text.length = fread(text.bytes, 1, TEXT_BYTES, file);
  fclose(file);
  return text;
}

static struct text repeated(struct text one, long count) {
  struct text all = {malloc(one.length * (size_t)count), one.length * (size_t)count};
  if (!all.bytes) fail("malloc");
  for (long i = 0; i < count; i++) memcpy(all.bytes + (size_t)i * one.length, one.bytes, one.length);
  return all;
}

static long occurrences(const char *bytes, size_t length, int terminator) {
  long count = 0;
  for (const char *at = bytes, *end = bytes + length; (at = memchr(at, terminator, (size_t)(end - at))); at++) {
    count++;
    if (at + 1 == end) break;
  }
  return count;
}

static int connectTo(const char *name) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(name) >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    fail(name);
  }
  strcpy(address.sun_path, name);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address)) fail("connect");
  return fd;
}

static void sendAll(int fd, struct text text) {
  for (size_t sent = 0; sent < text.length;) {
    ssize_t n = write(fd, text.bytes + sent, text.length - sent);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("write");
    sent += (size_t)n;
  }
}

static void sendBatch(struct connection *c, struct text batch, long terminators) {
  c->pending = terminators;
  c->sentAt = now();
  sendAll(c->fd, batch);
}

static long receive(int fd, int terminator) {
  static char buffer[READ_BYTES];
  ssize_t got = read(fd, buffer, READ_BYTES);
  if (got <= 0) {
    fprintf(stderr, "load: the server closed a connection\n");
    exit(1);
  }
  return occurrences(buffer, (size_t)got, terminator);
}

static void introduce(int fd, struct text prologue, int terminator, long perReply) {
  long missing = occurrences(prologue.bytes, prologue.length, terminator) * perReply;
  sendAll(fd, prologue);
  while (missing > 0) missing -= receive(fd, terminator);
}

static void report(long connections, long depth, long replies, double seconds, double *latency, long samples) {
  if (!samples) {
    fprintf(stderr, "load: no reply\n");
    exit(1);
  }
  qsort(latency, (size_t)samples, sizeof *latency, ascending);
  printf("{\"connections\":%ld,\"depth\":%ld,\"replies\":%ld,\"perSecond\":%.0f,\"p50\":%.1f,\"p99\":%.1f,"
         "\"p999\":%.1f,\"max\":%.1f}\n",
         connections, depth, replies, (double)replies / seconds, latency[samples / 2] * 1e6,
         latency[(long)((double)samples * .99)] * 1e6, latency[(long)((double)samples * .999)] * 1e6,
         latency[samples - 1] * 1e6);
}

int main(int argc, char **argv) {
  if (argc < 8) {
    fprintf(stderr, "usage: load SOCKET CONNECTIONS DEPTH SECONDS TERMINATOR PER_REPLY REQUEST_FILE [RATE [PROLOGUE]]\n");
    return 2;
  }
  long connections = atol(argv[2]), depth = atol(argv[3]), perReply = atol(argv[6]);
  double seconds = atof(argv[4]), rate = argc > 8 ? atof(argv[8]) : 0;
  int terminator = atoi(argv[5]);
  struct text request = contents(argv[7]);
  if (!request.length || connections < 1 || depth < 1 || perReply < 1) {
    fprintf(stderr, "load: nothing to send\n");
    return 2;
  }
  struct text batch = repeated(request, depth);
  struct connection *all = calloc((size_t)connections, sizeof *all);
  struct connection **idle = calloc((size_t)connections, sizeof *idle);
  double *latency = malloc(SAMPLES * sizeof *latency);
  int poller = epoll_create1(EPOLL_CLOEXEC);
  if (!all || !idle || !latency || poller < 0) fail("start");
  for (long i = 0; i < connections; i++) {
    all[i].fd = connectTo(argv[1]);
    if (argc > 9) introduce(all[i].fd, contents(argv[9]), terminator, perReply);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = (uint64_t)i};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, all[i].fd, &event)) fail("epoll_ctl");
  }

  double start = now();
  long batches = 0, samples = 0, replies = 0, waiting = 0;
  for (; batches < connections; batches++) {
    if (rate > 0) {
      idle[waiting++] = &all[batches];
    } else {
      sendBatch(&all[batches], batch, depth * perReply);
    }
  }
  if (rate > 0) batches = 0;
  struct epoll_event events[EVENTS];
  while (now() - start < seconds) {
    while (waiting && (double)batches / rate <= now() - start) {
      sendBatch(idle[--waiting], batch, depth * perReply);
      batches++;
    }
    int ready = epoll_wait(poller, events, EVENTS, rate > 0 ? 0 : 100);
    for (int e = 0; e < ready; e++) {
      struct connection *c = &all[events[e].data.u64];
      long got = receive(c->fd, terminator);
      c->pending -= got;
      replies += got;
      if (c->pending > 0) continue;
      if (samples < SAMPLES) latency[samples++] = now() - c->sentAt;
      if (rate > 0) {
        idle[waiting++] = c;
      } else {
        sendBatch(c, batch, depth * perReply);
        batches++;
      }
    }
  }
  report(connections, depth, replies / perReply, now() - start, latency, samples);
  return 0;
}
