/* WPE: a veil over the engine's pasteboard. libwpe keeps it in the memory of this process, where no other program
   reads it, but a page of another account may paste it. As in GTK 4, what may not be read everywhere is taken away, the
   notice lies there in its place, and the script of the page is given the text of a paste that was allowed.

   Nobody tells of a change. What was seen is marked by a type of our own, which whatever the engine writes replaces: it
   is looked for behind each copy, and before each paste. */
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "private.h"

#define TEXT_TYPE "text/plain;charset=utf-8"
#define SEEN_TYPE "application/x-webviewguard-seen"

typedef struct {
  VeilChanged *changed;
  gpointer data;
} Watcher;

static struct {
  GHashTable *content; /* What the engine put there: types to GBytes. NULL for nothing. */
  gboolean is_down;
  GArray *watchers;
} veil;

static struct wpe_pasteboard *board(void) { return wpe_pasteboard_get_singleton(); }

/* ---- Whose pasteboard it is -------------------------------------------------------------------------------------- */

/* A backend may bring a pasteboard of its own, which may be that of the session. Those of Debian bring none. */
static gboolean is_of_process(void) {
  const char *name = wpe_loader_get_loaded_implementation_library_name();
  void *backend = name ? dlopen(name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  if (!backend) return FALSE;
  struct wpe_loader_interface *loader = dlsym(backend, "_wpe_loader_interface");
  void *own = loader && loader->load_object ? loader->load_object("_wpe_pasteboard_interface")
                                            : dlsym(backend, "_wpe_pasteboard_interface");
  dlclose(backend);
  return !own;
}

gboolean veil_can_wrap(void) { return is_of_process(); }

/* The engine drags nothing. */
gboolean veil_can_wrap_drags(void) { return FALSE; }

void veil_drags(Viewer *viewer) { (void)viewer; }

void veil_open(gboolean is_open) { (void)is_open; }

gboolean veil_engine_reads(Which which) { return which == CLIPBOARD && !veil.is_down; }

/* A clipboard that only this process has is no other display's. */
char *veil_display(void) { return g_strdup_printf("wpe-%ld", (long)getpid()); }

/* ---- Reading and writing ----------------------------------------------------------------------------------------- */

static GBytes *read_type(const char *type) {
  struct wpe_pasteboard_string found = {0};
  wpe_pasteboard_get_string(board(), type, &found);
  GBytes *bytes = g_bytes_new(found.data, found.data ? found.length : 0);
  wpe_pasteboard_string_free(&found);
  return bytes;
}

static GHashTable *new_map(void) {
  return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
}

/* All that lies there; NULL when it was seen, or when nothing does. */
static GHashTable *read_unseen(void) {
  struct wpe_pasteboard_string_vector types = {0};
  wpe_pasteboard_get_types(board(), &types);
  GHashTable *map = new_map();
  for (guint64 index = 0; index < types.length; index++) {
    char *type = g_strndup(types.strings[index].data, types.strings[index].length);
    g_hash_table_replace(map, type, read_type(type));
  }
  wpe_pasteboard_string_vector_free(&types);
  if (g_hash_table_size(map) && !g_hash_table_contains(map, SEEN_TYPE)) return map;
  g_hash_table_unref(map);
  return NULL;
}

static void add_pair(GArray *pairs, const char *type, const char *data, gsize size) {
  struct wpe_pasteboard_string_pair pair = {0};
  wpe_pasteboard_string_initialize(&pair.type, type, strlen(type));
  wpe_pasteboard_string_initialize(&pair.string, data ? data : "", size);
  g_array_append_val(pairs, pair);
}

static void pair_free(gpointer pair) {
  wpe_pasteboard_string_free(&((struct wpe_pasteboard_string_pair *)pair)->type);
  wpe_pasteboard_string_free(&((struct wpe_pasteboard_string_pair *)pair)->string);
}

/* It replaces all that lay there. */
static void write_pairs(GArray *pairs) {
  add_pair(pairs, SEEN_TYPE, "1", 1);
  struct wpe_pasteboard_string_map map = {(struct wpe_pasteboard_string_pair *)pairs->data, pairs->len};
  wpe_pasteboard_write(board(), &map);
  g_array_unref(pairs);
}

static GArray *new_pairs(void) {
  GArray *pairs = g_array_new(FALSE, FALSE, sizeof(struct wpe_pasteboard_string_pair));
  g_array_set_clear_func(pairs, pair_free);
  return pairs;
}

void veil_drop(Which which, const Notice *notice) {
  if (which != CLIPBOARD || !veil.content) return;
  veil.is_down = TRUE;
  GArray *pairs = new_pairs();
  add_pair(pairs, TEXT_TYPE, notice->text, strlen(notice->text));
  write_pairs(pairs);
}

void veil_lift(Which which) {
  if (which != CLIPBOARD || !veil.content || !veil.is_down) return;
  veil.is_down = FALSE;
  GArray *pairs = new_pairs();
  GHashTableIter types;
  gpointer type, bytes;
  g_hash_table_iter_init(&types, veil.content);
  while (g_hash_table_iter_next(&types, &type, &bytes))
    add_pair(pairs, type, g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
  write_pairs(pairs);
}

/* ---- Watching ---------------------------------------------------------------------------------------------------- */

void veil_look(void) {
  GHashTable *content = read_unseen();
  if (!content) return;
  if (veil.content) g_hash_table_unref(veil.content);
  veil.content = content;
  static const Notice notice = {.text = NOTICE};
  veil_drop(CLIPBOARD, &notice);
  for (unsigned index = 0; index < veil.watchers->len; index++) {
    Watcher *watcher = &g_array_index(veil.watchers, Watcher, index);
    watcher->changed(watcher->data, CLIPBOARD, TRUE);
  }
}

void veil_watch(VeilChanged *changed, gpointer data) {
  if (!veil.watchers) veil.watchers = g_array_new(FALSE, FALSE, sizeof(Watcher));
  Watcher watcher = {changed, data};
  g_array_append_val(veil.watchers, watcher);
}

void veil_ignore(gpointer data) {
  for (unsigned index = veil.watchers->len; index-- > 0;)
    if (g_array_index(veil.watchers, Watcher, index).data == data) g_array_remove_index(veil.watchers, index);
}

static char *text_of(const char *type) {
  GBytes *bytes = veil.content ? g_hash_table_lookup(veil.content, type) : NULL;
  return bytes ? g_utf8_make_valid(g_bytes_get_data(bytes, NULL), (gssize)g_bytes_get_size(bytes)) : NULL;
}

void veil_read_own(Which which, VeilRead *read, gpointer data) {
  g_autofree char *text = which == CLIPBOARD ? text_of(TEXT_TYPE) : NULL;
  g_autofree char *html = which == CLIPBOARD ? text_of("text/html") : NULL;
  read(data, text, html, NULL);
}

/* No other program puts anything there. */
void veil_read_other(Which which, VeilRead *read, gpointer data) {
  (void)which;
  read(data, NULL, NULL, NULL);
}

void veil_read_private(Which which, TextCame *came, gpointer data) {
  (void)which;
  came(data, NULL);
}
