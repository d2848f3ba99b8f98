/*
 * documents json: reads documents, each after its length in four bytes, and writes each back as it was understood.
 * documents text: reads texts in the same way, and writes each as JSON.
 */
#include "../webviewguard.c"

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

/* Copies each document to memory of just its size, so that the sanitizer sees a read behind its end. */
static int read_documents(void) {
  unsigned char size[4];
  while (fread(size, 1, sizeof size, stdin) == sizeof size) {
    size_t length = (size_t)size[0] << 24 | (size_t)size[1] << 16 | (size_t)size[2] << 8 | size[3];
    char *bytes = malloc(length ? length : 1);
    struct pool pool = {0};
    struct text out = {0};
    if (!bytes || fread(bytes, 1, length, stdin) != length) return 1;
    const struct json *value = json_read(&pool, bytes, length);
    if (value) write_value(&out, value);
    else text_words(&out, "refused");
    text_words(&out, "\n");
    fwrite(out.bytes, 1, out.length, stdout);
    text_free(&out);
    pool_free(&pool);
    free(bytes);
  }
  return 0;
}

/* Writes each text, after its length as above, as JSON. */
static int write_documents(void) {
  unsigned char size[4];
  while (fread(size, 1, sizeof size, stdin) == sizeof size) {
    size_t length = (size_t)size[0] << 24 | (size_t)size[1] << 16 | (size_t)size[2] << 8 | size[3];
    char *bytes = calloc(1, length + 1);
    struct text out = {0};
    if (!bytes || fread(bytes, 1, length, stdin) != length) return 1;
    write_text(&out, bytes);
    text_words(&out, "\n");
    fwrite(out.bytes, 1, out.length, stdout);
    text_free(&out);
    free(bytes);
  }
  return 0;
}

int main(int count, char **arguments) {
  if (count == 2 && !strcmp(arguments[1], "json")) return read_documents();
  if (count == 2 && !strcmp(arguments[1], "text")) return write_documents();
  return 64;
}
