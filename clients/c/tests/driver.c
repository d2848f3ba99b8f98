/*
 * Does with the client what it is told on standard input, and says what came of it: JSON objects, one a line. It holds
 * the client's source, so that the tests also reach what is inside.
 *
 *     {"do":"new","path":"/tmp/run/guard.sock"}      {}
 *     {"do":"ask","kind":"navigate","event":{...}}   {"decision":{...},"ms":0.2}
 */
#include "../webviewguard.c"
#include "telling.h"

#include <sys/wait.h>

/* ---- What was heard -------------------------------------------------------------------------------------------- */

static wvg *guard;
static struct text heard, news, problems;
static int heard_count, news_count;
/* What a callback does besides: asks a question, or ends its subscription. */
static bool asks_again, unsubscribes;

static void give(struct text *out) {
  text_words(out, "}\n");
  fwrite(out->bytes, 1, out->length, stdout);
  fflush(stdout);
  text_free(out);
}

static void hear_answer(void *context, const wvg_decision *decision) {
  heard_count++;
  write_comma(&heard);
  text_words(&heard, "{");
  write_member(&heard, "tag", context);
  write_name(&heard, "decision");
  write_decision(&heard, decision);
  text_words(&heard, "}");
  if (asks_again) wvg_decision_free(wvg_ask(guard, WVG_PRINT, NULL));
}

static void hear_news(void *context, const wvg_news *told) {
  (void)context;
  news_count++;
  write_comma(&news);
  text_words(&news, "{");
  write_fields(&news, news_members, NEWS_MEMBERS, told);
  text_words(&news, "}");
  if (unsubscribes) wvg_subscribe(guard, NULL, NULL, NULL);
}

/* As `hear_news`, of a handler; all members, with the handler's name. It may ask, or end its listening. */
static void hear_topic(void *context, const wvg_news *told) {
  news_count++;
  write_comma(&news);
  text_words(&news, "{");
  write_member(&news, "to", context);
  write_fields(&news, news_members, NEWS_MEMBERS, told);
  write_name(&news, "json");
  text_words(&news, told->json);
  text_words(&news, "}");
  if (asks_again) wvg_decision_free(wvg_ask(guard, WVG_PRINT, NULL));
  if (unsubscribes) wvg_listen(guard, NULL);
}

static void hear_problem(void *context, const char *problem) {
  (void)context;
  write_comma(&problems);
  write_text(&problems, problem);
}

/* ---- What is told ---------------------------------------------------------------------------------------------- */

static struct pool told_pool;

static const char *const *told_texts(const struct json *told, const char *name) {
  const struct json *list = json_member(told, name);
  return list ? json_texts(&told_pool, list) : NULL;
}

static wvg_flag told_flag(const struct json *value) {
  return value->type == JSON_TRUE ? WVG_YES : value->type == JSON_FALSE ? WVG_NO : WVG_UNSAID;
}

static wvg_event told_event(const struct json *told) {
  bool has_length = json_member(told, "length") && !json_member(told, "forgetsHasLength");
  wvg_event event = {.action = json_text(told, "action"), .has_length = has_length};
  event.length = json_integer(told, "length", 0);
  for (int index = 0; index < EVENT_MEMBERS; index++) {
    const struct member *member = &event_members[index];
    const struct json *value = json_member(told, member->name);
    char *place = (char *)&event + member->offset;
    if (!value) continue;
    if (member->type == TEXT) *(const char **)place = value->text;
    if (member->type == FLAG) *(wvg_flag *)place = told_flag(value);
    if (member->type == TEXTS) *(const char *const **)place = json_texts(&told_pool, value);
  }
  return event;
}

/* The kind of the wire's word: `openURL` asks `OpenURL`. */
static wvg_kind told_kind(const struct json *told) {
  const char *word = json_text(told, "kind");
  for (int kind = 0; word && kind < KINDS; kind++)
    if ((kinds[kind].method[0] | 0x20) == word[0] && !strcmp(kinds[kind].method + 1, word + 1)) return (wvg_kind)kind;
  return (wvg_kind)KINDS;
}

typedef void command(const struct json *told, struct text *out);

static double since(const struct timespec *begin) {
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double)(end.tv_sec - begin->tv_sec) * 1e3 + (double)(end.tv_nsec - begin->tv_nsec) / 1e6;
}

/* For how long was waited in vain, in milliseconds: as long as was wanted, however late a busy machine wakes it up. */
static long long waited_ms;

int __real_poll(struct pollfd *fds, nfds_t count, int timeout);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout);

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout) {
  int ready = __real_poll(fds, count, timeout);
  if (ready == 0 && timeout > 0) waited_ms += timeout;
  return ready;
}

