/* GTK 3: a veil over a selection that this process owns. Other programs read a notice, this one still reads the
   content.

   PRIMARY cannot simply be filled anew: WebKit then takes the mark off the marked text. So the engine stays the owner, and
   what it hands out is replaced on the way. GTK has one hidden widget that owns all selections of a process, and so there is
   one veil. Requests for a claim that nobody has judged yet wait: see claims-gtk3.c. */
#include <string.h>

#include "claims-gtk3.h"

typedef struct {
  VeilChanged *changed;
  gpointer data;
} Watcher;

static struct {
  gboolean is_open;    /* This process itself reads now, as it may. */
  gboolean is_looking; /* The guard itself reads, perhaps because another program asks. */
  GtkClipboard *boards[SELECTIONS];
  struct { char *text, *clip, *content, *html; } notices[SELECTIONS]; /* `text` is NULL without a veil. */
  GArray *watchers;
} veil;

static GdkAtom atom(const char *name) { return gdk_atom_intern(name, FALSE); }

static void begin(void);

gboolean veil_can_wrap(void) {
  if (!gdk_display_get_default()) return FALSE;
  begin();
  return claims_are_known() || !claims_are_on_wayland();
}

gboolean veil_can_wrap_drags(void) { return TRUE; }

char *veil_display(void) {
  GdkDisplay *display = gdk_display_get_default();
  return g_strdup(display ? gdk_display_get_name(display) : "");
}

/* Requests of other programs come as events; those of this process are served within the call. */
static gboolean is_asked_from_outside(void) {
  GdkEvent *event = gtk_get_current_event();
  gboolean is_outside = event && event->type == GDK_SELECTION_REQUEST;
  if (event) gdk_event_free(event);
  return is_outside;
}

static const char *private_text(Which which, GdkAtom target) {
  if (target == atom(PRIVATE_TYPE)) return veil.notices[which].content;
  if (target == atom(HTML_TYPE)) return veil.notices[which].html;
  return veil.notices[which].clip;
}

static void hand_out(GtkWidget *widget, GtkSelectionData *data, unsigned info, unsigned time, gpointer user) {
  (void)widget;
  (void)info;
  (void)time;
  (void)user;
  Which which = gtk_selection_data_get_selection(data) == GDK_SELECTION_PRIMARY ? PRIMARY : CLIPBOARD;
  const char *text = claims_is_judged(which) ? veil.notices[which].text : NOTICE;
  if (!text || veil.is_looking || (veil.is_open && !is_asked_from_outside())) return;
  GdkAtom target = gtk_selection_data_get_target(data);
  if (target == atom(PRIVATE_TYPE) || target == atom(HTML_TYPE) || target == atom(ID_TYPE)) {
    const char *private = veil.notices[which].clip ? private_text(which, target) : "";
    text = private ? private : "";
  } else if (target != atom("text/html")) {
    if (gtk_selection_data_set_text(data, text, -1)) return;
    text = "";
  }
  gtk_selection_data_set(data, target, 8, (const guchar *)text, (int)strlen(text));
}

static void lift(Which which) {
  g_clear_pointer(&veil.notices[which].text, g_free);
  g_clear_pointer(&veil.notices[which].clip, g_free);
  g_clear_pointer(&veil.notices[which].content, g_free);
  g_clear_pointer(&veil.notices[which].html, g_free);
}

static void serve_clip(GtkClipboard *board, GtkSelectionData *data, unsigned info, gpointer user) {
  (void)board;
  (void)user;
  const char *html = veil.notices[CLIPBOARD].html ? veil.notices[CLIPBOARD].html : "";
  if (!info) gtk_selection_data_set_text(data, veil.notices[CLIPBOARD].content, -1);
  else gtk_selection_data_set(data, gtk_selection_data_get_target(data), 8, (const guchar *)html, (int)strlen(html));
}

/* Of a source of Wayland no types can be added once it is the clipboard's, so it is filled anew: as the engine filled it,
   and with the types that only guarded programs ask for. */
