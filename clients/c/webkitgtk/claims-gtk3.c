/* GTK 3: which claim of a selection is judged. Requests of other programs for one that is not wait until it is.

   GTK tells of a claim by an event of the display server: on Wayland only while a window of this process has the keys,
   and perhaps behind a request. So each request asks here first. A claim is known by GTK's list of its targets, which each
   claim makes anew; a reference keeps another one from lying at the same place. GDK for Wayland answers each type of a
   claim once, and then hands out what it answered. */
#include <string.h>

#include "claims-gtk3.h"
#ifdef GDK_WINDOWING_WAYLAND
#include <gdk/gdkwayland.h>
#endif

/* As in GTK's gtkselection.c. */
typedef struct {
  GdkAtom selection;
  GtkTargetList *list;
} SelectionTargets;

static struct {
  ClaimSeen *seen_one;
  gboolean is_known; /* GTK keeps its lists where they are looked for. */
  GtkTargetList *seen[SELECTIONS], *judged[SELECTIONS]; /* References. */
  GQueue waiting[SELECTIONS]; /* Of GdkEvent. */
} claims;

GdkAtom claims_atom(Which which) { return which == CLIPBOARD ? GDK_SELECTION_CLIPBOARD : GDK_SELECTION_PRIMARY; }

gboolean claims_are_on_wayland(void) {
#ifdef GDK_WINDOWING_WAYLAND
  return GDK_IS_WAYLAND_DISPLAY(gdk_display_get_default());
#else
  return FALSE;
#endif
}

static GtkTargetList *targets_of(GtkWidget *owner, GdkAtom selection) {
  GList *list = owner ? g_object_get_data(G_OBJECT(owner), "gtk-selection-handlers") : NULL;
  for (; list; list = list->next) {
    SelectionTargets *targets = list->data;
    if (targets->selection == selection) return targets->list;
  }
  return NULL;
}

GtkWidget *claims_owner(Which which) {
  GdkWindow *window = gdk_selection_owner_get(claims_atom(which));
  gpointer widget = NULL;
  if (window) gdk_window_get_user_data(window, &widget);
  return widget;
}

static GtkTargetList *current(Which which) { return targets_of(claims_owner(which), claims_atom(which)); }

static void keep(GtkTargetList **kept, GtkTargetList *list) {
  GtkTargetList *before = *kept;
  *kept = list ? gtk_target_list_ref(list) : NULL;
  if (before) gtk_target_list_unref(before);
}

gboolean claims_are_known(void) { return claims.is_known; }

gboolean claims_is_judged(Which which) {
  GtkTargetList *now = current(which);
  return !now || now == claims.judged[which];
}

gboolean claims_is_seen(Which which) {
  GtkTargetList *now = current(which);
  return now && now == claims.seen[which];
}

/* A request for an earlier claim: X11 answers it with what lies there now, GDK for Wayland has forgotten it. */
static void forget_waiting(Which which) {
  GdkEvent *event;
  while (claims_are_on_wayland() && (event = g_queue_pop_head(&claims.waiting[which]))) gdk_event_free(event);
}

void claims_see(Which which) {
  if (!claims_is_seen(which)) forget_waiting(which);
  keep(&claims.seen[which], current(which));
}

void claims_judge(Which which) {
  keep(&claims.judged[which], claims.seen[which]);
  /* What waits is for the claim that is there now, and only a judged one is answered. */
  for (unsigned count = g_queue_get_length(&claims.waiting[which]); count && claims_is_judged(which); count--) {
    GdkEvent *event = g_queue_pop_head(&claims.waiting[which]);
    if (event) gtk_main_do_event(event);
    if (event) gdk_event_free(event);
  }
}

static gboolean requested(GtkWidget *owner, GdkEventSelection *event, gpointer data) {
  (void)data;
  for (Which which = CLIPBOARD; which < SELECTIONS; which++) {
    if (event->selection != claims_atom(which) || claims_owner(which) != owner || claims_is_judged(which)) continue;
    if (!claims_is_seen(which)) {
      claims.seen_one(which);
      if (claims_is_judged(which)) return FALSE;
    }
    g_queue_push_tail(&claims.waiting[which], gdk_event_copy((GdkEvent *)event));
    return TRUE;
  }
  return FALSE;
}

void claims_hold(GtkWidget *owner) {
  if (g_object_get_data(G_OBJECT(owner), "wvg-claims")) return;
  g_object_set_data(G_OBJECT(owner), "wvg-claims", owner);
  g_signal_connect(owner, "selection-request-event", G_CALLBACK(requested), NULL);
}

/* The widget of all claims of GTK's own clipboards, which the first one makes. */
static GtkWidget *own_widget(GdkAtom nobodys) {
  gpointer display = gdk_display_get_default();
  if (!g_object_get_data(display, "gtk-clipboard-widget")) gtk_clipboard_set_text(gtk_clipboard_get(nobodys), "", 0);
  return g_object_get_data(display, "gtk-clipboard-widget");
}

GtkWidget *claims_watch(ClaimSeen *seen_one) {
  claims.seen_one = seen_one;
  /* A selection that nobody reads shows whether claims are known here. */
  GdkAtom nobodys = gdk_atom_intern("WEBVIEWGUARD", FALSE);
  GtkWidget *owner = own_widget(nobodys);
  if (!owner) return NULL;
  gtk_selection_add_target(owner, nobodys, nobodys, 0);
  claims.is_known = targets_of(owner, nobodys) != NULL;
  claims_hold(owner);
  return owner;
}