/* How long it took, and for how long of that was waited in vain. */
static void write_ms(struct text *out, const struct timespec *begin) {
  char digits[32];
  snprintf(digits, sizeof digits, "%.3f", since(begin));
  write_name(out, "ms");
  text_words(out, digits);
  write_integer(out, "waited", waited_ms);
}

static void do_new(const struct json *told, struct text *out) {
  const struct json *uids = json_member(told, "trusted");
  uid_t trusted[8];
  size_t count = 0;
  for (const struct json *uid = uids ? uids->first : NULL; uid && count < 8; uid = uid->next)
    trusted[count++] = (uid_t)uid->number;
  wvg_options options = {
      .app = json_text(told, "app"),
      .path = json_text(told, "path"),
      .features = told_texts(told, "features"),
      .languages = told_texts(told, "languages"),
      .trusted_uids = uids ? trusted : NULL,
      .trusted_uid_count = count,
      .on_problem = hear_problem,
      .version = json_text(told, "version"),
      .rules = json_text(told, "rules"),
  };
  guard = wvg_new(&options);
  write_truth(out, "made", guard ? WVG_YES : WVG_NO);
}

static void do_start(const struct json *told, struct text *out) {
  (void)told;
  struct timespec begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  waited_ms = 0;
  write_truth(out, "connected", wvg_start(guard) ? WVG_YES : WVG_NO);
  write_ms(out, &begin);
}

static void do_ask(const struct json *told, struct text *out) {
  wvg_event event = told_event(json_member(told, "event"));
  struct timespec begin;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  waited_ms = 0;
  const wvg_decision *decision = wvg_ask(guard, told_kind(told), &event);
  write_ms(out, &begin);
  write_name(out, "decision");
  write_decision(out, decision);
  wvg_decision_free(decision);
}

/* The same navigation so many times, and how long each took, in microseconds. */
static void do_ask_many(const struct json *told, struct text *out) {
  wvg_event event = {.viewer = "docs", .url = "https://contoso.com/", .frame = "main"};
  text_words(out, "\"us\":[");
  for (long long number = json_integer(told, "count", 1); number > 0; number--) {
    struct timespec begin;
    char digits[32];
    clock_gettime(CLOCK_MONOTONIC, &begin);
    wvg_decision_free(wvg_ask(guard, WVG_NAVIGATE, &event));
    snprintf(digits, sizeof digits, "%.1f", since(&begin) * 1e3);
    write_comma(out);
    text_words(out, digits);
  }
  text_words(out, "]");
}

/* How many of so many questions are answered with what was asked, by a daemon that gives the viewer as its reason. Without an
   answer in `heard`, a loop on the descriptor waits for them. */
static long long echoes(const char *who, long long count, bool is_later) {
  static struct pool names;
  long long right = 0;
  int before = heard_count;
  for (long long number = 0; number < count; number++) {
    char name[64];
    snprintf(name, sizeof name, "\"reason\":\"%s%lld\"", who, number);
    char *viewer = pool_copy(&names, name + 10, strlen(name) - 11);
    wvg_event event = {.viewer = viewer, .url = "https://contoso.com/", .frame = "main"};
    if (is_later) {
      wvg_ask_later(guard, WVG_NAVIGATE, &event, hear_answer, NULL);
      while (heard_count == before + (int)number && poll(&(struct pollfd){.fd = wvg_fd(guard), .events = POLLIN}, 1, 30000) > 0)
        wvg_process(guard);
      right += heard.length && memmem(heard.bytes, heard.length, name, strlen(name));
      continue;
    }
    const wvg_decision *decision = wvg_ask(guard, WVG_NAVIGATE, &event);
    right += !strcmp(decision->reason, viewer);
    wvg_decision_free(decision);
  }
  pool_free(&names);
  return right;
}

/* Parent and child of fork ask side by side. */
static void do_fork(const struct json *told, struct text *out) {
  bool is_later = json_member(told, "later") != NULL, frees = json_member(told, "frees") != NULL;
  long long count = json_integer(told, "count", 100);
  int status = 0, number = wvg_fd(guard);
  pid_t child = fork();
  if (!child) {
    long long right = frees ? count : echoes("child", count, is_later);
    bool is_same = wvg_fd(guard) == number;
    wvg_free(guard);
    _exit(right == count && is_same ? 0 : 1);
  }
  if (frees) waitpid(child, &status, 0);
  write_integer(out, "parent", echoes("parent", count, is_later));
  if (!frees) waitpid(child, &status, 0);
  write_integer(out, "child", status);
}

