/*
 * sealed: does with sealed data what lines on its input say, and answers each with a line. Bytes are hexadecimal digits,
 * and `-` is none. It has the client's source, so that a vector's object can be written again.
 *
 *   key OBJECT KEYID ACCOUNTID KEY           the source of keys has one more
 *   seal EXPONENT OBJECT STEP NAME PLAIN     a writer, given so many bytes at a time: the envelope
 *   protect NAME PLAIN                       at once, read again by all readers: `agree`
 *   unprotect|stream|file DATA               the data, or an error such as `103 damaged`
 *   info DATA                                the owner
 *   text DATA, untext DATA                   base64 of text in UTF-8, and back
 *   places DATA PLAIN                        reads at all kinds of places: `agree`
 *   flips DATA, cuts DATA                    how many changes of one bit, or shorter lengths, all readers refused: `N of N`
 *
 * sealed create PATH, sealed big SIZE, sealed speed SIZE, sealed hungry|starving MOST PATH, sealed ask SOCKET USE...: see below.
 */
#include "../webviewguard-sealed.c"
#include "readers.h"

#include <sys/wait.h>
#include <time.h>

/* ---- A source of keys ------------------------------------------------------------------------------------------ */

#define MOST_KEYS 64
struct known {
  char object[65], key_id[33], account_id[33], key[65];
};
static struct known known[MOST_KEYS];
static int known_count;
static const char *object_wanted; /* What the next RAND_bytes gives; NULL for chance. */

int __real_RAND_bytes(unsigned char *bytes, int count);
int __wrap_RAND_bytes(unsigned char *bytes, int count);

int __wrap_RAND_bytes(unsigned char *bytes, int count) {
  if (!object_wanted || count != OBJECT) return __real_RAND_bytes(bytes, count);
  read_digits(object_wanted, bytes, OBJECT);
  return 1;
}

static bool reads_short; /* The system gives a little of the first part alone. */

ssize_t __real_preadv(int descriptor, const struct iovec *parts, int count, off_t place);
ssize_t __wrap_preadv(int descriptor, const struct iovec *parts, int count, off_t place);

ssize_t __wrap_preadv(int descriptor, const struct iovec *parts, int count, off_t place) {
  if (!reads_short) return __real_preadv(descriptor, parts, count, place);
  return pread(descriptor, parts->iov_base, parts->iov_len < 1000 ? parts->iov_len : 1000, place);
}

/* Objects that are not known have a key that any program of the tests can compute. */
static wvg_key_answer ask_vault(void *context, const wvg_key_request *request, wvg_object_key *key) {
  const char *mode = context;
  for (int place = 0; place < known_count; place++)
    if (!strcmp(request->object, known[place].object)) {
      read_digits(known[place].key, key->key, KEY);
      read_digits(known[place].key_id, key->key_id, ID);
      read_digits(known[place].account_id, key->account_id, ID);
      return WVG_KEY_GIVEN;
    }
  if (!strcmp(mode, "any")) {
    memset(key, 7, sizeof *key);
    return WVG_KEY_GIVEN;
  }
  return strcmp(request->use, "write") ? WVG_KEY_WITHHELD : WVG_KEY_NOT_MANAGED;
}

static const wvg_keys vault = {ask_vault, "vectors"};
static const wvg_keys any = {ask_vault, "any"};

/* ---- Bytes ----------------------------------------------------------------------------------------------------- */

static struct bytes parse(const char *digits) {
  size_t size = !digits || *digits == '-' ? 0 : strlen(digits) / 2;
  struct bytes bytes = {malloc(size + 1), size, size};
  if (!bytes.data) abort();
  read_digits(digits, bytes.data, size);
  bytes.data[size] = 0;
  return bytes;
}

static void print(const uint8_t *data, size_t size) {
  if (!size) putchar('-');
  for (size_t place = 0; place < size; place++) printf("%02x", data[place]);
  putchar('\n');
}

static void print_status(wvg_sealed_status status) {
  static const char *const reasons[] = {"", "damaged", "newer", "noKey", "tooLong", "system"};
  printf("%d %s\n", status.code, reasons[status.reason]);
}

