/* What the engine asks nobody about: images, scripts, fetch, beacons, WebSockets. WebKit gets the guard's own rules.

   The daemon's rules are exported as a list of WebKit's content blocker, which is compiled into the engine and works
   without the daemon. Pages and frames are asked about one by one, so the rules about those stay out: the daemon knows
   exceptions that no rule does. Until there is a list, pages load nothing by themselves. One list for each class. */
#include <glib/gstdio.h>
#include <string.h>

#include "private.h"

/* The rules of one class, and the content managers that are to have them. */
typedef struct {
  WvgWebKitGuard *guard; /* A reference while something is under way. */
  char *class;
  WebKitUserContentFilter *filter; /* NULL until there is one. */
  GPtrArray *contents;             /* Weak pointers, in boxes of their own. */
  GArray *waiting;                 /* Of Wait. */
  gboolean is_busy, is_stale;
} List;

typedef struct {
  Ready *ready;
  gpointer data;
} Wait;

struct Rules {
  WvgWebKitGuard *guard;
  char **command;
  char *directory;
  WebKitUserContentFilterStore *store;
  GHashTable *lists; /* Class to List. */
  gboolean is_ended;
};

/* Keeps what rules say of anything but documents. The engine takes no empty list. */
static const char of_resources[] =
    "(text => { const all = ['image','style-sheet','script','font','raw','svg-document','media','ping'];"
    " const kept = []; for (const rule of JSON.parse(text)) {"
    "  const kinds = (rule.trigger['resource-type'] || all).filter(kind => kind !== 'document');"
    "  if (kinds.length) kept.push({...rule, trigger: {...rule.trigger, 'resource-type': kinds}}); }"
    " return JSON.stringify(kept.length ? kept :"
    "  [{trigger: {'url-filter': '^$'}, action: {type: 'ignore-previous-rules'}}]); })";
static const char nothing[] =
    "[{\"trigger\":{\"url-filter\":\"^(https?|wss?|ftp):\",\"resource-type\":[\"image\",\"style-sheet\",\"script\",\"font\","
    "\"raw\",\"svg-document\",\"media\",\"ping\"]},\"action\":{\"type\":\"block\"}}]";
static const char nothing_listed[] =
    "[{\"trigger\":{\"url-filter\":\"^https?:\",\"resource-type\":[\"image\",\"style-sheet\",\"script\",\"font\",\"raw\","
    "\"svg-document\",\"media\",\"ping\"]},\"action\":{\"type\":\"block\"}},"
    "{\"trigger\":{\"url-filter\":\"^wss?:\",\"resource-type\":[\"raw\"]},\"action\":{\"type\":\"block\"}}]";

static void renew(List *list);

/* ---- Ends of what is under way ----------------------------------------------------------------------------------- */

static Rules *rules_of(List *list) { return list->guard->guard ? list->guard->rules : NULL; }

static void let_go(List *list) {
  GArray *waiting = g_steal_pointer(&list->waiting);
  list->waiting = g_array_new(FALSE, FALSE, sizeof(Wait));
  for (unsigned index = 0; index < waiting->len; index++) {
    Wait *wait = &g_array_index(waiting, Wait, index);
    wait->ready(wait->data);
  }
  g_array_unref(waiting);
}

static void done(List *list) {
  WvgWebKitGuard *guard = list->guard;
  list->is_busy = FALSE;
  let_go(list);
  if (guard->guard && list->is_stale) renew(list);
  g_object_unref(guard);
}

static void put_into(List *list, WebKitUserContentManager *content) {
  webkit_user_content_manager_remove_filter_by_id(content, list->class);
  if (list->filter) webkit_user_content_manager_add_filter(content, list->filter);
}

static void put_into_all(List *list) {
  for (unsigned index = list->contents->len; index-- > 0;) {
    g_autoptr(WebKitUserContentManager) content = g_weak_ref_get(g_ptr_array_index(list->contents, index));
    if (content) put_into(list, content);
    else g_ptr_array_remove_index_fast(list->contents, index);
  }
}

/* ---- From the command's output to the engine --------------------------------------------------------------------- */

static void failed(List *list, const char *problem);

static void compiled(GObject *store, GAsyncResult *result, gpointer data) {
  List *list = data;
  g_autoptr(GError) error = NULL;
  WebKitUserContentFilter *filter =
      webkit_user_content_filter_store_save_finish(WEBKIT_USER_CONTENT_FILTER_STORE(store), result, &error);
  if (!filter) {
    failed(list, error->message);
    return;
  }
  if (list->filter) webkit_user_content_filter_unref(list->filter);
  list->filter = filter;
  put_into_all(list);
  done(list);
}

static void compile(List *list, const char *text) {
  Rules *rules = rules_of(list);
  if (!rules) {
    done(list);
    return;
  }
  g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
  webkit_user_content_filter_store_save(rules->store, list->class, bytes, NULL, compiled, list);
}

/* What was exported before stays; without any, pages load nothing by themselves. */
static void failed(List *list, const char *problem) {
  guard_problem(list->guard, "the rules cannot be exported: %s", problem);
  if (list->filter || !g_strcmp0(problem, nothing)) done(list);
  else compile(list, nothing_listed);
}