/* The tag is kept until the program ends. */
static void do_ask_later(const struct json *told, struct text *out) {
  static struct pool tags;
  const char *tag = json_text(told, "tag");
  wvg_event event = told_event(json_member(told, "event"));
  void *context = tag ? pool_copy(&tags, tag, strlen(tag)) : NULL;
  write_integer(out, "ticket", (long long)wvg_ask_later(guard, told_kind(told), &event, hear_answer, context));
  write_integer(out, "timeout", wvg_timeout_ms(guard));
}

static void do_cancel(const struct json *told, struct text *out) {
  (void)out;
  wvg_cancel(guard, (unsigned long)json_integer(told, "ticket", 0));
}

/* Runs an event loop on the descriptor alone, or on both, until so much was heard or the time is over. */
static void do_loop(const struct json *told, struct text *out) {
  bool is_by_timeout = json_member(told, "byTimeout") != NULL;
  long long answers = json_integer(told, "answers", 0), wanted = json_integer(told, "news", 0), turns = 0;
  int64_t end = now_ms() + json_integer(told, "ms", 30000), now;
  asks_again = json_member(told, "asksAgain") != NULL;
  unsubscribes = json_member(told, "unsubscribes") != NULL;
  while ((heard_count < answers || news_count < wanted || !(answers + wanted)) && (now = now_ms()) < end) {
    struct pollfd fd = {.fd = wvg_fd(guard), .events = POLLIN};
    int timeout = (int)(end - now), wish = wvg_timeout_ms(guard);
    if (is_by_timeout && wish >= 0 && wish < timeout) timeout = wish;
    turns++;
    if (poll(&fd, 1, timeout) > 0 || is_by_timeout) wvg_process(guard);
  }
  write_integer(out, "turns", turns);
  asks_again = unsubscribes = false;
}

/* Takes what was heard since the last time. */
static void do_heard(const struct json *told, struct text *out) {
  (void)told;
  struct text *const lists[] = {&heard, &news, &problems};
  const char *const names[] = {"answers", "news", "problems"};
  for (int index = 0; index < 3; index++) {
    write_name(out, names[index]);
    text_words(out, "[");
    text_add(out, lists[index]->bytes, lists[index]->length);
    text_words(out, "]");
    text_free(lists[index]);
  }
  heard_count = news_count = 0;
}

static wvg_result say_identity(const struct json *parameters, struct text *out) {
  wvg_identity identity = {
      .level = json_text(parameters, "level"),
      .window = json_text(parameters, "window"),
      .account = json_text(parameters, "account"),
      .accounts = told_texts(parameters, "accounts"),
      .gates = json_text(parameters, "gates"),
  };
  wvg_identity_state state;
  wvg_result result = wvg_set_identity(guard, &identity, &state);
  write_member(out, "previous", state.previous);
  write_member(out, "effectiveUI", state.effective_ui);
  write_member(out, "effectiveFile", state.effective_file);
  write_member(out, "level", state.level);
  write_member(out, "result", state.result);
  write_member(out, "reason", state.reason);
  return result;
}

static wvg_result say_viewer_known(const struct json *parameters, struct text *out) {
  wvg_viewer viewer = {
      .viewer = json_text(parameters, "viewer"),
      .viewer_class = json_text(parameters, "class"),
      .parent = json_text(parameters, "parent"),
      .window = json_text(parameters, "window"),
      .opener = json_text(parameters, "opener"),
      .kind = json_text(parameters, "kind"),
      .document = json_text(parameters, "document"),
      .policy = json_text(parameters, "policy"),
      .rule_set = json_text(parameters, "ruleSet"),
  };
  wvg_viewer_state state;
  wvg_result result = wvg_register_viewer(guard, &viewer, &state);
  write_member(out, "policy", state.policy);
  write_member(out, "policySource", state.policy_source);
  write_member(out, "ruleSet", state.rule_set);
  return result;
}

static wvg_result say_other(const char *method, const struct json *parameters, struct text *out) {
  const char *viewer = json_text(parameters, "viewer"), *reply = NULL;
  if (!strcmp(method, "SetDocument")) return wvg_set_document(guard, viewer, json_text(parameters, "document"));
  if (!strcmp(method, "ForgetViewer")) return wvg_forget_viewer(guard, viewer);
  if (!strcmp(method, "SetExternalURLRules"))
    return wvg_set_external_url_rules(guard, viewer, json_text(parameters, "ruleSet"));
  if (!strcmp(method, "SetWebViewPolicy"))
    return wvg_set_web_view_policy(guard, viewer, json_text(parameters, "policy"), NULL);
  if (!strcmp(method, "Answer"))
    return wvg_answer_switch(guard, json_text(parameters, "request"), json_text(parameters, "result"));
  bool is_text = parameters && parameters->type == JSON_TEXT;
  const char *raw = is_text ? parameters->text : json_source(&told_pool, parameters);
  wvg_result result = wvg_call(guard, method, raw, &reply);
  write_member(out, "reply", reply);
  return result;
}

