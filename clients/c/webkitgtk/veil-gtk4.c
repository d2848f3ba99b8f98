/* GTK 4: a veil over a selection that this process filled. What the engine put there is taken away at once, within the
   turn in which it did, and the notice lies there in its place, beside the content under types that only guarded
   programs ask for. The engine itself reads the notice as well, so the script of the page is given the text of a
   paste. */
#include <gtk/gtk.h>
#include <string.h>

#include "private.h"

typedef struct {
  VeilChanged *changed;
  gpointer data;
} Watcher;

static struct {
  GdkClipboard *boards[SELECTIONS];
  GdkContentProvider *content[SELECTIONS]; /* What the engine put there; NULL when another program filled it. */
  gboolean is_down[SELECTIONS], is_filling;
  GArray *watchers;
} veil;

gboolean veil_can_wrap(void) { return TRUE; }

/* The engine hands out what is dragged in its own way, past everybody. */
gboolean veil_can_wrap_drags(void) { return FALSE; }

void veil_drags(Viewer *viewer) { (void)viewer; }

/* GDK tells of what this process fills at once. */
void veil_look(void) {}

void veil_open(gboolean is_open) { (void)is_open; }

gboolean veil_engine_reads(Which which) { return !veil.is_down[which]; }

char *veil_display(void) {
  GdkDisplay *display = gdk_display_get_default();
  return g_strdup(display ? gdk_display_get_name(display) : "");
}

static void fill(Which which, GdkContentProvider *provider) {
  veil.is_filling = TRUE;
  gdk_clipboard_set_content(veil.boards[which], provider);
  veil.is_filling = FALSE;
}

static void add_bytes(GPtrArray *providers, const char *type, const char *text) {
  g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
  g_ptr_array_add(providers, gdk_content_provider_new_for_bytes(type, bytes));
}

void veil_drop(Which which, const Notice *notice) {
  if (!veil.content[which]) return;
  g_autoptr(GPtrArray) providers = g_ptr_array_new();
  g_ptr_array_add(providers, gdk_content_provider_new_typed(G_TYPE_STRING, notice->text));
  if (notice->clip) {
    add_bytes(providers, PRIVATE_TYPE, notice->content);
    add_bytes(providers, ID_TYPE, notice->clip);
    if (notice->html) add_bytes(providers, HTML_TYPE, notice->html);
  }
  veil.is_down[which] = TRUE;
  g_autoptr(GdkContentProvider) all =
      gdk_content_provider_new_union((GdkContentProvider **)providers->pdata, providers->len);
  fill(which, all);
}

void veil_lift(Which which) {
  gboolean was_down = veil.is_down[which];
  veil.is_down[which] = FALSE;
  if (was_down && veil.content[which]) fill(which, veil.content[which]);
}

/* ---- Watching ---------------------------------------------------------------------------------------------------- */

static void board_changed(GdkClipboard *board, gpointer which_data) {
  Which which = GPOINTER_TO_INT(which_data);
  if (veil.is_filling) return;
  gboolean is_ours = gdk_clipboard_is_local(board);
  g_clear_object(&veil.content[which]);
  veil.is_down[which] = FALSE;
  GdkContentProvider *content = is_ours ? gdk_clipboard_get_content(board) : NULL;
  veil.content[which] = content ? g_object_ref(content) : NULL;
  static const Notice notice = {.text = NOTICE};
  if (is_ours) veil_drop(which, &notice);
  for (unsigned index = 0; index < veil.watchers->len; index++) {
    Watcher *watcher = &g_array_index(veil.watchers, Watcher, index);
    watcher->changed(watcher->data, which, is_ours);
  }
}

void veil_watch(VeilChanged *changed, gpointer data) {
  GdkDisplay *display = gdk_display_get_default();
  if (!veil.watchers) {
    veil.watchers = g_array_new(FALSE, FALSE, sizeof(Watcher));
    veil.boards[CLIPBOARD] = display ? gdk_display_get_clipboard(display) : NULL;
    veil.boards[PRIMARY] = display ? gdk_display_get_primary_clipboard(display) : NULL;
    for (int which = 0; which < SELECTIONS && display; which++)
      g_signal_connect(veil.boards[which], "changed", G_CALLBACK(board_changed), GINT_TO_POINTER(which));
  }
  Watcher watcher = {changed, data};
  g_array_append_val(veil.watchers, watcher);
}

