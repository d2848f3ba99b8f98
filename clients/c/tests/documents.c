/*
 * documents json: reads documents, each after its length in four bytes, and writes each back as it was understood.
 * documents reply: reads replies to a question in the same way, and writes the decision, or `broken`.
 * documents text: reads texts in the same way, and writes each as JSON.
 */
#include "../webviewguard.c"
#include "telling.h"

static void write_value(struct text *out, const struct json *value) {
  const char *const words[] = {[JSON_NULL] = "null", [JSON_FALSE] = "false", [JSON_TRUE] = "true"};
  if (value->name) write_name(out, value->name);
  else write_comma(out);
  if (value->type == JSON_TEXT) {
    write_text(out, value->text);
  } else if (value->type == JSON_INTEGER) {
    char digits[32];
    snprintf(digits, sizeof digits, "%lld", value->number);
    text_words(out, digits);
  } else if (value->type == JSON_REAL) {
    text_add(out, value->begin, (size_t)(value->end - value->begin));
  } else if (value->type == JSON_LIST || value->type == JSON_OBJECT) {
    text_words(out, value->type == JSON_LIST ? "[" : "{");
    for (const struct json *item = value->first; item; item = item->next) write_value(out, item);
    text_words(out, value->type == JSON_LIST ? "]" : "}");
  } else {
    text_words(out, words[value->type]);
  }
}

static void tell_document(struct text *out, const char *bytes, size_t length) {
  struct pool pool = {0};
  const struct json *value = json_read(&pool, bytes, length);
  if (value) write_value(out, value);
  else text_words(out, "refused");
  pool_free(&pool);
}

static void tell_reply(struct text *out, const char *bytes, size_t length) {
  struct reply reply = {0};
  if (read_reply(&reply, bytes, length)) {
    const wvg_decision *decision = answer_by_reply(&reply);
    write_decision(out, decision);
    wvg_decision_free(decision);
  } else {
    text_words(out, "broken");
  }
  pool_free(&reply.pool);
}

/* What the client writes ends with NUL. */
static void tell_text(struct text *out, const char *bytes, size_t length) {
  char *words = calloc(1, length + 1);
  if (!words) return;
  memcpy(words, bytes, length);
  write_text(out, words);
  free(words);
}

/* Copies each to memory of just its size, so that the sanitizer sees a read behind its end. */
static int read_all(void (*tell)(struct text *, const char *, size_t)) {
  unsigned char size[4];
  while (fread(size, 1, sizeof size, stdin) == sizeof size) {
    size_t length = (size_t)size[0] << 24 | (size_t)size[1] << 16 | (size_t)size[2] << 8 | size[3];
    char *bytes = malloc(length ? length : 1);
    struct text out = {0};
    if (!bytes || fread(bytes, 1, length, stdin) != length) return 1;
    tell(&out, bytes, length);
    text_words(&out, "\n");
    fwrite(out.bytes, 1, out.length, stdout);
    text_free(&out);
    free(bytes);
  }
  return 0;
}

int main(int count, char **arguments) {
  if (count == 2 && !strcmp(arguments[1], "json")) return read_all(tell_document);
  if (count == 2 && !strcmp(arguments[1], "reply")) return read_all(tell_reply);
  if (count == 2 && !strcmp(arguments[1], "text")) return read_all(tell_text);
  return 64;
}
