/*
 * hungry SOCKET AFTER: a whole life of a client, in which each allocation after so many fails. Says how many
 * navigations were allowed, and whether memory ran out: `3 0`.
 */
#include "../webviewguard.c"

/* The linker leads the client's allocations here (--wrap). Once `left` are counted down, each fails. */
static long left = -1;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *words);

static bool is_out(void) {
  if (left > 0) left--;
  return left == 0;
}

void *__wrap_malloc(size_t size) { return is_out() ? NULL : __real_malloc(size); }

void *__wrap_calloc(size_t count, size_t size) { return is_out() ? NULL : __real_calloc(count, size); }

void *__wrap_realloc(void *old, size_t size) { return is_out() ? NULL : __real_realloc(old, size); }

char *__wrap_strdup(const char *words) {
  size_t size = strlen(words) + 1;
  char *copy = is_out() ? NULL : __real_malloc(size);
  return copy ? memcpy(copy, words, size) : NULL;
}

static void ignore_answer(void *context, const wvg_decision *decision) {
  (void)context;
  (void)decision;
}

static void ignore_news(void *context, const wvg_news *news) {
  (void)context;
  (void)news;
}

static void ask_nothing(void *context) { (void)context; }

static void describe(wvg *guard) {
  wvg_set_identity(guard, &(wvg_identity){.account = "work@contoso.com"}, NULL);
  wvg_register_viewer(guard, &(wvg_viewer){.viewer = "v1", .document = "https://contoso.com/"}, NULL);
  wvg_register_viewer(guard, &(wvg_viewer){.viewer = "v2", .opener = "v1", .window = "w1"}, NULL);
  wvg_set_web_view_policy(guard, "v1", "currentIdentity", NULL);
  wvg_set_external_url_rules(guard, "v1", "contoso");
  wvg_with_identity(guard, &(wvg_identity){.account = ""}, ask_nothing, NULL);
  wvg_subscribe(guard, (const char *const[]){"policy", NULL}, ignore_news, NULL);
  wvg_listen(guard, (const wvg_handler[]){{"account", ignore_news, NULL}, {"other", ignore_news, NULL}, {0}});
}

static void ask_of_accounts(wvg *guard) {
  wvg_account status;
  wvg_account_list list;
  wvg_register_account(guard, "work@contoso.com", &status);
  wvg_list_accounts(guard, &list);
}

static void join(const wvg *guard) {
  wvg *joined = wvg_join(guard);
  if (joined) wvg_with_identity(joined, &(wvg_identity){.account = ""}, ask_nothing, NULL);
  wvg_free(joined);
}

static int live(wvg *guard) {
  wvg_event event = {.viewer = "v1", .url = "https://contoso.com/", .frame = "main", .new_window = WVG_YES};
  int allowed = 0;
  describe(guard);
  for (int asked = 0; asked < 3; asked++) {
    const wvg_decision *decision = wvg_ask(guard, WVG_NAVIGATE, &event);
    allowed += decision->outcome == WVG_ALLOW;
    wvg_decision_free(decision);
    wvg_process(guard);
  }
  describe(guard);
  wvg_ask_later(guard, WVG_COPY, &event, ignore_answer, NULL);
  wvg_process(guard);
  join(guard);
  ask_of_accounts(guard);
  wvg_forget_viewer(guard, "v1");
  return allowed;
}

int main(int count, char **arguments) {
  if (count != 3) return 64;
  left = atol(arguments[2]);
  wvg *guard = wvg_new(&(wvg_options){.path = arguments[1], .features = (const char *const[]){"warn", NULL}});
  int allowed = guard ? live(guard) : 0;
  wvg_free(guard);
  bool was_hungry = left == 0;
  left = -1;
  printf("%d %d\n", allowed, was_hungry);
  return 0;
}
