#define _GNU_SOURCE
#include "CEncryption.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/fscrypt.h>
#include <linux/magic.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

static struct fscrypt_key_specifier named(const uint8_t *identifier) {
  struct fscrypt_key_specifier key = {.type = FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER};
  memcpy(key.u.identifier, identifier, FSCRYPT_IDENTIFIER_BYTES);
  return key;
}

int fscrypt_add_key(int directory, const uint8_t *key, uint32_t count, uint8_t *identifier) {
  union {
    struct fscrypt_add_key_arg argument;
    uint8_t bytes[sizeof(struct fscrypt_add_key_arg) + FSCRYPT_MAX_KEY_SIZE];
  } wanted = {.argument = {.key_spec.type = FSCRYPT_KEY_SPEC_TYPE_IDENTIFIER, .raw_size = count}};
  if (count > FSCRYPT_MAX_KEY_SIZE) return errno = EINVAL, -1;
  memcpy(wanted.argument.raw, key, count);
  int result = ioctl(directory, FS_IOC_ADD_ENCRYPTION_KEY, &wanted);
  memcpy(identifier, wanted.argument.key_spec.u.identifier, FSCRYPT_IDENTIFIER_BYTES);
  explicit_bzero(&wanted, sizeof wanted);
  return result;
}

int fscrypt_remove_key(int directory, const uint8_t *identifier, bool *still_open) {
  struct fscrypt_remove_key_arg wanted = {.key_spec = named(identifier)};
  int result = ioctl(directory, FS_IOC_REMOVE_ENCRYPTION_KEY_ALL_USERS, &wanted);
  *still_open = !result && wanted.removal_status_flags & FSCRYPT_KEY_REMOVAL_STATUS_FLAG_FILES_BUSY;
  return result;
}

int fscrypt_has_key(int directory, const uint8_t *identifier) {
  struct fscrypt_get_key_status_arg wanted = {.key_spec = named(identifier)};
  if (ioctl(directory, FS_IOC_GET_ENCRYPTION_KEY_STATUS, &wanted)) return -1;
  return wanted.status == FSCRYPT_KEY_STATUS_PRESENT;
}

int fscrypt_encrypt(int directory, const uint8_t *identifier) {
  struct fscrypt_policy_v2 policy = {
      .version = FSCRYPT_POLICY_V2,
      .contents_encryption_mode = FSCRYPT_MODE_AES_256_XTS,
      .filenames_encryption_mode = FSCRYPT_MODE_AES_256_CTS,
      // Names are padded, so that their length tells little.
      .flags = FSCRYPT_POLICY_FLAGS_PAD_32,
  };
  memcpy(policy.master_key_identifier, identifier, FSCRYPT_IDENTIFIER_BYTES);
  return ioctl(directory, FS_IOC_SET_ENCRYPTION_POLICY, &policy);
}

int fscrypt_identifier(int directory, uint8_t *identifier) {
  struct fscrypt_get_policy_ex_arg found = {.policy_size = sizeof found.policy};
  if (ioctl(directory, FS_IOC_GET_ENCRYPTION_POLICY_EX, &found)) return -1;
  if (found.policy.version != FSCRYPT_POLICY_V2) return errno = EINVAL, -1;
  memcpy(identifier, found.policy.v2.master_key_identifier, FSCRYPT_IDENTIFIER_BYTES);
  return 0;
}

int look_at_place(const char *path, struct file_place *place) {
  struct statx found;
  if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_BASIC_STATS, &found)) return -1;
  *place = (struct file_place){
      .is_encrypted = found.stx_attributes & STATX_ATTR_ENCRYPTED,
      .is_mount_point = found.stx_attributes & STATX_ATTR_MOUNT_ROOT,
  };
  return 0;
}

int end_mount(const char *path) {
  int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory >= 0) {
    struct statfs found;
    // Pages that a program has written into its memory. An error changes nothing: the mount has to end.
    if (!fstatfs(directory, &found) && found.f_type == FUSE_SUPER_MAGIC) syncfs(directory);
    close(directory);
  }
  // By force the kernel ends the connection to the mount's program, even where it then says EBUSY.
  if (!umount2(path, MNT_FORCE | UMOUNT_NOFOLLOW)) return 0;
  return umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW);
}