static void exported(GObject *process, GAsyncResult *result, gpointer data) {
  List *list = data;
  g_autofree char *text = NULL, *problems = NULL;
  g_autoptr(GError) error = NULL;
  GSubprocess *command = G_SUBPROCESS(process);
  if (!g_subprocess_communicate_utf8_finish(command, result, &text, &problems, &error) ||
      !g_subprocess_get_successful(command)) {
    failed(list, error ? error->message : problems && *problems ? problems : "the command failed");
    return;
  }
  g_autoptr(JSCContext) context = jsc_context_new();
  g_autoptr(JSCValue) keep = jsc_context_evaluate(context, of_resources, -1);
  g_autoptr(JSCValue) kept = jsc_value_function_call(keep, G_TYPE_STRING, text, G_TYPE_NONE);
  JSCException *exception = jsc_context_get_exception(context);
  g_autofree char *rules = exception ? NULL : jsc_value_to_string(kept);
  if (exception) failed(list, jsc_exception_get_message(exception));
  else compile(list, rules);
}

static GSubprocess *start(Rules *rules, const char *class, GError **error) {
  g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
  for (char **word = rules->command; *word; word++)
    g_ptr_array_add(words, g_strdup(strcmp(*word, "%s") ? *word : class));
  g_ptr_array_add(words, NULL);
  GSubprocessFlags pipes = G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE;
  return g_subprocess_newv((const char *const *)words->pdata, pipes, error);
}

/* Exports the rules again, one at a time: the store keeps one file for each class. */
static void renew(List *list) {
  list->is_stale = TRUE;
  Rules *rules = rules_of(list);
  if (list->is_busy || !rules) return;
  list->is_busy = TRUE;
  list->is_stale = FALSE;
  g_object_ref(list->guard);
  g_autoptr(GError) error = NULL;
  g_autoptr(GSubprocess) command = start(rules, list->class, &error);
  if (command) g_subprocess_communicate_utf8_async(command, NULL, NULL, exported, list);
  else failed(list, error->message);
}

/* ---- What others call -------------------------------------------------------------------------------------------- */

static void weak_free(gpointer data) {
  g_weak_ref_clear(data);
  g_free(data);
}

static List *list_of(Rules *rules, const char *class) {
  List *list = g_hash_table_lookup(rules->lists, class);
  if (list) return list;
  list = g_new0(List, 1);
  list->guard = rules->guard;
  list->class = g_strdup(class);
  list->contents = g_ptr_array_new_with_free_func(weak_free);
  list->waiting = g_array_new(FALSE, FALSE, sizeof(Wait));
  g_hash_table_insert(rules->lists, list->class, list);
  return list;
}

static gboolean has(List *list, WebKitUserContentManager *content) {
  for (unsigned index = 0; index < list->contents->len; index++) {
    g_autoptr(WebKitUserContentManager) other = g_weak_ref_get(g_ptr_array_index(list->contents, index));
    if (other == content) return TRUE;
  }
  return FALSE;
}

void rules_guard(
    Rules *rules, WebKitUserContentManager *content, const char *viewer_class, Ready *ready, gpointer data) {
  List *list = list_of(rules, viewer_class);
  if (!has(list, content)) {
    GWeakRef *weak = g_new(GWeakRef, 1);
    g_weak_ref_init(weak, content);
    g_ptr_array_add(list->contents, weak);
    if (list->filter) put_into(list, content);
  }
  if (list->filter) {
    ready(data);
    return;
  }
  Wait wait = {ready, data};
  g_array_append_val(list->waiting, wait);
  if (!list->is_busy) renew(list);
}

void rules_renew(Rules *rules) {
  GHashTableIter lists;
  gpointer list;
  g_hash_table_iter_init(&lists, rules->lists);
  while (g_hash_table_iter_next(&lists, NULL, &list)) renew(list);
}

void rules_set_command(Rules *rules, const char *const *command) {
  g_strfreev(rules->command);
  rules->command = g_strdupv((char **)command);
  rules_renew(rules);
}

static void list_free(gpointer data) {
  List *list = data;
  let_go(list);
  if (list->filter) webkit_user_content_filter_unref(list->filter);
  g_ptr_array_unref(list->contents);
  g_array_unref(list->waiting);
  g_free(list->class);
  g_free(list);
}

Rules *rules_new(WvgWebKitGuard *guard) {
  Rules *rules = g_new0(Rules, 1);
  rules->guard = guard;
  const char *const command[] =
      {"webviewguard", "export", "--for", "webkit-content-blocker", "--app", guard->app, "--class", "%s", NULL};
  rules->command = g_strdupv((char **)command);
  rules->directory = g_dir_make_tmp("wvg-rules-XXXXXX", NULL);
  rules->store = webkit_user_content_filter_store_new(rules->directory ? rules->directory : g_get_user_cache_dir());
  rules->lists = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, list_free);
  return rules;
}

static void remove_directory(const char *path) {
  GDir *directory = g_dir_open(path, 0, NULL);
  for (const char *name; directory && (name = g_dir_read_name(directory));) {
    g_autofree char *file = g_build_filename(path, name, NULL);
    g_remove(file);
  }
  if (directory) g_dir_close(directory);
  g_rmdir(path);
}

void rules_free(Rules *rules) {
  if (rules->directory) remove_directory(rules->directory);
  g_hash_table_unref(rules->lists);
  g_object_unref(rules->store);
  g_strfreev(rules->command);
  g_free(rules->directory);
  g_free(rules);
}
