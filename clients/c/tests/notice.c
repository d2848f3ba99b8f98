/*
 * Writes the notice of each decision that it is told on standard input, a JSON object a line, as a JSON text a line.
 *
 *     {"decision":{...},"url":"https://a.example/","languages":["de"],"actions":{"back":"x:b"}}
 *     {"page":"<!doctype..."}
 *
 * With `--bytes` standard input is what an app hands over; with `--name` the name of a file that a page suggests, which
 * is written as it is kept.
 */
#include "../webviewguard.c"
#include "../webviewguard-notice.h"

static const char *const *texts_of(struct pool *pool, const struct json *object, const char *name) {
  const struct json *list = json_member(object, name);
  return list ? json_texts(pool, list) : NULL;
}

/* A member that is text; nothing else says anything. */
static const char *text_of(const struct json *object, const char *name) {
  const struct json *value = object ? json_member(object, name) : NULL;
  return value && value->type == JSON_TEXT ? value->text : NULL;
}

static const wvg_decision *decision_of(struct pool *pool, const struct json *said) {
  const char *local = text_of(said, "local");
  if (local) return answer_local(WVG_BLOCK, local);
  wvg_decision decision;
  struct pool none = {0};
  if (!read_decision(pool, json_member(said, "decision"), &decision)) return NULL;
  return answer_new(&decision, &none);
}

static void write_page(struct pool *pool, const struct json *said) {
  const struct json *known = json_member(said, "organization"), *links = json_member(said, "actions");
  wvg_organization organization = {text_of(known, "name"), text_of(known, "contact"), text_of(known, "contactLink"),
                                   text_of(known, "color"), text_of(known, "darkColor")};
  wvg_notice_options options = {.url = text_of(said, "url"), .languages = texts_of(pool, said, "languages")};
  options.organization = known ? &organization : NULL;
  options.open = text_of(links, "open");
  options.exception = text_of(links, "exception");
  options.retry = text_of(links, "retry");
  options.back = text_of(links, "back");
  options.go_on = text_of(links, "continue");
  const wvg_decision *decision = decision_of(pool, said);
  char *page = decision ? wvg_notice(decision, &options) : NULL, *code = decision ? wvg_notice_code(decision) : NULL;
  struct text out = {0};
  text_words(&out, "{");
  write_member(&out, "page", page);
  write_member(&out, "code", code);
  text_words(&out, "}\n");
  fwrite(out.bytes, 1, out.length, stdout);
  text_free(&out);
  free(page);
  free(code);
  wvg_decision_free(decision);
}

/* The page with the bytes of standard input in words and in an address. */
static int write_page_of_bytes(void) {
  char bytes[64], name[80], url[96];
  bytes[fread(bytes, 1, sizeof bytes - 1, stdin)] = 0;
  snprintf(name, sizeof name, "a%sb", bytes);
  snprintf(url, sizeof url, "https://a.example/%s", bytes);
  const wvg_organization organization = {.name = name};
  const wvg_decision *decision = answer_local(WVG_BLOCK, "noAnswer");
  char *page = wvg_notice(decision, &(wvg_notice_options){.url = url, .organization = &organization});
  fputs(page, stdout);
  free(page);
  wvg_decision_free(decision);
  return 0;
}

static int write_kept_name(void) {
  char suggested[4096];
  suggested[fread(suggested, 1, sizeof suggested - 1, stdin)] = 0;
  char *kept = wvg_download_name(suggested);
  fputs(kept, stdout);
  free(kept);
  return 0;
}

int main(int count, char **arguments) {
  if (count == 2 && !strcmp(arguments[1], "--bytes")) return write_page_of_bytes();
  if (count == 2 && !strcmp(arguments[1], "--name")) return write_kept_name();
  char *line = NULL;
  size_t size = 0;
  for (ssize_t length; (length = getline(&line, &size, stdin)) > 0;) {
    struct pool pool = {0};
    const struct json *said = json_read(&pool, line, (size_t)length);
    if (!said) return 1;
    write_page(&pool, said);
    pool_free(&pool);
  }
  free(line);
  return 0;
}