static void do_say(const struct json *told, struct text *out) {
  const char *method = json_text(told, "method");
  const struct json *parameters = json_member(told, "parameters");
  wvg_result result;
  if (!strcmp(method, "SetIdentity")) result = say_identity(parameters, out);
  else if (!strcmp(method, "RegisterViewer")) result = say_viewer_known(parameters, out);
  else result = say_other(method, parameters, out);
  write_member(out, "said", result == WVG_DONE ? "done" : result == WVG_LATER ? "later" : "refused");
  write_member(out, "error", wvg_error(guard));
  if (wvg_error_parameters(guard)) write_name(out, "parameters");
  if (wvg_error_parameters(guard)) text_words(out, wvg_error_parameters(guard));
}

/* Asks whether a page may be printed, as whoever is shown. */
static void print_as_shown(void *context) {
  wvg_event event = {.viewer = "docs"};
  const wvg_decision *decision = wvg_ask(guard, WVG_PRINT, &event);
  write_name(context, "decision");
  write_decision(context, decision);
  wvg_decision_free(decision);
}

/* Asks the same under one account, or under one inside another. */
static void do_scope(const struct json *told, struct text *out) {
  wvg_identity identity = {
      .level = json_text(told, "level"), .window = json_text(told, "window"), .account = json_text(told, "account")};
  wvg_identity outer = {.account = json_text(told, "outer")};
  wvg_scope *scope = outer.account ? wvg_scope_begin(guard, &outer) : NULL;
  wvg_result result = wvg_with_identity(guard, &identity, print_as_shown, out);
  write_member(out, "error", wvg_error(guard));
  write_member(out, "said", result == WVG_DONE ? "done" : result == WVG_LATER ? "later" : "refused");
  wvg_scope_end(scope);
}

/* The credential for a decision as the daemon would have told it, or without one for a local one. */
static void do_credential(const struct json *told, struct text *out) {
  const struct json *said = json_member(told, "decision");
  wvg_decision read;
  struct pool none = {0};
  const wvg_decision *decision = said && read_decision(&told_pool, said, &read) ? answer_new(&read, &none) : NULL;
  if (!decision) decision = answer_local(WVG_ALLOW, "noAnswer");
  wvg_credential *credential = wvg_credential_ask(decision, json_text(told, "url"));
  write_member(out, "value", wvg_credential_wait(credential, (int)json_integer(told, "ms", 0)));
  wvg_credential_free(credential);
  wvg_decision_free(decision);
}

/* ---- Threads with scopes of their own ----------------------------------------------------------------------------- */

enum { WORKERS = 4, SCOPES = 8 };

/* One that has a handle and scopes of its own; `main` has the program's handle. */
static struct worker {
  char name[16];
  wvg *handle;
  wvg_scope *scopes[SCOPES];
  int depth;
} workers[WORKERS];

/* One step, done in a thread of its own: a handle is for one thread at a time, whichever that is. */
struct step {
  struct worker *worker;
  const struct json *told;
  struct text *out;
};

static void *take_step(void *context) {
  struct step *step = context;
  struct worker *worker = step->worker;
  if (json_member(step->told, "ask") || json_member(step->told, "asks")) {
    const wvg_decision *decision = wvg_ask(worker->handle, WVG_PRINT, &(wvg_event){.viewer = "docs"});
    write_name(step->out, "decision");
    write_decision(step->out, decision);
    wvg_decision_free(decision);
  } else if (json_member(step->told, "begins")) {
    const wvg_identity identity = {.account = json_text(step->told, "begin")};
    wvg_scope *scope = wvg_scope_begin(worker->handle, &identity);
    write_member(step->out, "error", wvg_error(worker->handle));
    if (scope) worker->scopes[worker->depth++] = scope;
  } else {
    wvg_scope_end(worker->scopes[--worker->depth]);
  }
  return NULL;
}

static struct worker *worker_named(const char *name) {
  struct worker *worker = workers;
  while (*worker->name && strcmp(worker->name, name)) worker++;
  if (*worker->name) return worker;
  snprintf(worker->name, sizeof worker->name, "%s", name);
  worker->handle = strcmp(name, "main") ? wvg_join(guard) : guard;
  return worker;
}

