/* What the engine asks nobody about: images, scripts, fetch, beacons, WebSockets. WebKit gets the guard's own rules.

   The daemon exports them as a list of WebKit's content blocker, which is compiled into the engine and works without the
   daemon. Pages and frames are asked about one by one, so the rules about those stay out: the daemon knows exceptions that
   no rule does. Until there is a list, pages load nothing by themselves. One list for each class. */
#include <glib/gstdio.h>
#include <string.h>

#include "private.h"

/* The daemon makes rules beside its other work: a page waits so long for the first ones, and then it loads nothing. */
#define AGAIN_MS 50
#define PATIENCE_MICROSECONDS (5 * G_USEC_PER_SEC)

/* The rules of one class, and the content managers that are to have them. Counts its references. */
typedef struct {
  WvgWebKitGuard *guard; /* A reference while something is under way. */
  char *class;
  WebKitUserContentFilter *filter; /* NULL until there is one. */
  char *sum;                       /* Of what it was compiled from: another policy may have the same rules. */
  gint64 began;
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
  char *directory;
  WebKitUserContentFilterStore *store;
  GHashTable *lists; /* Class to List, each a reference. */
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
    "[{\"trigger\":{\"url-filter\":\"^https?:\",\"resource-type\":[\"image\",\"style-sheet\",\"script\",\"font\",\"raw\","
    "\"svg-document\",\"media\",\"ping\"]},\"action\":{\"type\":\"block\"}},"
    "{\"trigger\":{\"url-filter\":\"^wss?:\",\"resource-type\":[\"raw\"]},\"action\":{\"type\":\"block\"}}]";

static void renew(List *list);

static void list_clear(gpointer data) {
  List *list = data;
  if (list->filter) webkit_user_content_filter_unref(list->filter);
  g_ptr_array_unref(list->contents);
  g_array_unref(list->waiting);
  g_free(list->sum);
  g_free(list->class);
}

static void list_unref(List *list) { g_rc_box_release_full(list, list_clear); }

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
  list_unref(list);
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

/* ---- From the daemon to the engine ------------------------------------------------------------------------------- */

static void compiled(GObject *store, GAsyncResult *result, gpointer data) {
  List *list = data;
  g_autoptr(GError) error = NULL;
  WebKitUserContentFilter *filter =
      webkit_user_content_filter_store_save_finish(WEBKIT_USER_CONTENT_FILTER_STORE(store), result, &error);
  if (filter) {
    if (list->filter) webkit_user_content_filter_unref(list->filter);
    list->filter = filter;
    put_into_all(list);
  } else {
    g_clear_pointer(&list->sum, g_free);
    guard_problem(list->guard, "the rules cannot be compiled: %s", error->message);
  }
  done(list);
}

static void compile(List *list, const char *text) {
  Rules *rules = rules_of(list);
  g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
  if (!rules || !g_strcmp0(sum, list->sum)) {
    done(list);
    return;
  }
  g_free(list->sum);
  list->sum = g_steal_pointer(&sum);
  g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
  webkit_user_content_filter_store_save(rules->store, list->class, bytes, NULL, compiled, list);
}

/* What was exported before stays; without any, pages load nothing by themselves. */
static void failed(List *list, const char *problem) {
  guard_problem(list->guard, "the rules cannot be exported: %s", problem);
  if (list->filter) done(list);
  else compile(list, nothing);
}

static void exported(List *list, const char *document) {
  g_autoptr(JSCContext) context = jsc_context_new();
  g_autoptr(JSCValue) keep = jsc_context_evaluate(context, of_resources, -1);
  g_autoptr(JSCValue) kept = jsc_value_function_call(keep, G_TYPE_STRING, document, G_TYPE_NONE);
  JSCException *exception = jsc_context_get_exception(context);
  g_autofree char *rules = exception ? NULL : jsc_value_to_string(kept);
  if (exception) failed(list, jsc_exception_get_message(exception));
  else compile(list, rules);
}

/* Asks for the rules; again after a while, until the daemon has made them. */
static gboolean ask(gpointer data) {
  List *list = data;
  if (!rules_of(list)) {
    done(list);
    return G_SOURCE_REMOVE;
  }
  wvg *guard = list->guard->guard;
  wvg_rules rules;
  wvg_result result = wvg_export_rules(guard, "webkit-content-blocker", list->class, &rules);
  gboolean waits = list->filter || g_get_monotonic_time() - list->began < PATIENCE_MICROSECONDS;
  if (result == WVG_DONE) {
    exported(list, rules.document);
  } else if (result == WVG_REFUSED || !waits) {
    list->is_stale = list->is_stale || result == WVG_LATER;
    failed(list, result == WVG_LATER ? "the daemon is still making them" : wvg_error(guard));
  } else {
    g_timeout_add(AGAIN_MS, ask, list);
  }
  return G_SOURCE_REMOVE;
}

/* Exports the rules again, one at a time: the store keeps one file for each class. Not within a callback of the client. */
static void renew(List *list) {
  list->is_stale = TRUE;
  if (list->is_busy || !rules_of(list)) return;
  list->is_busy = TRUE;
  list->is_stale = FALSE;
  list->began = g_get_monotonic_time();
  g_object_ref(list->guard);
  g_rc_box_acquire(list);
  g_idle_add(ask, list);
}

/* ---- What others call -------------------------------------------------------------------------------------------- */

static void weak_free(gpointer data) {
  g_weak_ref_clear(data);
  g_free(data);
}

static List *list_of(Rules *rules, const char *class) {
  List *list = g_hash_table_lookup(rules->lists, class);
  if (list) return list;
  list = g_rc_box_new0(List);
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

static void list_free(gpointer data) {
  let_go(data);
  list_unref(data);
}

Rules *rules_new(WvgWebKitGuard *guard) {
  Rules *rules = g_new0(Rules, 1);
  rules->guard = guard;
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
  g_free(rules->directory);
  g_free(rules);
}
