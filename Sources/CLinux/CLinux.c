#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timex.h>

_Static_assert(SO_PEERCRED == PEER_CREDENTIALS && SO_PEERSEC == PEER_LABEL && SO_PEERGROUPS == PEER_GROUPS,
               "socket option numbers");
_Static_assert(sizeof(struct peer_credentials) == sizeof(struct ucred), "layout of ucred");

int peer_groups_copy(const struct peer_groups *peer, gid_t *groups) {
  int count = PEER_GROUPS_MAXIMUM;
  while (count > 0 && peer->groups[count - 1] == 0) count--;
  for (int index = 0; index < count; index++) groups[index] = peer->groups[index];
  return count;
}

int lock_exclusively(int descriptor) {
  return flock(descriptor, LOCK_EX | LOCK_NB) ? errno : 0;
}

void lock_release(int descriptor) { flock(descriptor, LOCK_UN); }

int clock_is_synchronised(void) {
  struct timex time = {0};
  int state = adjtimex(&time);
  return state < 0 ? -1 : state != TIME_ERROR && !(time.status & STA_UNSYNC);
}

int run_when_idle(void) {
  struct sched_param none = {0};
  if (!sched_setscheduler(0, SCHED_IDLE, &none)) return 0;
  int error = errno;
  setpriority(PRIO_PROCESS, 0, 19);
  return error;
}

void name_this_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