static void fill_anew(const Notice *notice) {
  g_autoptr(GtkTargetList) list = gtk_target_list_new(NULL, 0);
  gtk_target_list_add_text_targets(list, 0);
  if (notice->html) gtk_target_list_add(list, atom("text/html"), 0, 1);
  for (int type = 0; type < (notice->html ? 3 : 2); type++)
    gtk_target_list_add(list, atom((const char *[]){PRIVATE_TYPE, ID_TYPE, HTML_TYPE}[type]), 0, 1);
  int count;
  GtkTargetEntry *entries = gtk_target_table_new_from_list(list, &count);
  if (gtk_clipboard_set_with_data(veil.boards[CLIPBOARD], entries, (unsigned)count, serve_clip, NULL, NULL))
    claims_see(CLIPBOARD);
  gtk_target_table_free(entries, count);
}

static void add_private_types(Which which, const Notice *notice) {
  GtkWidget *widget = claims_owner(which);
  gtk_selection_add_target(widget, claims_atom(which), atom(PRIVATE_TYPE), 0);
  gtk_selection_add_target(widget, claims_atom(which), atom(ID_TYPE), 0);
  if (notice->html) gtk_selection_add_target(widget, claims_atom(which), atom(HTML_TYPE), 0);
}

void veil_drop(Which which, const Notice *notice) {
  lift(which);
  veil.notices[which].text = g_strdup(notice->text);
  veil.notices[which].clip = g_strdup(notice->clip);
  veil.notices[which].content = g_strdup(notice->content);
  veil.notices[which].html = g_strdup(notice->html);
  /* What was judged may have gone meanwhile. */
  if (notice->clip && claims_is_seen(which)) {
    if (claims_are_on_wayland() && which == CLIPBOARD) fill_anew(notice);
    else add_private_types(which, notice);
  }
  claims_judge(which);
}

void veil_lift(Which which) {
  lift(which);
  claims_judge(which);
}

void veil_open(gboolean is_open) { veil.is_open = is_open; }

gboolean veil_engine_reads(Which which) {
  (void)which;
  return TRUE;
}

/* ---- Watching ---------------------------------------------------------------------------------------------------- */

static void tell(Which which, gboolean is_ours) {
  for (unsigned index = 0; index < veil.watchers->len; index++) {
    Watcher *watcher = &g_array_index(veil.watchers, Watcher, index);
    watcher->changed(watcher->data, which, is_ours);
  }
}

/* This process filled a selection. Until it is judged, nobody gets what lies there. */
static void filled(Which which) {
  GtkWidget *owner = claims_owner(which);
  if (!g_object_get_data(G_OBJECT(owner), "wvg-veil")) {
    g_object_set_data(G_OBJECT(owner), "wvg-veil", owner);
    g_signal_connect_after(owner, "selection-get", G_CALLBACK(hand_out), NULL);
  }
  claims_hold(owner);
  claims_see(which);
  static const Notice notice = {.text = NOTICE};
  if (!veil.watchers->len || !claims_are_known()) veil_drop(which, &notice);
  tell(which, TRUE);
}

static void owner_changed(GtkClipboard *board, GdkEvent *event, gpointer which_data) {
  (void)board;
  (void)event;
  Which which = GPOINTER_TO_INT(which_data);
  if (!claims_owner(which)) {
    veil_lift(which);
    tell(which, FALSE);
  } else if (!claims_is_seen(which)) {
    filled(which);
  }
}

void veil_look(void) {
  for (Which which = CLIPBOARD; which < SELECTIONS; which++)
    if (claims_owner(which) && !claims_is_seen(which)) filled(which);
}

static void begin(void) {
  if (veil.watchers) return;
  veil.watchers = g_array_new(FALSE, FALSE, sizeof(Watcher));
  if (!gdk_display_get_default()) return;
  claims_watch(filled);
  for (int which = 0; which < SELECTIONS; which++) {
    veil.boards[which] = gtk_clipboard_get(claims_atom((Which)which));
    g_signal_connect(veil.boards[which], "owner-change", G_CALLBACK(owner_changed), GINT_TO_POINTER(which));
  }
}

void veil_watch(VeilChanged *changed, gpointer data) {
  begin();
  Watcher watcher = {changed, data};
  g_array_append_val(veil.watchers, watcher);
}

