#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <openssl/types.h>
#include <stddef.h>
#include <stdint.h>

// SHA-256 and HMAC-SHA256 of libcrypto. The library starts without a configuration file, because `OPENSSL_CONF` may
// name one that loads code. Without SHA-256 or memory the program ends: no function here could work.

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

#endif
