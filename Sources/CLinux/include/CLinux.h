// What the Linux headers hide from Swift: what the kernel knows of a peer, the state of its clock, names and priorities of threads.
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

// SO_PEERGROUPS: the supplementary groups; what lies behind the last is zero.
enum { PEER_GROUPS_MAXIMUM = 1024 };
struct peer_groups {
  gid_t groups[PEER_GROUPS_MAXIMUM];
};

// SO_PEERSEC: the AppArmor or SELinux label, ended by a NUL.
enum { PEER_LABEL_MAXIMUM = 512 };
struct peer_label {
  char text[PEER_LABEL_MAXIMUM];
};

// Copies the groups into `groups`, which has room for PEER_GROUPS_MAXIMUM; returns how many. Group 0 behind the last
// other one cannot be told from none, and counts as none.
int peer_groups_copy(const struct peer_groups *peer, gid_t *groups);

// Whether somebody keeps the system's clock right (adjtimex): 1, 0, or -1 when the kernel does not say.
int clock_is_synchronised(void);

// Gives the calling thread the processor only when nobody else wants it (SCHED_IDLE); returns 0, or an errno. Where that
// is not allowed the thread gets the lowest priority (nice 19).
int run_when_idle(void);

// The name under which the system shows the calling thread; at most 15 bytes.
void name_this_thread(const char *name);

// Whose subordinate uid this is, by the machine's own library (libsubid), which knows every source that the machine uses.
// Writes at most `room` owners; returns how many there are, at most `room`, or -1 when there is no such library or it fails.
// Any thread may call it, one at a time is served.
int subordinate_uid_owners(uid_t uid, uid_t *owners, int room);
#endif
