/* Asks and says in GTK's own dialogues, where the program does not in its own. None waits. */
#include <string.h>

#include "private.h"

static void end_dialog(GtkDialog *dialog) {
#ifdef WVG_WEBKIT_GTK3
  gtk_widget_destroy(GTK_WIDGET(dialog));
#else
  gtk_window_destroy(GTK_WINDOW(dialog));
#endif
}

static void show(GtkWidget *widget) {
#ifdef WVG_WEBKIT_GTK3
  gtk_widget_show_all(widget);
#else
  gtk_window_present(GTK_WINDOW(widget));
#endif
}

/* ---- A reason ---------------------------------------------------------------------------------------------------- */

#ifdef WVG_WEBKIT_GTK3
static const char *entry_text(gpointer entry) { return gtk_entry_get_text(GTK_ENTRY(entry)); }
static void add(GtkWidget *area, GtkWidget *entry) { gtk_container_add(GTK_CONTAINER(area), entry); }
#else
static const char *entry_text(gpointer entry) { return gtk_editable_get_text(GTK_EDITABLE(entry)); }
static void add(GtkWidget *area, GtkWidget *entry) { gtk_box_append(GTK_BOX(area), entry); }
#endif

static void reason_given(GtkDialog *dialog, int response, WvgWebKitRequest *request) {
  g_autofree char *text = g_strstrip(g_strdup(entry_text(g_object_get_data(G_OBJECT(dialog), "entry"))));
  const char *const values[] = {text, NULL};
  wvg_webkit_request_answer(request, response == GTK_RESPONSE_OK && *text ? values : NULL);
  end_dialog(dialog);
}

static void ask_reason(GtkWindow *parent, WvgWebKitRequest *request) {
  GtkWidget *dialog = gtk_message_dialog_new(parent, GTK_DIALOG_MODAL, GTK_MESSAGE_WARNING, GTK_BUTTONS_OK_CANCEL,
                                             "%s", wvg_webkit_request_get_text(request));
  GtkWidget *entry = gtk_entry_new();
  g_object_set_data(G_OBJECT(dialog), "entry", entry);
  add(gtk_message_dialog_get_message_area(GTK_MESSAGE_DIALOG(dialog)), entry);
  g_signal_connect_data(dialog, "response", G_CALLBACK(reason_given), g_object_ref(request),
                        (GClosureNotify)(GCallback)g_object_unref, (GConnectFlags)0);
  show(dialog);
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static void add_path(GPtrArray *paths, GFile *file) {
  char *path = file ? g_file_get_path(file) : NULL;
  if (path) g_ptr_array_add(paths, path);
}

static void files_chosen(GtkNativeDialog *dialog, int response, WvgWebKitRequest *request) {
  g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
  if (response == GTK_RESPONSE_ACCEPT) {
#ifdef WVG_WEBKIT_GTK3
    GSList *files = gtk_file_chooser_get_files(GTK_FILE_CHOOSER(dialog));
    for (GSList *file = files; file; file = file->next) add_path(paths, file->data);
    g_slist_free_full(files, g_object_unref);
#else
    g_autoptr(GListModel) files = gtk_file_chooser_get_files(GTK_FILE_CHOOSER(dialog));
    for (unsigned index = 0; index < g_list_model_get_n_items(files); index++) {
      g_autoptr(GFile) file = g_list_model_get_item(files, index);
      add_path(paths, file);
    }
#endif
  }
  g_ptr_array_add(paths, NULL);
  wvg_webkit_request_answer(request, (const char *const *)paths->pdata);
  g_object_unref(dialog);
}

static void begin_in(GtkFileChooser *chooser, const char *path) {
#ifdef WVG_WEBKIT_GTK3
  gtk_file_chooser_set_current_folder(chooser, path);
#else
  g_autoptr(GFile) folder = g_file_new_for_path(path);
  gtk_file_chooser_set_current_folder(chooser, folder, NULL);
#endif
}

static void ask_files(GtkWindow *parent, WvgWebKitRequest *request) {
  gboolean is_place = wvg_webkit_request_get_kind(request) == WVG_WEBKIT_REQUEST_PLACE;
  const char *text = wvg_webkit_request_get_text(request);
  const char *folder = wvg_webkit_request_get_folder(request);
  GtkFileChooserAction action = is_place ? GTK_FILE_CHOOSER_ACTION_SAVE : GTK_FILE_CHOOSER_ACTION_OPEN;
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new(is_place ? "Save" : text, parent, action, NULL, NULL);
  if (is_place) gtk_file_chooser_set_current_name(GTK_FILE_CHOOSER(dialog), text);
  if (folder) begin_in(GTK_FILE_CHOOSER(dialog), folder);
  gtk_file_chooser_set_select_multiple(GTK_FILE_CHOOSER(dialog), wvg_webkit_request_get_multiple(request));
  g_signal_connect_data(dialog, "response", G_CALLBACK(files_chosen), g_object_ref(request),
                        (GClosureNotify)(GCallback)g_object_unref, (GConnectFlags)0);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

gboolean dialogs_ask(WebKitWebView *view, WvgWebKitRequest *request) {
  if (!view) return FALSE;
  GtkWindow *parent = toolkit_window(view);
  if (wvg_webkit_request_get_kind(request) == WVG_WEBKIT_REQUEST_JUSTIFICATION) ask_reason(parent, request);
  else ask_files(parent, request);
  return TRUE;
}

/* ---- What is said and shown -------------------------------------------------------------------------------------- */

static void said_enough(GtkDialog *dialog, int response, gpointer view) {
  (void)response;
  (void)view;
  end_dialog(dialog);
}

static void forget_dialog(gpointer view, GObject *dialog) {
  (void)dialog;
  g_object_set_data(view, "webviewguard-said", NULL);
  g_object_unref(view);
}

/* One dialogue at a time for each view: a page may have a hundred frames that may not load. */
gboolean dialogs_say(WebKitWebView *view, const char *outcome, const char *text) {
  if (strcmp(outcome, "block") && strcmp(outcome, "warn")) return FALSE;
  if (g_object_get_data(G_OBJECT(view), "webviewguard-said")) return FALSE;
  GtkWidget *dialog = gtk_message_dialog_new(
      toolkit_window(view), GTK_DIALOG_DESTROY_WITH_PARENT, GTK_MESSAGE_WARNING, GTK_BUTTONS_CLOSE, "%s", text);
  g_object_set_data(G_OBJECT(view), "webviewguard-said", dialog);
  g_object_weak_ref(G_OBJECT(dialog), forget_dialog, g_object_ref(view));
  g_signal_connect(dialog, "response", G_CALLBACK(said_enough), view);
  show(dialog);
  return TRUE;
}

gboolean dialogs_show(WebKitWebView *popup) {
  GtkWidget *view = GTK_WIDGET(popup);
#ifdef WVG_WEBKIT_GTK3
  GtkWidget *window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
  gtk_container_add(GTK_CONTAINER(window), view);
  g_signal_connect_swapped(popup, "close", G_CALLBACK(gtk_widget_destroy), window);
#else
  GtkWidget *window = gtk_window_new();
  gtk_window_set_child(GTK_WINDOW(window), view);
  g_signal_connect_object(popup, "close", G_CALLBACK(gtk_window_destroy), window, G_CONNECT_SWAPPED);
#endif
  gtk_window_set_default_size(GTK_WINDOW(window), 640, 480);
  show(window);
  return TRUE;
}