static void answer_read(reader *read, const char *digits) {
  struct bytes sealed = parse(digits), plain = {0};
  wvg_sealed_status status = read(&vault, &sealed, &plain);
  if (status.code) print_status(status);
  else print(plain.data, plain.size);
  free(plain.data);
  free(sealed.data);
}

/* Whether each reader has these bytes. */
static bool all_read(const wvg_keys *keys, const struct bytes *sealed, const struct bytes *plain) {
  bool agree = true;
  for (size_t which = 0; which < 3; which++) {
    struct bytes found = {0};
    wvg_sealed_status status = readers[which](keys, sealed, &found);
    agree = agree && !status.code && found.size == plain->size && !memcmp(found.data ? found.data : (uint8_t *)"", plain->data, plain->size);
    free(found.data);
  }
  return agree;
}

/* ---- Lines ----------------------------------------------------------------------------------------------------- */

static void answer_seal(char **words) {
  size_t step = (size_t)atol(words[3]);
  struct bytes plain = parse(words[5]), name = parse(words[4]), sealed = {0};
  int file = memory_file(NULL, 0);
  wvg_sealer *sealer;
  object_wanted = words[2];
  wvg_sealed_status status = sealer_open(&vault, (char *)name.data, file, atoi(words[1]), &sealer);
  object_wanted = NULL;
  for (size_t place = 0; !status.code && place < plain.size; place += step)
    status = wvg_sealer_write(sealer, plain.data + place, plain.size - place < step ? plain.size - place : step);
  if (!status.code) status = wvg_sealer_finish(sealer);
  if (!status.code) {
    if (!wvg_sealer_write(sealer, "x", 1).code || !wvg_sealer_finish(sealer).code) abort();
    sealed = contents(file);
    print(sealed.data, sealed.size);
  } else print_status(status);
  wvg_sealer_free(sealer);
  close(file);
  free(sealed.data);
  free(name.data);
  free(plain.data);
}

static void answer_protect(char **words) {
  struct bytes plain = parse(words[2]), name = parse(words[1]), sealed = {0};
  wvg_sealed_status status = wvg_protect(&any, (char *)name.data, plain.data, plain.size, &sealed.data, &sealed.size);
  if (status.code) print_status(status);
  else puts(all_read(&any, &sealed, &plain) ? "agree" : "differ");
  free(sealed.data);
  free(name.data);
  free(plain.data);
}

static void answer_info(const char *digits) {
  static const char *const kinds[] = {"foreign", "sealed", "unmanaged"};
  struct bytes data = parse(digits);
  wvg_protection info;
  wvg_sealed_status status = wvg_protection_info(data.data, data.size, &info);
  if (status.code) print_status(status);
  else printf("%s %s%s %s %s\n", kinds[info.kind], info.account, info.account_id, info.key_id, info.object);
  free(data.data);
}

static void answer_text(const char *digits, bool seals) {
  struct bytes data = parse(digits);
  char *made;
  wvg_sealed_status status = seals ? wvg_protect_text(&any, "a", (char *)data.data, &made)
                                   : wvg_unprotect_text(&vault, (char *)data.data, &made);
  if (!status.code && seals) {
    char *sealed = made;
    status = wvg_unprotect_text(&any, sealed, &made);
    free(sealed);
  }
  if (status.code) print_status(status);
  else print((uint8_t *)made, strlen(made));
  free(made);
  free(data.data);
}

/* Reads of all kinds of lengths at all kinds of places are those of the plain data. */
static void answer_places(char **words) {
  struct bytes sealed = parse(words[1]), plain = parse(words[2]);
  int file = memory_file(sealed.data, sealed.size);
  wvg_sealed_file *opened;
  wvg_sealed_status status = wvg_sealed_open(&vault, file, &opened);
  bool agree = !status.code && wvg_sealed_size(opened) == plain.size;
  uint8_t *buffer = malloc(plain.size + 2);
  static const size_t sizes[] = {0, 1, 16, 4095, 4096, 4097, 70000};
  for (size_t place = 0; agree && place < plain.size + 3; place += place % 7 ? 1 : 61)
    for (size_t which = 0; which < 2 * sizeof sizes / sizeof *sizes; which++) {
      size_t wanted = sizes[which / 2], read, left = place < plain.size ? plain.size - place : 0;
      size_t size = wanted < plain.size + 2 ? wanted : plain.size + 2;
      reads_short = which % 2;
      status = wvg_sealed_read(opened, place, buffer, size, &read);
      agree = agree && !status.code && read == (size < left ? size : left) && !memcmp(buffer, plain.data + (left ? place : 0), read);
    }
  puts(agree ? "agree" : "differ");
  reads_short = false;
  free(buffer);
  wvg_sealed_close(opened);
  close(file);
  free(sealed.data);
  free(plain.data);
}

