#define _GNU_SOURCE
#include "CLinux.h"
#include <dlfcn.h>
#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <sys/xattr.h>

_Static_assert(SO_PEERCRED == PEER_CREDENTIALS && SO_PEERSEC == PEER_LABEL && SO_PEERGROUPS == PEER_GROUPS,
               "socket option numbers");
_Static_assert(sizeof(struct peer_credentials) == sizeof(struct ucred), "layout of ucred");

int peer_groups_copy(const struct peer_groups *peer, gid_t *groups) {
  int count = PEER_GROUPS_MAXIMUM;
  while (count > 0 && peer->groups[count - 1] == 0) count--;
  for (int index = 0; index < count; index++) groups[index] = peer->groups[index];
  return count;
}

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

// libsubid is not linked: machines without containers do not have it, and its name differs between releases.
typedef int owners_function(uid_t uid, uid_t **owners);
typedef bool init_function(const char *program, FILE *messages);

static pthread_mutex_t subid_lock = PTHREAD_MUTEX_INITIALIZER;

static owners_function *subid_owners(void) {
  static const char *const files[] = {"libsubid.so.5", "libsubid.so.4", "libsubid.so.3"};
  for (size_t index = 0; index < sizeof files / sizeof *files; index++) {
    void *library = dlopen(files[index], RTLD_NOW | RTLD_LOCAL);
    if (!library) continue;
    owners_function *found = (owners_function *)dlsym(library, "subid_get_uid_owners");
    if (!found) found = (owners_function *)dlsym(library, "get_subuid_owners");
    // Without this call the library writes to standard error.
    init_function *begin = (init_function *)dlsym(library, "subid_init");
    if (!begin) begin = (init_function *)dlsym(library, "libsubid_init");
    if (found && begin && begin("webviewguard", NULL)) return found;
    dlclose(library);
  }
  return NULL;
}

int subordinate_uid_owners(uid_t uid, uid_t *owners, int room) {
  static owners_function *function;
  static bool was_sought;
  pthread_mutex_lock(&subid_lock);
  if (!was_sought) function = subid_owners();
  was_sought = true;
  uid_t *found = NULL;
  int count = function ? function(uid, &found) : -1;
  for (int index = 0; index < count && index < room; index++) owners[index] = found[index];
  free(found);
  pthread_mutex_unlock(&subid_lock);
  return count < room ? count : room;
}

// The layout of `system.posix_acl_access` (linux/posix_acl_xattr.h): a version, then entries by tag.
struct access_entry {
  uint16_t tag, rights;
  uint32_t uid;
};

int let_user_read_directory(const char *path, uid_t uid) {
  enum { OWNER = 1, USER = 2, GROUP = 4, MASK = 16, OTHERS = 32, READ = 4, WRITE = 2, ENTER = 1, NO_UID = -1 };
  struct {
    uint32_t version;
    struct access_entry entries[5];
  } list = {htole32(2),
            {{htole16(OWNER), htole16(READ | WRITE | ENTER), NO_UID},
             {htole16(USER), htole16(READ | ENTER), htole32(uid)},
             {htole16(GROUP), 0, NO_UID},
             {htole16(MASK), htole16(READ | ENTER), NO_UID},
             {htole16(OTHERS), 0, NO_UID}}};
  return lsetxattr(path, "system.posix_acl_access", &list, sizeof list, 0);
}