static void do_step(const struct json *told, struct text *out) {
  struct step step = {worker_named(json_text(told, "in")), told, out};
  pthread_t thread;
  pthread_create(&thread, NULL, take_step, &step);
  pthread_join(thread, NULL);
}

/* The handles of the workers are no more needed. */
static void do_part(const struct json *told, struct text *out) {
  (void)told;
  (void)out;
  for (struct worker *worker = workers; worker < workers + WORKERS; worker++) {
    if (worker->handle != guard) wvg_free(worker->handle);
    *worker = (struct worker){0};
  }
}

/* A thread that asks again and again under an account of its own, and counts what it was asked as. */
struct racer {
  pthread_t thread;
  const char *account;
  long long count, right;
};

static void *race(void *context) {
  struct racer *racer = context;
  wvg *handle = wvg_join(guard);
  wvg_scope *scope = wvg_scope_begin(handle, &(wvg_identity){.account = racer->account});
  for (long long asked = 0; scope && asked < racer->count; asked++) {
    const wvg_decision *decision = wvg_ask(handle, WVG_PRINT, &(wvg_event){.viewer = "docs"});
    racer->right += decision->identity && !strcmp(decision->identity, racer->account);
    wvg_decision_free(decision);
  }
  wvg_scope_end(scope);
  wvg_free(handle);
  return NULL;
}

/* So many threads at a time, each under one of the accounts; the program's own handle asks meanwhile. */
static void do_race(const struct json *told, struct text *out) {
  struct racer racers[8] = {0};
  const char *const *accounts = told_texts(told, "accounts");
  int count = 0;
  for (; accounts[count] && count < 8; count++) {
    racers[count] = (struct racer){.account = accounts[count], .count = json_integer(told, "count", 1)};
    pthread_create(&racers[count].thread, NULL, race, &racers[count]);
  }
  for (long long asked = json_integer(told, "count", 1); asked > 0; asked--)
    wvg_decision_free(wvg_ask(guard, WVG_PRINT, &(wvg_event){.viewer = "docs"}));
  text_words(out, "\"right\":[");
  for (int index = 0; index < count; index++) {
    char digits[32];
    pthread_join(racers[index].thread, NULL);
    snprintf(digits, sizeof digits, "%lld", racers[index].right);
    write_comma(out);
    text_words(out, digits);
  }
  text_words(out, "]");
}

/* ---- Accounts ---------------------------------------------------------------------------------------------------- */

static void write_account(struct text *out, const wvg_account *account) {
  write_fields(out, account_members, ACCOUNT_MEMBERS, account);
  write_integer(out, "number", account->number);
  write_truth(out, "isSuccess", account->is_success ? WVG_YES : WVG_NO);
  write_truth(out, "mustRemove", account->must_remove ? WVG_YES : WVG_NO);
  write_truth(out, "mayWork", account->may_work ? WVG_YES : WVG_NO);
  write_truth(out, "mustEncrypt", account->must_encrypt ? WVG_YES : WVG_NO);
}

static wvg_result list_accounts(struct text *out) {
  wvg_account_list list;
  wvg_result result = wvg_list_accounts(guard, &list);
  write_member(out, "enrolled", list.enrolled);
  write_name(out, "accounts");
  text_words(out, "[");
  for (size_t index = 0; index < list.count; index++) {
    write_comma(out);
    text_words(out, "{");
    write_account(out, &list.accounts[index]);
    text_words(out, "}");
  }
  text_words(out, "]");
  return result;
}

static wvg_result say_of_accounts(const char *call, const struct json *told, struct text *out) {
  const char *name = json_text(told, "account"), *device = NULL, *request = NULL;
  wvg_account status = {0};
  wvg_sign_in sign_in = {0};
  wvg_allowed_accounts allowed = {0};
  wvg_result result = WVG_REFUSED;
  if (!strcmp(call, "List")) return list_accounts(out);
  if (!strcmp(call, "Register")) result = wvg_register_account(guard, name, &status);
  if (!strcmp(call, "Deregister")) result = wvg_deregister_account(guard, name, json_text(told, "data"), &status);
  if (!strcmp(call, "DeviceAccount")) result = wvg_device_account(guard, &device);
  if (!strcmp(call, "MaySignIn")) result = wvg_may_sign_in(guard, name, &sign_in);
  if (!strcmp(call, "AllowedAccounts")) result = wvg_list_allowed_accounts(guard, &allowed);
  if (!strcmp(call, "Remediate")) result = wvg_remediate(guard, name, json_member(told, "silent") != NULL, &request);
  if (!strcmp(call, "Complete"))
    result = wvg_complete(guard, json_text(told, "request"), json_text(told, "result"), &status);
  write_member(out, "request", request);
  if (status.account) write_account(out, &status);
  if (sign_in.state) write_fields(out, sign_in_members, SIGN_IN_MEMBERS, &sign_in);
  if (allowed.must_sign_out) write_fields(out, allowed_members, ALLOWED_MEMBERS, &allowed);
  if (device) write_member(out, "account", device);
  return result;
}

