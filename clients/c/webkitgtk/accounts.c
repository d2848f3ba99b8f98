/* Whose data a viewer shows, and where the program keeps an account's files. The daemon says what it may do. */
#include <stdlib.h>
#include <string.h>

#include "private.h"

char *accounts_key(const char *account) {
  gsize size = wvg_account_key(account, NULL, 0) + 1;
  char *key = g_malloc0(size);
  wvg_account_key(account, key, size);
  return key;
}

/* A popup shows what its opener shows. */
const char *accounts_of(Viewer *viewer) {
  while (viewer->opener) viewer = viewer->opener;
  GHashTable *accounts = viewer->guard->accounts;
  const char *of_window = viewer->window ? g_hash_table_lookup(accounts, viewer->window) : NULL;
  const char *account = of_window ? of_window : g_hash_table_lookup(accounts, "");
  return account ? account : "";
}

/* Where nobody says, an account is managed. */
gboolean accounts_is_managed(WvgWebKitGuard *guard, const char *account) {
  wvg_account_list list;
  if (!*account) return FALSE;
  if (!guard->guard || wvg_list_accounts(guard->guard, &list) != WVG_DONE) return TRUE;
  for (size_t index = 0; index < list.count; index++)
    if (wvg_same_account(list.accounts[index].account, account)) return list.accounts[index].managed;
  return FALSE;
}

char *accounts_downloads(WvgWebKitGuard *guard, const char *account) {
  g_autofree char *key = accounts_key(account);
  const char *directory = g_hash_table_lookup(guard->downloads, key);
  char *found = directory ? realpath(directory, NULL) : NULL, *copy = g_strdup(found);
  free(found);
  return copy;
}

/**
 * wvg_webkit_guard_set_account:
 * @window: (nullable): a window, as in wvg_webkit_guard_add(); %NULL for the whole program
 * @account: (nullable): the account whose data it shows; "" for nobody's, %NULL to say nothing of it any more
 *
 * Says whose data is shown. A program that loaded pages before anybody signed in adds a new view for the
 * organisation's data: what a view showed while it was nobody's stays with it.
 *
 * Returns: whether it holds; wvg_webkit_guard_get_error() says why not
 */
gboolean wvg_webkit_guard_set_account(WvgWebKitGuard *self, const char *window, const char *account) {
  g_return_val_if_fail(self->guard, FALSE);
  wvg_identity identity = {.level = window ? "window" : "process", .window = window, .account = account};
  if (account) g_hash_table_replace(self->accounts, g_strdup(window ? window : ""), g_strdup(account));
  else g_hash_table_remove(self->accounts, window ? window : "");
  return wvg_set_identity(self->guard, &identity, NULL) != WVG_REFUSED;
}

/**
 * wvg_webkit_guard_get_account:
 * @view: a view
 *
 * Returns: the account whose data a guarded view shows, a popup that of its opener; "" for nobody's
 */
const char *wvg_webkit_guard_get_account(WvgWebKitGuard *self, WebKitWebView *view) {
  Viewer *viewer = guard_viewer_of(self, view);
  return viewer ? accounts_of(viewer) : "";
}

/**
 * wvg_webkit_guard_set_downloads:
 * @account: an account; "" for nobody
 * @directory: (nullable): where this program keeps the account's files, and nobody else reads; %NULL for none
 *
 * Downloads are offered this place first, and a policy that takes no other takes it. Where the policy has an encrypted
 * directory for the account, that is offered in its place.
 */
void wvg_webkit_guard_set_downloads(WvgWebKitGuard *self, const char *account, const char *directory) {
  g_return_if_fail(account);
  char *key = accounts_key(account);
  if (directory) {
    g_hash_table_replace(self->downloads, key, g_strdup(directory));
  } else {
    g_hash_table_remove(self->downloads, key);
    g_free(key);
  }
}
