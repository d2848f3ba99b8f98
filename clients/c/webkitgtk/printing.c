/* What leaves a page for paper. GTK only: WPE prints nothing. */
#include <string.h>

#include "private.h"

/* The names of the backends without the one that writes files in plain. */
static char *without_files(const char *backends) {
  g_auto(GStrv) names = g_strsplit(backends ? backends : "", ",", -1);
  g_autoptr(GPtrArray) kept = g_ptr_array_new();
  for (char **name = names; *name; name++)
    if (strcmp(g_strstrip(*name), "file")) g_ptr_array_add(kept, *name);
  g_ptr_array_add(kept, NULL);
  return g_strjoinv(",", (char **)kept->pdata);
}

/* The toolkit writes a printed file in plain, without a label: what is the organisation's goes to printers only. The
   dialogue runs in a loop of its own, and asks for its printers when it is made. */
static void run_dialog(Viewer *viewer, WebKitPrintOperation *operation, const wvg_decision *decision) {
  g_autoptr(Viewer) kept = viewer_ref(viewer);
  GtkSettings *settings = gtk_settings_get_default();
  g_autofree char *backends = NULL, *printers = NULL;
  /* An answer of nobody says nothing of the account. */
  gboolean is_managed = decision->is_local || decision->protection ||
                        accounts_is_managed(viewer->guard, accounts_of(viewer));
  is_managed = is_managed && settings;
  if (is_managed) {
    g_object_get(settings, "gtk-print-backends", &backends, NULL);
    printers = without_files(backends);
    g_object_set(settings, "gtk-print-backends", printers, NULL);
  }
  webkit_print_operation_run_dialog(operation, toolkit_window(viewer->view));
  if (is_managed) g_object_set(settings, "gtk-print-backends", backends, NULL);
}

static void may_print(Viewer *viewer, gboolean allowed, const wvg_decision *decision, gpointer data) {
  Output *self = data;
  if (!allowed) {
    if (!viewer->is_closed) guard_say(viewer, decision, viewer->document);
  } else if (!output_emit(viewer, self)) {
    run_dialog(viewer, WEBKIT_PRINT_OPERATION(self->about), decision);
  }
  output_free(self);
}

/* Asks, and shows the dialogue; of a managed account without `Print to File`. */
static gboolean ask_print(Viewer *viewer, WebKitPrintOperation *operation) {
  wvg_event event = {.url = said(viewer->document)};
  viewer_ask(viewer, WVG_PRINT, &event, may_print, output_new("print", operation));
  return TRUE;
}

static gboolean print(WebKitWebView *view, WebKitPrintOperation *operation, Viewer *viewer) {
  (void)view;
  if (viewer_passes(viewer, "print")) return FALSE;
  return viewer->is_closed || ask_print(viewer, operation);
}

void printing_hook(Viewer *viewer) { viewer_hook(viewer, "print", G_CALLBACK(print)); }

/**
 * wvg_webkit_guard_print_page:
 * @view: a guarded view
 *
 * Prints a page, for a button of the program: asked about as `window.print()` of the page, and then left to the
 * program's own handler of `print`, or to a dialogue.
 */
void wvg_webkit_guard_print_page(WvgWebKitGuard *self, WebKitWebView *view) {
  Viewer *viewer = guard_viewer_of(self, view);
  g_return_if_fail(viewer);
  g_autoptr(WebKitPrintOperation) operation = webkit_print_operation_new(view);
  ask_print(viewer, operation);
}