/* Whether each of the readers says 103, and gives nothing that it would not give of the whole. */
static bool all_refuse(const struct bytes *sealed, size_t count) {
  bool refuse = true;
  for (size_t which = 0; which < count; which++) {
    struct bytes found = {0};
    wvg_sealed_status status = readers[which](&vault, sealed, &found);
    refuse = refuse && status.code == WVG_DECRYPT_FAILED;
    free(found.data);
  }
  return refuse;
}

static void answer_changes(const char *digits, bool flips) {
  struct bytes sealed = parse(digits);
  size_t all = flips ? 8 * sealed.size : sealed.size - 1, noticed = 0;
  for (size_t change = 0; change < all; change++) {
    /* A copy of its own: a sanitizer then notices a read behind the end. */
    struct bytes changed = {malloc(flips ? sealed.size : change + 1), flips ? sealed.size : change + 1, 0};
    memcpy(changed.data, sealed.data, changed.size);
    if (flips) changed.data[change / 8] ^= (uint8_t)(1 << change % 8);
    noticed += all_refuse(&changed, flips && change % 16 ? 1 : 3);
    free(changed.data);
  }
  printf("%zu of %zu\n", noticed, all);
  free(sealed.data);
}

static void answer_key(char **words) {
  struct known *one = &known[known_count++];
  if (known_count > MOST_KEYS) abort();
  strcpy(one->object, words[1]);
  strcpy(one->key_id, words[2]);
  strcpy(one->account_id, words[3]);
  strcpy(one->key, words[4]);
  puts("known");
}

static void answer(char *line) {
  char *words[8] = {0}, *rest = NULL;
  int count = 0;
  for (char *word = strtok_r(line, " \n", &rest); word && count < 8; word = strtok_r(NULL, " \n", &rest)) words[count++] = word;
  if (!count) return;
  const char *does = words[0];
  if (!strcmp(does, "key")) answer_key(words);
  else if (!strcmp(does, "seal")) answer_seal(words);
  else if (!strcmp(does, "protect")) answer_protect(words);
  else if (!strcmp(does, "unprotect")) answer_read(read_whole, words[1]);
  else if (!strcmp(does, "stream")) answer_read(read_stream, words[1]);
  else if (!strcmp(does, "file")) answer_read(read_file, words[1]);
  else if (!strcmp(does, "info")) answer_info(words[1]);
  else if (!strcmp(does, "text")) answer_text(words[1], true);
  else if (!strcmp(does, "untext")) answer_text(words[1], false);
  else if (!strcmp(does, "places")) answer_places(words);
  else if (!strcmp(does, "flips")) answer_changes(words[1], true);
  else if (!strcmp(does, "cuts")) answer_changes(words[1], false);
  else puts("?");
  fflush(stdout);
}

/* ---- Big files ------------------------------------------------------------------------------------------------- */

static int count_zeros(void *context, const void *data, size_t size) {
  const char *bytes = data;
  *(unsigned long long *)context += size;
  return bytes[0] || memcmp(bytes, bytes + 1, size - 1) ? EINVAL : 0;
}

/* The most memory that this process had. What getrusage says begins with that of the process which started it. */
static long kilobytes(void) {
  char line[128];
  long most = -1;
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (!strncmp(line, "VmHWM:", 6)) most = atol(line + 6);
  if (file) fclose(file);
  return most;
}

