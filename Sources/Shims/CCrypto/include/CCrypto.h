#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <openssl/types.h>
#include <stddef.h>
#include <stdint.h>

// SHA-256, HMAC-SHA256, HKDF, AES-256-GCM and X25519 of libcrypto. The library starts without a configuration file, because `OPENSSL_CONF` may
// name one that loads code. Without SHA-256, AES or memory the program ends: no function here could work.

#define CCRYPTO_SHA256_BYTES 32

// A new hash. The caller frees it with `ccrypto_sha256_free`.
EVP_MD_CTX *ccrypto_sha256_new(void);
EVP_MD_CTX *ccrypto_sha256_copy(const EVP_MD_CTX *hash);
void ccrypto_sha256_free(EVP_MD_CTX *hash);
void ccrypto_sha256_update(EVP_MD_CTX *hash, const void *bytes, size_t count);

// The digest of all bytes fed to `hash` so far. It accepts more bytes afterwards.
void ccrypto_sha256_digest(const EVP_MD_CTX *hash, uint8_t digest[CCRYPTO_SHA256_BYTES]);

// The digest of the given bytes, in a context that the thread keeps.
void ccrypto_sha256(const void *bytes, size_t count, uint8_t digest[CCRYPTO_SHA256_BYTES]);

// RFC 2104.
void ccrypto_hmac_sha256(const void *key, size_t key_count, const void *bytes, size_t count,
                         uint8_t code[CCRYPTO_SHA256_BYTES]);

// Longest `info` of a derivation, in bytes. RFC 5869 has none; its test vectors take 80.
#define CCRYPTO_HKDF_INFO_BYTES 512

// RFC 5869, extract and expand. Fills `count` bytes, at most 255 times 32. Everything between is wiped. The program ends
// when `info` or `count` is too long.
void ccrypto_hkdf_sha256(const void *secret, size_t secret_count, const void *salt, size_t salt_count, const void *info,
                         size_t info_count, uint8_t *key, size_t count);

#define CCRYPTO_AES_KEY_BYTES 32
#define CCRYPTO_GCM_NONCE_BYTES 12
#define CCRYPTO_GCM_TAG_BYTES 16

// AES-256-GCM (NIST SP 800-38D) under one key, for any number of pieces in one direction. The caller frees it with
// `ccrypto_gcm_free`, which wipes what was made of the key.
EVP_CIPHER_CTX *ccrypto_gcm_new(const uint8_t key[CCRYPTO_AES_KEY_BYTES], int seals);
void ccrypto_gcm_free(EVP_CIPHER_CTX *cipher);

// Writes `count` bytes, and the tag of 16 bytes behind them. Allocates nothing.
void ccrypto_gcm_seal(EVP_CIPHER_CTX *cipher, const uint8_t nonce[CCRYPTO_GCM_NONCE_BYTES], const void *additional,
                      size_t additional_count, const void *text, size_t count, uint8_t *sealed);

// Opens `count` bytes that have a tag of 16 bytes behind them. Returns 1, or 0 for bytes, additional data, nonce or key
// that differ from those at sealing; `text` is wiped then. Allocates nothing.
int ccrypto_gcm_open(EVP_CIPHER_CTX *cipher, const uint8_t nonce[CCRYPTO_GCM_NONCE_BYTES], const void *additional,
                     size_t additional_count, const uint8_t *sealed, size_t count, uint8_t *text);

#define CCRYPTO_X25519_BYTES 32

// The public key of a private one (RFC 7748).
void ccrypto_x25519_public(const uint8_t private_key[CCRYPTO_X25519_BYTES], uint8_t public_key[CCRYPTO_X25519_BYTES]);

// The secret that both owners of two key pairs can compute. Returns 1, or 0 for a public key of low order, with which
// everybody could; `shared` is wiped then.
int ccrypto_x25519(const uint8_t private_key[CCRYPTO_X25519_BYTES], const uint8_t public_key[CCRYPTO_X25519_BYTES],
                   uint8_t shared[CCRYPTO_X25519_BYTES]);

// Overwrites bytes; no compiler leaves it out.
void ccrypto_wipe(void *bytes, size_t count);

// Whether `count` bytes are equal; takes as long for every difference.
int ccrypto_equal(const void *left, const void *right, size_t count);

#endif
