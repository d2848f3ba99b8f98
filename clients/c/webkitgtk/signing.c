/* The credential for one visit of a sign-in page (docs/embedding.md#sign-in): asked of the session's agent on GLib's loop. */
#include <glib-unix.h>

#include "private.h"

/* The agent itself gives up after five seconds; the page loads then as it is. */
#define PATIENCE_MS 6000

typedef struct {
  wvg_credential *credential;
  CredentialCame *came;
  gpointer data;
  unsigned reading, waiting; /* Sources. */
} Visit;

static void end(Visit *self) {
  self->came(self->data, wvg_credential_value(self->credential));
  wvg_credential_free(self->credential);
  g_free(self);
}

static gboolean has_come(int descriptor, GIOCondition condition, gpointer data) {
  (void)descriptor;
  (void)condition;
  Visit *self = data;
  if (!wvg_credential_process(self->credential)) return G_SOURCE_CONTINUE;
  g_source_remove(self->waiting);
  end(self);
  return G_SOURCE_REMOVE;
}

static gboolean is_late(gpointer data) {
  Visit *self = data;
  g_source_remove(self->reading);
  end(self);
  return G_SOURCE_REMOVE;
}

gboolean signing_ask(const wvg_decision *decision, const char *url, CredentialCame *came, gpointer data) {
  wvg_credential *credential = wvg_credential_ask(decision, url);
  int descriptor = credential ? wvg_credential_fd(credential) : -1;
  if (descriptor < 0) {
    wvg_credential_free(credential);
    return FALSE;
  }
  Visit *self = g_new0(Visit, 1);
  *self = (Visit){.credential = credential, .came = came, .data = data};
  self->reading = g_unix_fd_add(descriptor, G_IO_IN | G_IO_HUP | G_IO_ERR, has_come, self);
  self->waiting = g_timeout_add(PATIENCE_MS, is_late, self);
  return TRUE;
}
