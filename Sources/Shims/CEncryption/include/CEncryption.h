// System calls for directories whose files the kernel encrypts, which Swift cannot see: linux/fscrypt.h, policies of version
// 2; the mount and the attributes of a file.
#ifndef CENCRYPTION_H
#define CENCRYPTION_H
#include <stdbool.h>
#include <stdint.h>

enum { FSCRYPT_IDENTIFIER_BYTES = 16 };

// Gives a file system a key, of which it tells the identifier. `directory` is any directory there. A key that is there
// already stays. Returns 0, or -1 with an errno: EOPNOTSUPP or ENOTTY where the file system cannot encrypt.
int fscrypt_add_key(int directory, const uint8_t *key, uint32_t count, uint8_t *identifier);

// Takes a key away from a file system, whoever gave it. Returns 0, or -1 with an errno: ENOKEY when it is not there. With
// `still_open` some files were open, which their programs can go on to read; called again, it tries these once more.
int fscrypt_remove_key(int directory, const uint8_t *identifier, bool *still_open);

// 1 when the key is there, 0 when it is not, or not whole any more; -1 with an errno.
int fscrypt_has_key(int directory, const uint8_t *identifier);

// From now on files in this empty directory are encrypted under a key that is there: AES-256-XTS, names AES-256-CTS.
// Returns 0, or -1 with an errno: ENOTEMPTY, EEXIST when it has another key.
int fscrypt_encrypt(int directory, const uint8_t *identifier);

// The identifier of the key of a directory. Returns 0, or -1 with an errno: ENODATA when nothing encrypts it, EINVAL for a
// policy that is not of version 2, EOPNOTSUPP or ENOTTY where the file system cannot encrypt.
int fscrypt_identifier(int directory, uint8_t *identifier);

// What the file system says of an entry.
struct file_place {
  bool is_encrypted, is_mount_point;
};

// A link is not followed. Returns 0, or -1 with an errno: ENOTCONN where a mount's program has ended.
int look_at_place(const char *path, struct file_place *place);

// Ends a mount of FUSE at once, whoever uses it: what programs have written reaches the disk, and each file that they have
// open fails from then on. A link is not followed. Returns 0, or -1 with an errno: EINVAL when nothing is mounted there.
int end_mount(const char *path);
#endif