/* Seals a sparse file of so many bytes into a pipe, in a child. */
static void seal_sparse(int file, int pipe, long *most) {
  static char piece[1 << 20];
  wvg_sealer *sealer;
  wvg_sealed_status status = wvg_sealer_new(&any, "a", pipe, &sealer);
  for (ssize_t count; !status.code && (count = read(file, piece, sizeof piece)) > 0;)
    status = wvg_sealer_write(sealer, piece, (size_t)count);
  if (!status.code) status = wvg_sealer_finish(sealer);
  wvg_sealer_free(sealer);
  *most = kilobytes();
  _exit(status.code);
}

/* big SIZE: says how many bytes came out of a sealed stream, and the memory of both sides in KiB. */
static int run_big(unsigned long long size) {
  int ends[2], file = memory_file(NULL, 0), status;
  unsigned long long count = 0;
  long *most = mmap(NULL, sizeof *most, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (most == MAP_FAILED) return 1;
  if (ftruncate(file, (off_t)size) || pipe(ends)) return 1;
  fcntl(ends[0], F_SETPIPE_SZ, 1 << 20);
  pid_t child = fork();
  if (!child) {
    close(ends[0]);
    seal_sparse(file, ends[1], most);
  }
  close(ends[1]);
  wvg_sealed_status said = wvg_unseal_stream(&any, ends[0], count_zeros, &count);
  close(ends[0]);
  if (child < 0 || waitpid(child, &status, 0) != child || status) return 1;
  printf("%d %llu %ld %ld\n", said.code, count, kilobytes(), *most);
  return 0;
}

/* ---- Speed ----------------------------------------------------------------------------------------------------- */

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int ignore(void *context, const void *data, size_t size) {
  (void)context;
  (void)data;
  (void)size;
  return 0;
}

/* Reads all of a file in pieces of one MiB. */
static bool read_through(int file, uint8_t *piece) {
  wvg_sealed_file *opened;
  size_t read = 1;
  bool went_well = !wvg_sealed_open(&any, file, &opened).code;
  for (unsigned long long place = 0; went_well && read; place += read)
    went_well = !wvg_sealed_read(opened, place, piece, 1 << 20, &read).code;
  wvg_sealed_close(opened);
  return went_well;
}

/* Writes all of the data to nowhere. */
static bool write_through(const uint8_t *data, size_t size) {
  wvg_sealer *sealer;
  int nowhere = open("/dev/null", O_WRONLY);
  bool went_well = !wvg_sealer_new(&any, "a", nowhere, &sealer).code && !wvg_sealer_write(sealer, data, size).code &&
                   !wvg_sealer_finish(sealer).code;
  wvg_sealer_free(sealer);
  close(nowhere);
  return went_well;
}

/* Unseals one MiB as often as the size has it. */
static bool unprotect_often(const uint8_t *data, size_t size) {
  unsigned char *sealed, *plain;
  size_t sealed_size, plain_size;
  bool went_well = !wvg_protect(&any, "a", data, 1 << 20, &sealed, &sealed_size).code;
  for (size_t place = 0; went_well && place < size; place += 1 << 20) {
    went_well = !wvg_unprotect(&any, sealed, sealed_size, &plain, &plain_size).code;
    free(plain);
  }
  free(sealed);
  return went_well;
}

/* What nobody can do without: libcrypto alone, chunk by chunk, of the first `span` bytes of `from` again and again, or of what
   is read from a file, as the client has to read it; into `room` bytes again and again. No tag is looked at. */
static bool bare_through(const uint8_t *from, size_t span, int file, size_t room, size_t size, bool seals) {
  const size_t chunk = (size_t)1 << OWN_EXPONENT;
  uint8_t key[KEY] = {0}, raw[HEADER] = {0}, *held = malloc(chunk + TAG), *made = malloc(room);
  struct chunks chunks = {0};
  bool went_well = held && made && chunks_begin(&chunks, key, raw, seals);
  for (unsigned long long number = 0; went_well && number < size / chunk; number++) {
    const uint8_t *data = from ? from + number * chunk % span : held;
    off_t place = (off_t)(HEADER + number * (chunk + TAG));
    int length;
    if (!from) went_well = pread(file, held, chunk + TAG, place) == (ssize_t)(chunk + TAG);
    went_well = went_well && chunk_begin(&chunks, number, false) &&
                EVP_CipherUpdate(chunks.cipher, made + number * chunk % room, &length, data, (int)chunk) == 1;
  }
  chunks_end(&chunks);
  free(held);
  free(made);
  return went_well;
}

/* One of the ways to use the client, and what nobody can do without for it. */
static bool go_way(int way, bool is_bare, const uint8_t *data, size_t size, int file, uint8_t *piece) {
  const size_t small = (size_t)1 << 20, chunk = (size_t)1 << OWN_EXPONENT;
  bool seals = way == 0, has_room = way == 1 || way == 2;
  if (is_bare) return bare_through(way < 2 ? data : NULL, seals ? size : small, file, has_room ? small : chunk, size, seals);
  if (way == 0) return write_through(data, size);
  if (way == 1) return unprotect_often(data, size);
  if (way == 2) return read_through(file, piece);
  lseek(file, 0, SEEK_SET);
  return !wvg_unseal_stream(&any, file, ignore, NULL).code;
}

/* speed SIZE: bytes in a second of processor time, each beside what nobody can do without: a writer, unsealing in memory,
   reading a file that is in memory (so it is the copy out of it as well), and a stream from it. */
static int run_speed(size_t size) {
  uint8_t *data = malloc(size), *piece = malloc(1 << 20);
  struct bytes sealed = {0};
  if (!data || !piece) return 1;
  memset(data, 1, size);
  memset(piece, 1, 1 << 20);
  if (wvg_protect(&any, "a", data, size, &sealed.data, &sealed.size).code) return 1;
  int file = memory_file(sealed.data, sealed.size);
  bool went_well = true;
  for (int turn = 0; turn < 8; turn++) {
    double began = now();
    went_well = go_way(turn / 2, turn % 2, data, size, file, piece) && went_well;
    printf("%.0f ", (double)size / (now() - began));
  }
  puts("");
  free(sealed.data);
  free(data);
  free(piece);
  return !went_well;
}

/* ---- Memory that runs out -------------------------------------------------------------------------------------- */

static long left = -1;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *words);
char *__wrap_strndup(const char *words, size_t most);
char *__wrap_realpath(const char *path, char *place);
char *__real_realpath(const char *path, char *place);

