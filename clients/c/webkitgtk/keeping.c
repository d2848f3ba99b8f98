/* A file that is kept for an account: labelled and sealed as its policy wants it. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

struct Keeping {
  Viewer *viewer; /* A reference. */
  wvg_incoming *incoming;
  wvg_file_status status;
};

static char *real_path(const char *path) {
  char *found = realpath(path, NULL), *copy = g_strdup(found);
  free(found);
  return copy;
}

char *keeping_place(const char *path) {
  g_autofree char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path), *real = real_path(folder);
  return real ? g_build_filename(real, name, NULL) : NULL;
}

static gboolean is_below(const char *path, const char *directory) {
  gsize size = strlen(directory);
  return !strncmp(path, directory, size) && path[size] == '/';
}

void keeping_tell(wvg_event *event, const char *path, const char *own, const char *account) {
  gboolean is_own = own && is_below(path, own);
  event->path = path;
  event->location = is_own ? "localStorage" : "other";
  event->location_account = is_own ? account : NULL;
}

/* The account that the decision names, or else the one that asked. */
Keeping *keeping_begin(Viewer *viewer, const char *path, const wvg_decision *decision, gint64 size) {
  wvg *guard = viewer->guard->guard;
  if (!guard) return NULL;
  wvg_incoming *incoming;
  /* It asks the daemon, and the decision may not outlive that. */
  g_autofree char *account = g_strdup(decision->set_owner ? decision->set_owner : decision->identity);
  wvg_file_status status = wvg_file_incoming(guard, path, account, size, &incoming);
  if (status.code) {
    guard_say_unprotected(viewer, path, status);
    return NULL;
  }
  Keeping *self = g_new0(Keeping, 1);
  *self = (Keeping){viewer_ref(viewer), incoming, {WVG_FILE_DONE, 0}};
  return self;
}

const char *keeping_path(Keeping *keeping) { return wvg_incoming_path(keeping->incoming); }

static void keeping_free(Keeping *self) {
  wvg_incoming_free(self->incoming);
  viewer_unref(self->viewer);
  g_free(self);
}

static void keep(GTask *task, gpointer source, gpointer data, GCancellable *cancellable) {
  (void)source;
  (void)cancellable;
  Keeping *self = data;
  self->status = wvg_incoming_keep(self->incoming);
  g_task_return_boolean(task, TRUE);
}

static void kept(GObject *source, GAsyncResult *result, gpointer data) {
  (void)source;
  (void)result;
  Keeping *self = data;
  if (self->status.code) guard_say_unprotected(self->viewer, keeping_path(self), self->status);
  keeping_free(self);
}

void keeping_end(Keeping *keeping, gboolean is_whole) {
  if (!is_whole) {
    keeping_free(keeping);
    return;
  }
  g_autoptr(GTask) task = g_task_new(NULL, NULL, kept, keeping);
  g_task_set_task_data(task, keeping, NULL);
  g_task_run_in_thread(task, keep);
}
