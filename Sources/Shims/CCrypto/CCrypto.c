#include "CCrypto.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t started = PTHREAD_ONCE_INIT;
static EVP_MD *sha256;
static EVP_CIPHER *aes256gcm;
static pthread_key_t kept;

static void forget(void *context) { EVP_MD_CTX_free(context); }

// No handler at exit: another thread may hash its last line while the program ends.
static void start(void) {
  if (!OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, NULL)) abort();
  sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
  aes256gcm = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
  if (!sha256 || !aes256gcm || pthread_key_create(&kept, forget)) abort();
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

void ccrypto_hkdf_sha256(const void *secret, size_t secret_count, const void *salt, size_t salt_count, const void *info,
                         size_t info_count, uint8_t *key, size_t count) {
  demand(info_count <= CCRYPTO_HKDF_INFO_BYTES && count <= 255 * CCRYPTO_SHA256_BYTES);
  uint8_t extracted[CCRYPTO_SHA256_BYTES], block[CCRYPTO_SHA256_BYTES];
  uint8_t text[CCRYPTO_SHA256_BYTES + CCRYPTO_HKDF_INFO_BYTES + 1];
  // HMAC takes no key for the key of the call before; an empty one is as good as zeros.
  ccrypto_hmac_sha256(salt_count ? salt : "", salt_count, secret, secret_count, extracted);
  size_t before = 0;
  for (uint8_t number = 1; count > 0; number++) {
    memcpy(text, block, before);
    if (info_count) memcpy(text + before, info, info_count);
    text[before + info_count] = number;
    ccrypto_hmac_sha256(extracted, sizeof extracted, text, before + info_count + 1, block);
    before = sizeof block;
    size_t part = count < sizeof block ? count : sizeof block;
    memcpy(key, block, part);
    key += part;
    count -= part;
  }
  OPENSSL_cleanse(extracted, sizeof extracted);
  OPENSSL_cleanse(block, sizeof block);
  OPENSSL_cleanse(text, sizeof text);
}

EVP_CIPHER_CTX *ccrypto_gcm_new(const uint8_t key[CCRYPTO_AES_KEY_BYTES], int seals) {
  pthread_once(&started, start);
  EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
  demand(cipher != NULL && EVP_CipherInit_ex2(cipher, aes256gcm, key, NULL, seals, NULL));
  return cipher;
}

void ccrypto_gcm_free(EVP_CIPHER_CTX *cipher) { EVP_CIPHER_CTX_free(cipher); }

// One piece through the cipher; without `to` it is additional data.
static void feed(EVP_CIPHER_CTX *cipher, uint8_t *to, const void *bytes, size_t count) {
  int written = 0;
  demand(count <= INT_MAX);
  if (count) demand(EVP_CipherUpdate(cipher, to, &written, bytes, (int)count));
}

// Begins a piece, in the direction of the context.
static void begin(EVP_CIPHER_CTX *cipher, const uint8_t *nonce, const void *additional, size_t count) {
  demand(EVP_CipherInit_ex2(cipher, NULL, NULL, nonce, -1, NULL));
  feed(cipher, NULL, additional, count);
}

void ccrypto_gcm_seal(EVP_CIPHER_CTX *cipher, const uint8_t nonce[CCRYPTO_GCM_NONCE_BYTES], const void *additional,
                      size_t additional_count, const void *text, size_t count, uint8_t *sealed) {
  uint8_t *tag = sealed + count;
  int written = 0;
  begin(cipher, nonce, additional, additional_count);
  feed(cipher, sealed, text, count);
  demand(EVP_CipherFinal_ex(cipher, tag, &written) &&
         EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, CCRYPTO_GCM_TAG_BYTES, tag));
}

int ccrypto_gcm_open(EVP_CIPHER_CTX *cipher, const uint8_t nonce[CCRYPTO_GCM_NONCE_BYTES], const void *additional,
                     size_t additional_count, const uint8_t *sealed, size_t count, uint8_t *text) {
  uint8_t tag[CCRYPTO_GCM_TAG_BYTES], rest[CCRYPTO_GCM_TAG_BYTES];
  int written = 0;
  memcpy(tag, sealed + count, sizeof tag);
  begin(cipher, nonce, additional, additional_count);
  feed(cipher, text, sealed, count);
  demand(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, sizeof tag, tag));
  int authentic = EVP_CipherFinal_ex(cipher, rest, &written) > 0;
  if (!authentic && count) OPENSSL_cleanse(text, count);
  return authentic;
}

static EVP_PKEY *x25519_private(const uint8_t *bytes) {
  pthread_once(&started, start);
  EVP_PKEY *key = EVP_PKEY_new_raw_private_key_ex(NULL, "X25519", NULL, bytes, CCRYPTO_X25519_BYTES);
  demand(key != NULL);
  return key;
}

void ccrypto_x25519_public(const uint8_t private_key[CCRYPTO_X25519_BYTES], uint8_t public_key[CCRYPTO_X25519_BYTES]) {
  EVP_PKEY *key = x25519_private(private_key);
  size_t count = CCRYPTO_X25519_BYTES;
  demand(EVP_PKEY_get_raw_public_key(key, public_key, &count) == 1 && count == CCRYPTO_X25519_BYTES);
  EVP_PKEY_free(key);
}

int ccrypto_x25519(const uint8_t private_key[CCRYPTO_X25519_BYTES], const uint8_t public_key[CCRYPTO_X25519_BYTES],
                   uint8_t shared[CCRYPTO_X25519_BYTES]) {
  EVP_PKEY *own = x25519_private(private_key);
  EVP_PKEY *peer = EVP_PKEY_new_raw_public_key_ex(NULL, "X25519", NULL, public_key, CCRYPTO_X25519_BYTES);
  EVP_PKEY_CTX *exchange = EVP_PKEY_CTX_new_from_pkey(NULL, own, NULL);
  demand(peer != NULL && exchange != NULL && EVP_PKEY_derive_init(exchange) == 1);
  size_t count = CCRYPTO_X25519_BYTES;
  int worked = EVP_PKEY_derive_set_peer(exchange, peer) == 1 && EVP_PKEY_derive(exchange, shared, &count) == 1 &&
               count == CCRYPTO_X25519_BYTES;
  if (!worked) {
    OPENSSL_cleanse(shared, CCRYPTO_X25519_BYTES);
    ERR_clear_error();
  }
  EVP_PKEY_CTX_free(exchange);
  EVP_PKEY_free(peer);
  EVP_PKEY_free(own);
  return worked;
}

void ccrypto_wipe(void *bytes, size_t count) { OPENSSL_cleanse(bytes, count); }

int ccrypto_equal(const void *left, const void *right, size_t count) { return CRYPTO_memcmp(left, right, count) == 0; }
