#include "CCrypto.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_once_t started = PTHREAD_ONCE_INIT;
static EVP_MD *sha256;
static pthread_key_t kept;

static void forget(void *context) { EVP_MD_CTX_free(context); }

// No handler at exit: another thread may hash its last line while the program ends.
static void start(void) {
  if (!OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, NULL)) abort();
  sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
  if (!sha256 || pthread_key_create(&kept, forget)) abort();
}

static void demand(int worked) {
  if (!worked) abort();
}

static EVP_MD_CTX *context(void) {
  EVP_MD_CTX *new = EVP_MD_CTX_new();
  demand(new != NULL);
  return new;
}

// The context that this thread keeps.
static EVP_MD_CTX *own(void) {
  pthread_once(&started, start);
  EVP_MD_CTX *own = pthread_getspecific(kept);
  if (own) return own;
  own = context();
  demand(pthread_setspecific(kept, own) == 0);
  return own;
}

EVP_MD_CTX *ccrypto_sha256_new(void) {
  pthread_once(&started, start);
  EVP_MD_CTX *hash = context();
  demand(EVP_DigestInit_ex2(hash, sha256, NULL));
  return hash;
}

EVP_MD_CTX *ccrypto_sha256_copy(const EVP_MD_CTX *hash) {
  EVP_MD_CTX *copy = context();
  demand(EVP_MD_CTX_copy_ex(copy, hash));
  return copy;
}

void ccrypto_sha256_free(EVP_MD_CTX *hash) { EVP_MD_CTX_free(hash); }

void ccrypto_sha256_update(EVP_MD_CTX *hash, const void *bytes, size_t count) {
  demand(EVP_DigestUpdate(hash, bytes, count));
}

void ccrypto_sha256_digest(const EVP_MD_CTX *hash, uint8_t digest[CCRYPTO_SHA256_BYTES]) {
  EVP_MD_CTX *copy = own();
  demand(EVP_MD_CTX_copy_ex(copy, hash) && EVP_DigestFinal_ex(copy, digest, NULL));
}

void ccrypto_sha256(const void *bytes, size_t count, uint8_t digest[CCRYPTO_SHA256_BYTES]) {
  EVP_MD_CTX *hash = own();
  demand(EVP_DigestInit_ex2(hash, sha256, NULL) && EVP_DigestUpdate(hash, bytes, count) &&
         EVP_DigestFinal_ex(hash, digest, NULL));
}

void ccrypto_hmac_sha256(const void *key, size_t key_count, const void *bytes, size_t count,
                         uint8_t code[CCRYPTO_SHA256_BYTES]) {
  pthread_once(&started, start);
  demand(HMAC(sha256, key, (int)key_count, bytes, count, code, NULL) != NULL);
}
