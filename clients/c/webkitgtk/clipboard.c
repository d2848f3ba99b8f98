/* Copy, cut, paste and dragging in one viewer: the page's script asks, and waits for the answer. */
#include <string.h>

#include "private.h"

/* A question of the script under way. */
typedef struct {
  Reply *reply;
  long length;
  char *text;
  Which which;
  gboolean has_files;
} Asked;

static Asked *asked_new(Reply *reply) {
  Asked *self = g_new0(Asked, 1);
  self->reply = reply;
  g_autoptr(JSCValue) length = jsc_value_object_get_property(reply_question(reply), "length");
  self->length = jsc_value_is_number(length) ? jsc_value_to_int32(length) : 0;
  return self;
}

static void asked_free(Asked *self) {
  g_free(self->text);
  g_free(self);
}

static void answer(Viewer *viewer, gboolean allowed, const wvg_decision *decision, Asked *self) {
  reply_send(self->reply, allowed, NULL, FALSE);
  if (!allowed && !viewer->is_closed) guard_say(viewer, decision, NULL);
  asked_free(self);
}

static Selections *selections_of(Viewer *viewer) { return viewer->guard->selections; }

/* ---- Copy and cut ------------------------------------------------------------------------------------------------ */

static void copied(Viewer *viewer, gboolean allowed, const wvg_decision *decision, gpointer data) {
  Asked *self = data;
  if (allowed) selections_announce(selections_of(viewer), viewer, decision, self->length);
  answer(viewer, allowed, decision, self);
}

static void copy(Viewer *viewer, Asked *self, gboolean is_cut) {
  static const char *const formats[] = {"text/plain", "text/html", NULL};
  wvg_event event = {.selection = "clipboard", .length = self->length, .has_length = true, .formats = formats};
  event.cut = is_cut ? WVG_YES : WVG_NO;
  event.display = selections_display(selections_of(viewer));
  viewer_ask(viewer, WVG_COPY, &event, copied, self);
}

/* ---- Paste ------------------------------------------------------------------------------------------------------- */

static void text_came(gpointer data, const char *text) {
  Asked *self = data;
  reply_send(self->reply, TRUE, text ? text : "", FALSE);
  asked_free(self);
}

static void pasted(Viewer *viewer, gboolean allowed, const wvg_decision *decision, gpointer data) {
  Asked *self = data;
  if (!allowed) {
    answer(viewer, FALSE, decision, self);
    return;
  }
  Selections *selections = selections_of(viewer);
  const Content *content = selections_content(selections, self->which);
  gboolean engine_reads = selections_engine_reads(selections, self->which) && !content->is_wrapped;
  if (decision->only_plain_text || !engine_reads) {
    selections_read(selections, self->which, text_came, self);
    return;
  }
  selections_open(selections, TRUE);
  answer(viewer, TRUE, decision, self);
}

/* `unknown` is a middle click: it pastes PRIMARY where it is filled, and the event does not tell. */
static void paste(Viewer *viewer, Asked *self) {
  g_autoptr(JSCValue) value = jsc_value_object_get_property(reply_question(self->reply), "selection");
  g_autofree char *word = jsc_value_to_string(value);
  gboolean is_known = !strcmp(word, "clipboard");
  Selections *selections = selections_of(viewer);
  veil_look();
  self->which = !is_known && selections_content(selections, PRIMARY)->length ? PRIMARY : CLIPBOARD;
  const Content *content = selections_content(selections, self->which);
  static const char *const formats[] = {"text/plain", NULL};
  wvg_event event = {.selection = is_known ? "clipboard" : "unknown", .formats = formats, .clip = content->clip};
  event.source = said(viewer->document);
  event.display = selections_display(selections);
  if (is_known) event.has_length = content->has_length, event.length = content->length;
  viewer_ask(viewer, WVG_PASTE, &event, pasted, self);
}

/* ---- Drags ------------------------------------------------------------------------------------------------------- */

static void ignored(Viewer *viewer, gboolean allowed, const wvg_decision *decision, gpointer data) {
  (void)viewer;
  (void)allowed;
  (void)decision;
  (void)data;
}

void clipboard_end_drag(Viewer *viewer) {
  if (!viewer->is_dragging) return;
  viewer->is_dragging = FALSE;
  wvg_event event = {.selection = "drag", .display = selections_display(selections_of(viewer))};
  viewer_ask(viewer, WVG_DRAG_END, &event, ignored, NULL);
}

void clipboard_drags_ended(WvgWebKitGuard *guard, Channel *channel) {
  for (unsigned index = 0; index < guard->viewers->len; index++) {
    Viewer *viewer = g_ptr_array_index(guard->viewers, index);
    if (viewer->channel == channel) clipboard_end_drag(viewer);
  }
}

