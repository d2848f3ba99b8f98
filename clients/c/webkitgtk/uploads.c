/* Files that a page gets. Each is asked about with its label, and a page reads a sealed one unsealed. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

typedef struct {
  Viewer *viewer; /* A reference. */
  WebKitFileChooserRequest *request;
  GPtrArray *files; /* Of wvg_readable. */
  char **paths;     /* Without links. */
  unsigned asked;
} Upload;

static void upload_end(Upload *self) {
  g_object_unref(self->request);
  viewer_unref(self->viewer);
  if (self->files) g_ptr_array_unref(self->files);
  g_strfreev(self->paths);
  g_free(self);
}

static void refuse(Upload *self) {
  webkit_file_chooser_request_cancel(self->request);
  upload_end(self);
}

/* What is read unsealed stays as long as the viewer. */
static void give(Upload *self) {
  g_autoptr(GPtrArray) paths = g_ptr_array_new();
  for (unsigned index = 0; index < self->files->len; index++) {
    const char *path;
    wvg_file_status status = wvg_readable_path(self->files->pdata[index], &path);
    if (status.code) {
      guard_say_unprotected(self->viewer, self->paths[index], status);
      refuse(self);
      return;
    }
    g_ptr_array_add(paths, (gpointer)(uintptr_t)path);
  }
  g_ptr_array_add(paths, NULL);
  g_ptr_array_extend_and_steal(self->viewer->reading, g_steal_pointer(&self->files));
  webkit_file_chooser_request_select_files(self->request, (const char *const *)paths->pdata);
  upload_end(self);
}

static void ask_next(Upload *self);

static void may_be_given(Viewer *viewer, gboolean allowed, const wvg_decision *decision, gpointer data) {
  Upload *self = data;
  if (allowed) {
    ask_next(self);
    return;
  }
  if (!viewer->is_closed) guard_say(viewer, decision, viewer->document);
  refuse(self);
}

/* All of them, or none: the page must not see the name of one that it may not have. */
static void ask_next(Upload *self) {
  if (self->asked == self->files->len) {
    give(self);
    return;
  }
  const char *page = said(self->viewer->document);
  wvg_event event = {.url = page, .source = page, .owner = "", .location = "other", .path = self->paths[self->asked]};
  wvg_file_tell(wvg_readable_facts(self->files->pdata[self->asked]), &event);
  self->asked++;
  viewer_ask(self->viewer, WVG_UPLOAD, &event, may_be_given, self);
}

/* False for a file of which nobody can say whose it is. */
static gboolean look(Upload *self, const char *chosen, unsigned index) {
  g_autofree char *whole = g_canonicalize_filename(chosen, NULL);
  char *real = realpath(whole, NULL);
  self->paths[index] = g_strdup(real ? real : whole);
  free(real);
  wvg_readable *file;
  wvg_file_status status = wvg_file_readable(self->viewer->guard->guard, self->paths[index], &file);
  if (status.code) guard_say_unprotected(self->viewer, self->paths[index], status);
  else g_ptr_array_add(self->files, file);
  return !status.code;
}

static void files_chosen(gpointer data, const char *const *values) {
  Upload *self = data;
  gboolean is_known = values && !self->viewer->is_closed && self->viewer->guard->guard;
  unsigned count = is_known ? g_strv_length((char **)values) : 0;
  self->files = g_ptr_array_new_with_free_func((GDestroyNotify)wvg_readable_free);
  self->paths = g_new0(char *, count + 1);
  for (unsigned index = 0; is_known && index < count; index++) is_known = look(self, values[index], index);
  if (is_known) ask_next(self);
  else refuse(self);
}

static gboolean run_file_chooser(WebKitWebView *view, WebKitFileChooserRequest *chooser, Viewer *viewer) {
  (void)view;
  if (viewer->is_closed) return FALSE;
  Upload *self = g_new0(Upload, 1);
  self->viewer = viewer_ref(viewer);
  self->request = g_object_ref(chooser);
  gboolean multiple = webkit_file_chooser_request_get_select_multiple(chooser);
  g_autoptr(WvgWebKitRequest) request =
      request_new(WVG_WEBKIT_REQUEST_FILES, "Choose a file for this page", multiple, files_chosen, self);
  guard_ask_person(viewer, request);
  return TRUE;
}

void uploads_hook(Viewer *viewer) { viewer_hook(viewer, "run-file-chooser", G_CALLBACK(run_file_chooser)); }