static void do_account(const struct json *told, struct text *out) {
  wvg_result result = say_of_accounts(json_text(told, "call"), json_member(told, "arguments"), out);
  write_member(out, "said", result == WVG_DONE ? "done" : result == WVG_LATER ? "later" : "refused");
  write_member(out, "error", wvg_error(guard));
}

static void write_number(struct text *out, const char *name, double number) {
  char digits[64];
  snprintf(digits, sizeof digits, "%.17g", number);
  write_name(out, name);
  text_words(out, digits);
}

static void write_config_value(struct text *out, const char *name, const wvg_config_value *value) {
  if (value->type == WVG_BOOLEAN) write_truth(out, name, value->boolean ? WVG_YES : WVG_NO);
  if (value->type == WVG_NUMBER) write_number(out, name, value->number);
  if (value->type == WVG_STRING) write_member(out, name, value->string);
}

/* All getters of a key, each by its type and choice: `bool.or`. What has no value is left out. */
static void write_getters(struct text *out, const wvg_config *config, const char *key) {
  static const char *const names[][3] = {
      {"bool.any", "number.any", "string.any"}, {"bool.or", "number.or", "string.or"},
      {"bool.and", "number.and", "string.and"}, {"bool.min", "number.min", "string.min"},
      {"bool.max", "number.max", "string.max"}};
  for (int choice = WVG_ANY; choice <= WVG_MAX; choice++) {
    bool truth;
    double number;
    if (wvg_config_boolean(config, key, (wvg_choice)choice, &truth))
      write_truth(out, names[choice][0], truth ? WVG_YES : WVG_NO);
    if (wvg_config_number(config, key, (wvg_choice)choice, &number)) write_number(out, names[choice][1], number);
    write_member(out, names[choice][2], wvg_config_string(config, key, (wvg_choice)choice));
  }
  write_truth(out, "conflict", wvg_config_has_conflict(config, key) ? WVG_YES : WVG_NO);
  const wvg_config_value *all[16];
  size_t count = wvg_config_all(config, key, all, 16);
  write_name(out, "all");
  text_words(out, "[");
  for (size_t index = 0; index < count && index < 16; index++) {
    write_comma(out);
    text_words(out, "{");
    write_config_value(out, "value", all[index]);
    text_words(out, "}");
  }
  text_words(out, "]");
}

static void do_config(const struct json *told, struct text *out) {
  wvg_config_list list;
  wvg_result result = wvg_get_config(guard, told_texts(told, "accounts"), &list);
  write_member(out, "said", result == WVG_DONE ? "done" : result == WVG_LATER ? "later" : "refused");
  write_member(out, "error", wvg_error(guard));
  write_name(out, "accounts");
  text_words(out, "[");
  for (size_t index = 0; index < list.count; index++) {
    write_comma(out);
    text_words(out, "{");
    write_member(out, "account", list.configs[index].account);
    write_member(out, "state", list.configs[index].state);
    write_integer(out, "count", (long long)list.configs[index].count);
    write_getters(out, &list.configs[index], json_text(told, "key"));
    text_words(out, "}");
  }
  text_words(out, "]");
}

static void do_rules(const struct json *told, struct text *out) {
  wvg_rules rules = {.gaps = 99};
  wvg_result result = wvg_export_rules(guard, json_text(told, "format"), json_text(told, "class"), &rules);
  write_member(out, "said", result == WVG_DONE ? "done" : result == WVG_LATER ? "later" : "refused");
  write_member(out, "error", wvg_error(guard));
  write_member(out, "document", rules.document);
  write_member(out, "digest", rules.digest);
  write_integer(out, "generation", rules.generation);
  write_integer(out, "gaps", rules.gaps);
}

static void do_organization(const struct json *told, struct text *out) {
  (void)told;
  wvg_organization known = {0};
  write_truth(out, "known", wvg_get_organization(guard, &known) ? WVG_YES : WVG_NO);
  write_member(out, "name", known.name);
  write_member(out, "contact", known.contact);
  write_member(out, "contactLink", known.contact_link);
  write_member(out, "color", known.color);
  write_member(out, "darkColor", known.dark_color);
}