static void dragged(Viewer *viewer, gboolean allowed, const wvg_decision *decision, gpointer data) {
  Asked *self = data;
  const char *notice = decision->replacement ? decision->replacement : NOTICE;
  gboolean is_free = allowed && !decision->mime_wrap && !decision->only_plain_text;
  /* Where others cannot be kept from what is dragged, it is not dragged. */
  if (allowed && !is_free && !veil_can_wrap_drags()) allowed = FALSE;
  g_free(viewer->drag_notice);
  /* Short enough for everybody, as text and as nothing else. */
  gboolean is_text = allowed && decision->only_plain_text && !decision->mime_wrap;
  viewer->drag_notice = is_free ? NULL : g_strdup(is_text ? self->text : notice);
  answer(viewer, allowed, decision, self);
  if (!allowed && !viewer->is_closed) clipboard_end_drag(viewer);
}

static void drag(Viewer *viewer, Asked *self) {
  g_autoptr(JSCValue) text = jsc_value_object_get_property(reply_question(self->reply), "text");
  self->text = jsc_value_to_string(text);
  viewer->is_dragging = TRUE;
  wvg_event event = {.selection = "drag", .length = self->length, .has_length = true};
  event.display = selections_display(selections_of(viewer));
  viewer_ask(viewer, WVG_COPY, &event, dragged, self);
}

static void files_dropped(Viewer *viewer, gboolean allowed, const wvg_decision *decision, gpointer data) {
  answer(viewer, allowed, decision, data);
}

static void dropped(Viewer *viewer, gboolean allowed, const wvg_decision *decision, gpointer data) {
  Asked *self = data;
  if (allowed && decision->only_plain_text) {
    reply_send(self->reply, TRUE, NULL, TRUE);
    asked_free(self);
  } else if (allowed && self->has_files) {
    /* The page gets the files themselves. */
    wvg_event event = {.url = said(viewer->document), .source = said(viewer->document)};
    viewer_ask(viewer, WVG_UPLOAD, &event, files_dropped, self);
  } else {
    answer(viewer, allowed, decision, self);
  }
}

static void drop(Viewer *viewer, Asked *self) {
  g_autoptr(JSCValue) list = jsc_value_object_get_property(reply_question(self->reply), "formats");
  g_autoptr(JSCValue) count = jsc_value_object_get_property(list, "length");
  g_autoptr(GPtrArray) formats = g_ptr_array_new_with_free_func(g_free);
  for (int index = 0; index < MIN(jsc_value_to_int32(count), 64); index++) {
    g_autoptr(JSCValue) format = jsc_value_object_get_property_at_index(list, (unsigned)index);
    g_ptr_array_add(formats, jsc_value_to_string(format));
    self->has_files = self->has_files || !strcmp(formats->pdata[index], "Files");
  }
  g_ptr_array_add(formats, NULL);
  wvg_event event = {.selection = "drag", .length = self->length, .has_length = true};
  event.formats = (const char *const *)formats->pdata;
  event.source = said(viewer->document);
  event.display = selections_display(selections_of(viewer));
  viewer_ask(viewer, WVG_PASTE, &event, dropped, self);
}

/* ---- The hook ---------------------------------------------------------------------------------------------------- */

static gboolean script_dialog(WebKitWebView *view, WebKitScriptDialog *dialog, Viewer *viewer) {
  (void)view;
  if (viewer_passes(viewer, "script-dialog")) return FALSE;
  Reply *reply = channel_question(viewer->channel, dialog);
  if (!reply) {
    gboolean is_handled = FALSE;
    Hook *hook = viewer->view ? viewer_pass(viewer, "script-dialog") : NULL;
    if (hook) g_signal_emit_by_name(view, "script-dialog", dialog, &is_handled);
    if (hook) viewer_passed(viewer, hook);
    return is_handled;
  }
  Asked *self = asked_new(reply);
  g_autoptr(JSCValue) word = jsc_value_object_get_property(reply_question(reply), "what");
  g_autofree char *what = jsc_value_to_string(word);
  if (!viewer->is_closed && !strcmp(what, "copy")) copy(viewer, self, FALSE);
  else if (!viewer->is_closed && !strcmp(what, "cut")) copy(viewer, self, TRUE);
  else if (!viewer->is_closed && !strcmp(what, "paste")) paste(viewer, self);
  else if (!viewer->is_closed && !strcmp(what, "drag")) drag(viewer, self);
  else if (!viewer->is_closed && !strcmp(what, "drop")) drop(viewer, self);
  else reply_send(self->reply, FALSE, NULL, FALSE), asked_free(self);
  return TRUE;
}

void clipboard_hook(Viewer *viewer) {
  viewer_hook(viewer, "script-dialog", G_CALLBACK(script_dialog));
  veil_drags(viewer);
}
