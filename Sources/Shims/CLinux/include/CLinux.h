// Parts of the Linux headers that Swift cannot see: the kernel's facts about a peer, the state of its clock, names and
// priorities of threads.
#ifndef CLINUX_H
#define CLINUX_H
#include <stdint.h>
#include <sys/types.h>

// Socket options of level SOL_SOCKET.
enum { PEER_CREDENTIALS = 17, PEER_LABEL = 31, PEER_GROUPS = 59, PEER_PROCESS = 77 };

// SO_PEERCRED: `struct ucred`, which Swift cannot see.
struct peer_credentials {
  pid_t pid;
  uid_t uid;
  gid_t gid;
};

// SO_PEERGROUPS: the supplementary groups; the rest of the array is zero.
enum { PEER_GROUPS_MAXIMUM = 1024 };
struct peer_groups {
  gid_t groups[PEER_GROUPS_MAXIMUM];
};

// SO_PEERSEC: the AppArmor or SELinux label, ended by a NUL.
enum { PEER_LABEL_MAXIMUM = 512 };
struct peer_label {
  char text[PEER_LABEL_MAXIMUM];
};

// Copies the groups into `groups`, which has room for PEER_GROUPS_MAXIMUM; returns their number. Group 0 behind
// the last other one looks like the end, and counts as none.
int peer_groups_copy(const struct peer_groups *peer, gid_t *groups);

// 1 when a service keeps the system's clock right (adjtimex), else 0, or -1 when the kernel does not say.
int clock_is_synchronised(void);

// Gives the calling thread the processor only when no other thread wants it (SCHED_IDLE); returns 0, or an errno. Where
// that is not allowed, the thread gets the lowest priority (nice 19).
int run_when_idle(void);

// The name under which the system shows the calling thread; at most 15 bytes.
void name_this_thread(const char *name);

// The owners of a subordinate uid, from the machine's own library (libsubid), which knows every source that the machine
// uses. Writes at most `room` owners; returns their number, at most `room`, or -1 when the library is missing or fails.
// Any thread may call it; calls run one at a time.
int subordinate_uid_owners(uid_t uid, uid_t *owners, int room);

// Gives a directory an access list: its owner may do everything, one more user may list and enter it, and nobody else
// may do anything. Returns 0, or -1 with an errno. A link is not followed.
int let_user_read_directory(const char *path, uid_t uid);
#endif