static bool is_out(void) {
  if (left > 0) left--;
  return left == 0;
}

void *__wrap_malloc(size_t size) { return is_out() ? NULL : __real_malloc(size); }

void *__wrap_calloc(size_t count, size_t size) { return is_out() ? NULL : __real_calloc(count, size); }

void *__wrap_realloc(void *old, size_t size) { return is_out() ? NULL : __real_realloc(old, size); }

char *__wrap_strndup(const char *words, size_t most) {
  size_t size = strnlen(words, most);
  char *copy = is_out() ? NULL : __real_malloc(size + 1);
  if (copy) copy[size] = 0;
  return copy ? memcpy(copy, words, size) : NULL;
}

char *__wrap_strdup(const char *words) { return __wrap_strndup(words, SIZE_MAX); }

char *__wrap_realpath(const char *path, char *place) {
  if (!is_out()) return __real_realpath(path, place);
  errno = ENOMEM;
  return NULL;
}

/* Libcrypto's own memory runs out as well. */
static void *crypto_malloc(size_t size, const char *file, int line) {
  (void)file;
  (void)line;
  return is_out() ? NULL : __real_malloc(size);
}

static void *crypto_realloc(void *old, size_t size, const char *file, int line) {
  (void)file;
  (void)line;
  return is_out() ? NULL : __real_realloc(old, size);
}

static void crypto_free(void *old, const char *file, int line) {
  (void)file;
  (void)line;
  free(old);
}

/* Seals in every way. True when all went well. */
static bool seal_hungrily(const char *path, const uint8_t *data, size_t size, struct bytes *sealed) {
  wvg_sealer *sealer;
  bool went_well = !wvg_protect(&any, "a", data, size, &sealed->data, &sealed->size).code;
  if (wvg_sealer_create(&any, "a", path, &sealer).code) return false;
  went_well = !wvg_sealer_write(sealer, data, size).code && !wvg_sealer_finish(sealer).code && went_well;
  wvg_sealer_free(sealer);
  return went_well;
}

enum { WELL, HUNGRY, WRONG };

