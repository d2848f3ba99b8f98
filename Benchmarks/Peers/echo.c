// The floor: a server on one thread that sends back what it reads, on a Unix stream socket.
//
//   echo SOCKET
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { EVENTS = 256, READ_BYTES = 1 << 16 };

static int listenOn(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  unlink(path);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1024)) return -1;
  return listener;
}

static void watch(int poller, int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
  if (fd >= 0 && epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event)) close(fd);
}

static void sendBack(int fd) {
  static char buffer[READ_BYTES];
  ssize_t got = read(fd, buffer, sizeof buffer);
  // A generator that has seen enough closes with answers on their way: that must not end the others.
  if (got <= 0 || send(fd, buffer, (size_t)got, MSG_NOSIGNAL) != got) close(fd);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: echo SOCKET\n");
    return 2;
  }
  int listener = listenOn(argv[1]), poller = epoll_create1(EPOLL_CLOEXEC);
  if (listener < 0 || poller < 0) {
    perror(argv[1]);
    return 1;
  }
  watch(poller, listener);
  struct epoll_event ready[EVENTS];
  for (;;) {
    int count = epoll_wait(poller, ready, EVENTS, -1);
    for (int i = 0; i < count; i++) {
      if (ready[i].data.fd == listener) {
        watch(poller, accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC));
      } else {
        sendBack(ready[i].data.fd);
      }
    }
  }
}