/* What the client makes of names and words. */
static void do_words(const struct json *told, struct text *out) {
  char key[256] = "";
  const char *one = json_text(told, "one"), *other = json_text(told, "other"), *word = json_text(told, "word");
  if (one) write_integer(out, "length", (long long)wvg_account_key(one, key, sizeof key));
  write_member(out, "key", key);
  write_truth(out, "are", wvg_same_account(one, other) ? WVG_YES : WVG_NO);
  write_integer(out, "enrollment", wvg_enrollment_number(word));
  write_integer(out, "compliance", wvg_compliance_number(word));
  write_truth(out, "mayWork", wvg_may_work(word) ? WVG_YES : WVG_NO);
}

static void do_acknowledge(const struct json *told, struct text *out) {
  wvg_decision decision = {.id = json_text(told, "id"), .is_local = json_member(told, "isLocal") != NULL};
  const char *word = json_text(told, "outcome");
  bool is_sent = wvg_acknowledge(guard, &decision, outcome_of(word), json_text(told, "justification"));
  write_truth(out, "sent", is_sent ? WVG_YES : WVG_NO);
}

static void do_go_on(const struct json *told, struct text *out) {
  wvg_decision decision = {.id = json_text(told, "id"), .is_local = json_member(told, "isLocal") != NULL};
  wvg_result result = wvg_go_on(guard, &decision, json_text(told, "justification"));
  write_truth(out, "goesOn", result == WVG_DONE ? WVG_YES : WVG_NO);
  if (result == WVG_REFUSED) write_member(out, "error", wvg_error(guard));
}

static void do_subscribe(const struct json *told, struct text *out) {
  wvg_news_callback *callback = json_member(told, "ends") ? NULL : hear_news;
  write_truth(out, "made", wvg_subscribe(guard, told_texts(told, "topics"), callback, NULL) ? WVG_YES : WVG_NO);
}

/* The names of the handlers are kept until the program ends. */
static void do_listen(const struct json *told, struct text *out) {
  static struct pool names;
  wvg_handler handlers[16] = {0};
  const struct json *name = json_member(told, "handlers");
  int count = 0;
  for (name = name ? name->first : NULL; name && count < 15; name = name->next) {
    const char *copy = pool_copy(&names, name->text, strlen(name->text));
    handlers[count++] = (wvg_handler){.topic = name->text, .callback = hear_topic, .context = (void *)copy};
  }
  write_truth(out, "made", wvg_listen(guard, handlers) ? WVG_YES : WVG_NO);
}

/* The topics that the client knows. */
static void do_topics(const struct json *told, struct text *out) {
  (void)told;
  write_name(out, "topics");
  text_words(out, "[");
  for (int topic = 0; topic < TOPICS; topic++) {
    write_comma(out);
    write_text(out, topic_words[topic]);
  }
  text_words(out, "]");
}

static void do_status(const struct json *told, struct text *out) {
  (void)told;
  static const char *const families[] = {"navigation", "clipboard", "other"};
  write_truth(out, "connected", wvg_is_connected(guard) ? WVG_YES : WVG_NO);
  write_integer(out, "fd", wvg_fd(guard));
  write_integer(out, "timeout", wvg_timeout_ms(guard));
  write_integer(out, "startMs", guard->contract.start_ms);
  write_integer(out, "answerMs", guard->contract.answer_ms);
  for (int family = 0; family <= OTHER; family++)
    write_member(out, families[family], guard->contract.is_open[family] ? "open" : "closed");
}

/* What the app did not claim: words with their costs. */
static void do_missing(const struct json *told, struct text *out) {
  (void)told;
  size_t count = 99;
  const wvg_missing_feature *missing = wvg_get_missing_features(guard, &count);
  for (size_t index = 0; index < count; index++) write_member(out, missing[index].feature, missing[index].cost);
}

/* The action that a question would be sent with, at a time of the test's. */
static void do_action(const struct json *told, struct text *out) {
  wvg_event event = told_event(json_member(told, "event"));
  int64_t time = json_integer(told, "at", 0) + 1000000;
  write_member(out, "action", question_action(guard, told_kind(told), &event, time));
}

/* The outcome that a word means. */
static void do_outcome(const struct json *told, struct text *out) {
  write_member(out, "outcome", outcome_words[outcome_of(json_text(told, "word"))]);
}

static void write_names(struct text *out, const char *name, const struct member *members, int count) {
  write_name(out, name);
  text_words(out, "[");
  for (int index = 0; index < count; index++) {
    write_comma(out);
    write_text(out, members[index].name);
  }
  text_words(out, "]");
}

/* The members of Event that are written, and of Decision, of news and of an account that are read. */
static void do_members(const struct json *told, struct text *out) {
  (void)told;
  write_names(out, "event", event_members, EVENT_MEMBERS);
  write_names(out, "decision", decision_members, DECISION_MEMBERS);
  write_names(out, "news", news_members, NEWS_MEMBERS);
  write_names(out, "account", account_members, ACCOUNT_MEMBERS);
}