/* Seals and reads in every way, while each allocation after so many fails. What is read is right, or there is an error. */
static int live(long after, const char *path) {
  static uint8_t data[200000];
  struct bytes plain = {data, sizeof data, 0}, sealed = {0};
  char *text = NULL, *again = NULL;
  memset(data, 3, sizeof data);
  left = after;
  bool went_well = seal_hungrily(path, data, sizeof data, &sealed), is_right = true;
  for (size_t which = 0; sealed.data && which < 3; which++) {
    struct bytes found = {0};
    wvg_sealed_status status = readers[which](&any, &sealed, &found);
    if (status.code) is_right = is_right && status.code == WVG_DECRYPT_FAILED;
    else is_right = is_right && found.size == plain.size && !memcmp(found.data, data, plain.size);
    went_well = went_well && !status.code;
    free(found.data);
  }
  went_well = !wvg_protect_text(&any, "a", "hello", &text).code && went_well;
  went_well = text && !wvg_unprotect_text(&any, text, &again).code && went_well;
  is_right = is_right && !(again && strcmp(again, "hello"));
  bool was_hungry = left == 0;
  left = -1;
  free(text);
  free(again);
  free(sealed.data);
  return !is_right || (!went_well && !was_hungry) ? WRONG : was_hungry ? HUNGRY : WELL;
}

/* hungry MOST PATH, starving MOST PATH: lives once for each number of allocations that succeed, until all do, and says how
   often memory ran out. `starving` lets libcrypto's own memory run out as well, once it has begun: it crashes by itself when
   it begins without any. */
static int run_hungry(long most, const char *path, bool with_crypto) {
  static uint8_t data[1 << 20];
  if (with_crypto && !CRYPTO_set_mem_functions(crypto_malloc, crypto_realloc, crypto_free)) return 64;
  if (!unprotect_often(data, 1)) return 65;
  for (long after = 1; after < most; after++) {
    int status;
    pid_t child = fork();
    if (!child) exit(live(after, path));
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) >= WRONG) return 1;
    if (WEXITSTATUS(status) == HUNGRY) continue;
    printf("%ld\n", after - 1);
    return 0;
  }
  return 2;
}

/* ask SOCKET USE...: what the daemon as a source of keys says. */
static int run_ask(const char *path, char **uses) {
  static const char *const answers[] = {"withheld", "given", "notManaged", "strangeApp"};
  static const char object[] = "abababababababababababababababababababababababababababababababab";
  wvg *guard = wvg_new(&(wvg_options){.path = path});
  wvg_keys keys = wvg_guard_keys(guard);
  wvg_start(guard);
  for (; *uses; uses++) {
    bool reads = !strcmp(*uses, "read");
    wvg_key_request request = {*uses, reads ? "0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c" : "work@contoso.com", object,
                               reads ? "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b" : NULL};
    wvg_object_key key;
    wvg_key_answer answered = keys.ask(keys.context, &request, &key);
    char digits[65], key_id[33], account_id[33];
    printf("%s", answers[answered]);
    if (answered == WVG_KEY_GIVEN) {
      write_digits(key.key, KEY, digits);
      write_digits(key.key_id, ID, key_id);
      write_digits(key.account_id, ID, account_id);
      printf(" %s %s %s", digits, key_id, account_id);
    }
    puts("");
  }
  wvg_free(guard);
  return 0;
}

int main(int count, char **arguments) {
  char *line = NULL;
  size_t room = 0;
  if (count == 3 && !strcmp(arguments[1], "big")) return run_big(strtoull(arguments[2], NULL, 10));
  if (count == 3 && !strcmp(arguments[1], "speed")) return run_speed((size_t)strtoull(arguments[2], NULL, 10));
  if (count == 3 && !strcmp(arguments[1], "create")) return live(-1, arguments[2]);
  if (count == 4 && !strcmp(arguments[1], "hungry")) return run_hungry(atol(arguments[2]), arguments[3], false);
  if (count == 4 && !strcmp(arguments[1], "starving")) return run_hungry(atol(arguments[2]), arguments[3], true);
  if (count >= 3 && !strcmp(arguments[1], "ask")) return run_ask(arguments[2], arguments + 3);
  while (getline(&line, &room, stdin) > 0) answer(line);
  free(line);
  return 0;
}