void veil_ignore(gpointer data) {
  for (unsigned index = veil.watchers->len; index-- > 0;)
    if (g_array_index(veil.watchers, Watcher, index).data == data) g_array_remove_index(veil.watchers, index);
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

typedef struct {
  VeilRead *read;
  TextCame *came;
  gpointer data;
  char *text;
  GOutputStream *stream;
} Reading;

static void reading_free(Reading *self) {
  g_clear_object(&self->stream);
  g_free(self->text);
  g_free(self);
}

static char *stream_text(GOutputStream *stream) {
  GMemoryOutputStream *memory = G_MEMORY_OUTPUT_STREAM(stream);
  gsize size = g_memory_output_stream_get_data_size(memory);
  return size ? g_utf8_make_valid(g_memory_output_stream_get_data(memory), (gssize)size) : NULL;
}

static void html_written(GObject *provider, GAsyncResult *result, gpointer data) {
  Reading *self = data;
  gboolean is_there = gdk_content_provider_write_mime_type_finish(GDK_CONTENT_PROVIDER(provider), result, NULL);
  g_autofree char *html = is_there ? stream_text(self->stream) : NULL;
  self->read(self->data, self->text, html, NULL);
  reading_free(self);
}

void veil_read_own(Which which, VeilRead *read, gpointer data) {
  GdkContentProvider *content = veil.content[which];
  g_auto(GValue) value = G_VALUE_INIT;
  g_value_init(&value, G_TYPE_STRING);
  const char *text = NULL;
  if (content && gdk_content_provider_get_value(content, &value, NULL)) text = g_value_get_string(&value);
  g_autoptr(GdkContentFormats) formats = content ? gdk_content_provider_ref_formats(content) : NULL;
  if (!formats || !gdk_content_formats_contain_mime_type(formats, "text/html")) {
    read(data, text, NULL, NULL);
    return;
  }
  Reading *self = g_new0(Reading, 1);
  *self = (Reading){read, NULL, data, g_strdup(text), g_memory_output_stream_new_resizable()};
  gdk_content_provider_write_mime_type_async(
      content, "text/html", self->stream, G_PRIORITY_DEFAULT, NULL, html_written, self);
}

static void text_read(GObject *board, GAsyncResult *result, gpointer data) {
  Reading *self = data;
  g_autofree char *text = gdk_clipboard_read_text_finish(GDK_CLIPBOARD(board), result, NULL);
  if (self->read) self->read(self->data, text, NULL, NULL);
  else self->came(self->data, text);
  reading_free(self);
}

static void private_spliced(GObject *stream, GAsyncResult *result, gpointer data) {
  Reading *self = data;
  gboolean is_there = g_output_stream_splice_finish(G_OUTPUT_STREAM(stream), result, NULL) >= 0;
  g_autofree char *text = is_there ? stream_text(self->stream) : NULL;
  if (self->read) self->read(self->data, NULL, NULL, text ? text : "");
  else self->came(self->data, text);
  reading_free(self);
}

static void private_opened(GObject *board, GAsyncResult *result, gpointer data) {
  Reading *self = data;
  g_autoptr(GInputStream) input = gdk_clipboard_read_finish(GDK_CLIPBOARD(board), result, NULL, NULL);
  self->stream = g_memory_output_stream_new_resizable();
  if (!input) {
    if (self->read) self->read(self->data, NULL, NULL, "");
    else self->came(self->data, NULL);
    reading_free(self);
    return;
  }
  GOutputStreamSpliceFlags close = G_OUTPUT_STREAM_SPLICE_CLOSE_SOURCE | G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET;
  g_output_stream_splice_async(self->stream, input, close, G_PRIORITY_DEFAULT, NULL, private_spliced, self);
}

static void read_type(Which which, const char *type, Reading *reading) {
  const char *types[] = {type, NULL};
  gdk_clipboard_read_async(veil.boards[which], types, G_PRIORITY_DEFAULT, NULL, private_opened, reading);
}

void veil_read_other(Which which, VeilRead *read, gpointer data) {
  Reading *reading = g_new0(Reading, 1);
  *reading = (Reading){.read = read, .data = data};
  GdkContentFormats *formats = gdk_clipboard_get_formats(veil.boards[which]);
  if (gdk_content_formats_contain_mime_type(formats, PRIVATE_TYPE)) read_type(which, ID_TYPE, reading);
  else gdk_clipboard_read_text_async(veil.boards[which], NULL, text_read, reading);
}

void veil_read_private(Which which, TextCame *came, gpointer data) {
  Reading *reading = g_new0(Reading, 1);
  *reading = (Reading){.came = came, .data = data};
  read_type(which, PRIVATE_TYPE, reading);
}