void veil_ignore(gpointer data) {
  for (unsigned index = veil.watchers->len; index-- > 0;)
    if (g_array_index(veil.watchers, Watcher, index).data == data) g_array_remove_index(veil.watchers, index);
  /* Nobody judges any more what waits to be. */
  static const Notice notice = {.text = NOTICE};
  for (Which which = CLIPBOARD; which < SELECTIONS && !veil.watchers->len; which++)
    if (claims_is_seen(which) && !claims_is_judged(which)) veil_drop(which, &notice);
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

void veil_read_own(Which which, VeilRead *read, gpointer data) {
  veil.is_looking = TRUE;
  g_autofree char *text = gtk_clipboard_wait_for_text(veil.boards[which]);
  GtkSelectionData *html = gtk_clipboard_wait_for_contents(veil.boards[which], atom("text/html"));
  veil.is_looking = FALSE;
  g_autofree char *markup = NULL;
  if (html && gtk_selection_data_get_length(html) > 0)
    markup = g_utf8_make_valid(
        (const char *)gtk_selection_data_get_data(html), gtk_selection_data_get_length(html));
  if (html) gtk_selection_data_free(html);
  read(data, text, markup, NULL);
}

typedef struct {
  VeilRead *read;
  TextCame *came;
  gpointer data;
} Reading;

static void text_came(GtkClipboard *board, const char *text, gpointer data) {
  (void)board;
  Reading *reading = data;
  reading->read(reading->data, text, NULL, NULL);
  g_free(reading);
}

static char *text_of(GtkSelectionData *contents) {
  int length = gtk_selection_data_get_length(contents);
  return length > 0 ? g_utf8_make_valid((const char *)gtk_selection_data_get_data(contents), length) : g_strdup("");
}

static void clip_came(GtkClipboard *board, GtkSelectionData *contents, gpointer data) {
  (void)board;
  Reading *reading = data;
  g_autofree char *clip = text_of(contents);
  reading->read(reading->data, NULL, NULL, clip);
  g_free(reading);
}

static void types_came(GtkClipboard *board, GtkSelectionData *contents, gpointer data) {
  GdkAtom *types = NULL;
  int count = 0;
  gboolean is_wrapped = FALSE;
  if (gtk_selection_data_get_targets(contents, &types, &count))
    for (int index = 0; index < count; index++) is_wrapped = is_wrapped || types[index] == atom(PRIVATE_TYPE);
  g_free(types);
  if (is_wrapped) gtk_clipboard_request_contents(board, atom(ID_TYPE), clip_came, data);
  else gtk_clipboard_request_text(board, text_came, data);
}

void veil_read_other(Which which, VeilRead *read, gpointer data) {
  Reading *reading = g_new(Reading, 1);
  *reading = (Reading){read, NULL, data};
  gtk_clipboard_request_contents(veil.boards[which], atom("TARGETS"), types_came, reading);
}

static void private_came(GtkClipboard *board, GtkSelectionData *contents, gpointer data) {
  (void)board;
  Reading *reading = data;
  g_autofree char *text = text_of(contents);
  reading->came(reading->data, text);
  g_free(reading);
}

void veil_read_private(Which which, TextCame *came, gpointer data) {
  Reading *reading = g_new(Reading, 1);
  *reading = (Reading){NULL, came, data};
  gtk_clipboard_request_contents(veil.boards[which], atom(PRIVATE_TYPE), private_came, reading);
}

/* ---- Drags ------------------------------------------------------------------------------------------------------- */

/* Comes after the engine's own handler, whose data it replaces where another program is the target. */
static void give_drag(
    GtkWidget *view, GdkDragContext *drag, GtkSelectionData *data, unsigned info, unsigned time, Viewer *viewer) {
  (void)view;
  (void)info;
  (void)time;
  (void)drag;
  if (!viewer->drag_notice || !is_asked_from_outside()) return;
  const guchar *text = (const guchar *)viewer->drag_notice;
  gtk_selection_data_set(data, gtk_selection_data_get_target(data), 8, text, (int)strlen(viewer->drag_notice));
}

void veil_drags(Viewer *viewer) {
  g_signal_connect_data(viewer->view, "drag-data-get", G_CALLBACK(give_drag), viewer_ref(viewer),
                        (GClosureNotify)(GCallback)viewer_unref, G_CONNECT_AFTER);
}