/* Asks without standard descriptors, and gives the connection's. */
static void do_bare(const struct json *told, struct text *out) {
  (void)told;
  int status = 0;
  pid_t child = fork();
  if (!child) {
    for (int number = 0; number < 3; number++) close(number);
    wvg_decision_free(wvg_ask(guard, WVG_PRINT, NULL));
    _exit(guard->main.socket < 0 ? 0 : guard->main.socket);
  }
  waitpid(child, &status, 0);
  write_integer(out, "socket", WEXITSTATUS(status));
}

/* A child closes the connection, or all that the handle has, and puts files of its own there; how many of these stay as they
   were, whether what they hold is taken for an answer, and whether there is an answer again. */
static void do_lose(const struct json *told, struct text *out) {
  static const char planted[] = "{\"parameters\":{\"decision\":{\"outcome\":\"allow\",\"id\":\"1\",\"reason\":\"planted\"}}}";
  bool is_all = json_member(told, "all") != NULL;
  int status = 0;
  pid_t child = fork();
  if (!child) {
    wvg_event event = {.viewer = "v"};
    wvg_decision_free(wvg_ask(guard, WVG_PRINT, &event));
    int numbers[] = {guard->main.socket, guard->poll, guard->timer}, pair[2];
    const wvg_decision *decision = NULL;
    bool is_right = !socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    for (int index = 0; index < (is_all ? 3 : 1); index++) is_right &= dup2(pair[0], numbers[index]) >= 0;
    is_right &= send(pair[1], planted, sizeof planted, 0) == sizeof planted;
    for (int turn = 0; turn < 3; turn++) {
      if (decision) wvg_decision_free(decision);
      decision = wvg_ask(guard, WVG_PRINT, &event);
      is_right &= strcmp(decision->reason, "planted") != 0;
      guard->main.not_before = guard->main.not_asked_before = 0;
    }
    is_right &= !strcmp(decision->reason, "v");
    wvg_free(guard);
    for (int index = 0; index < (is_all ? 3 : 1); index++) is_right &= inode_of(numbers[index]) == inode_of(pair[0]);
    char kept[sizeof planted];
    is_right &= recv(pair[0], kept, sizeof kept, MSG_DONTWAIT) == sizeof kept;
    _exit(is_right ? 0 : 1);
  }
  waitpid(child, &status, 0);
  write_integer(out, "child", status);
}

static void do_free(const struct json *told, struct text *out) {
  (void)told;
  (void)out;
  wvg_free(guard);
  guard = NULL;
}

static const struct {
  const char *name;
  command *run;
} commands[] = {
    {"new", do_new},           {"start", do_start},     {"ask", do_ask},
    {"askMany", do_ask_many},  {"askLater", do_ask_later}, {"cancel", do_cancel},
    {"loop", do_loop},         {"heard", do_heard},     {"say", do_say},
    {"status", do_status},     {"action", do_action},     {"acknowledge", do_acknowledge},
    {"goOn", do_go_on},
    {"missing", do_missing},   {"rules", do_rules},       {"organization", do_organization},
    {"outcome", do_outcome},   {"members", do_members}, {"subscribe", do_subscribe},
    {"listen", do_listen},     {"topics", do_topics},
    {"account", do_account}, {"config", do_config},   {"words", do_words},
    {"step", do_step},         {"part", do_part},
    {"fork", do_fork},         {"bare", do_bare},         {"lose", do_lose},
    {"race", do_race},         {"free", do_free},         {"scope", do_scope},
    {"credential", do_credential},
};

static bool obey(const char *line, size_t length) {
  struct text out = {0};
  const struct json *told = json_read(&told_pool, line, length);
  const char *name = json_text(told, "do");
  text_words(&out, "{");
  for (size_t index = 0; name && index < sizeof commands / sizeof *commands; index++) {
    if (strcmp(commands[index].name, name)) continue;
    commands[index].run(told, &out);
    give(&out);
    pool_free(&told_pool);
    return true;
  }
  fprintf(stderr, "what is this? %s\n", line);
  return false;
}

int main(void) {
  char *line = NULL;
  size_t capacity = 0;
  ssize_t length;
  bool is_understood = true;
  while (is_understood && (length = getline(&line, &capacity, stdin)) > 0) is_understood = obey(line, (size_t)length);
  free(line);
  wvg_free(guard);
  text_free(&heard);
  text_free(&news);
  text_free(&problems);
  return is_understood ? 0 : 1;
}
