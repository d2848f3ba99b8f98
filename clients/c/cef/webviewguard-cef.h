/*
 * webviewguard for CEF: puts the guard in front of an app's own handlers, in C11 on CEF's C API (CEF 131 and later).
 *
 *     wvg *guard = wvg_new(&(wvg_options){.app = "com.contoso.portal"});
 *     wvg_start(guard);
 *     wvg_set_identity(guard, &(wvg_identity){.account = "work@contoso.com"}, NULL);
 *     wvg_cef *cef = wvg_cef_new(guard);
 *     wvg_cef_options options = {.viewer_class = "documents"};
 *     cef_initialize(&arguments, &settings, wvg_cef_guard_app(cef, my_app, &options), NULL);
 *     cef_browser_host_create_browser(&window, wvg_cef_guard_client(cef, my_client, &options), &url, ...);
 *
 * Every browser of a guarded client asks before it navigates, opens a window, loads anything, downloads, uploads,
 * prints, records, copies by key or menu, or starts another program. What may not be is not done: the one notice says
 * why in place of the page (webviewguard-notice.h), or the program that the policy names opens. The app's handlers hear
 * only of what may be.
 *
 * With the feature `warn` (`.features = (const char *const[]){"warn", NULL}`) a page that the policy warns of shows the
 * notice with a way on: the user says why, and that URL loads once. A form that was sent has no way on, since its
 * content would be lost; a frame, a download, a copy and the like that are warned of do not happen, and `refused` hears
 * of them.
 *
 * With the features `wrap`, `plainText` and `clipEcho` a managed clip is copied on an X server: other programs read a
 * notice, and guarded ones ask before they paste what lies beside it. Elsewhere such a copy is refused.
 *
 * Loads are held by CEF's own callback while the daemon thinks, so neither thread of CEF waits. Where CEF wants an
 * answer at once (navigations, windows, downloads, keys) it gets one within the failure contract's answerMs.
 *
 * CEF shows no hook of some ways out; docs/embedding.md#cef lists them with what closes each.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WEBVIEWGUARD_CEF_H
#define WEBVIEWGUARD_CEF_H

#include "include/capi/cef_app_capi.h"
#include "include/capi/cef_client_capi.h"
#include "include/capi/cef_request_context_handler_capi.h"
#include "webviewguard.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The guard of one CEF process: a thread of its own that asks for all threads of CEF. */
typedef struct wvg_cef wvg_cef;

/* Takes the handle: from here on only the guard's own thread uses it. Set identities before, or later through a handle
   of wvg_join. Call it in the browser process only, after cef_execute_process. NULL, and the handle stays the caller's,
   when there is no memory, thread or descriptor. */
wvg_cef *wvg_cef_new(wvg *guard);

/* Ends the thread and the handle, after cef_shutdown. What is open is answered by the failure contract. */
void wvg_cef_free(wvg_cef *cef);

/* Tells the app what was refused. Both are called in the guard's own thread: they must not wait for a thread of CEF. */
typedef void wvg_cef_refused(void *context, int browser, wvg_kind kind, const wvg_decision *decision);

/* Starts the program that an answer names; true when it was started. */
typedef bool wvg_cef_opener(void *context, const wvg_open *open);

/* How a client is guarded. Text is copied. A struct of zeros asks as a viewer without class or window, which is the
   strictest. */
typedef struct wvg_cef_options {
  const char *viewer_class; /* The class of all its browsers, as of wvg_viewer. */
  const char *window;       /* The window whose account they show; NULL for the process's account. */
  /* Where downloads are kept, as of wvg_event: "localStorage" with the account whose storage of this app it is. NULL: a
     place that nobody vouches for. */
  const char *location, *location_account;
  /* Of wvg_cef_guard_app: the hosts that Chromium resolves, as of wvg_cef_host_rules; NULL for all. Stands in the place
     of a switch --host-resolver-rules that the program was started with. */
  const char *host_rules;
  wvg_cef_refused *refused;
  wvg_cef_opener *opener; /* NULL: the pack starts the program itself, with posix_spawn. */
  void *context;
} wvg_cef_options;

/* The policy's rules of a class for `host_rules`: what no hook shows, such as WebSockets, reaches no host of which rules
   stop every URL. Call it before wvg_cef_new; waits at most so long while the daemon makes them. Freed by free. NULL
   when there is no daemon, or no class of this name. They hold as long as the program runs. */
char *wvg_cef_host_rules(wvg *guard, const char *viewer_class, int wait_ms);

/* The client to give to CEF in place of `client`, which may be NULL. Takes the caller's reference to `client`, and
   returns one of its own, as CEF's functions want it. NULL when there is no memory: then create no browser.
   Trap: a browser that is created with the app's own client is not guarded, and nothing tells. */
cef_client_t *wvg_cef_guard_client(wvg_cef *cef, cef_client_t *client, const wvg_cef_options *options);

/* The app to give to cef_initialize in place of `app`, which may be NULL. Windows and tabs that the user opens in
   Chrome style get a guarded client too (get_default_client), and profiles that they make a guarded context. Taken and
   returned as above. */
cef_app_t *wvg_cef_guard_app(wvg_cef *cef, cef_app_t *app, const wvg_cef_options *options);

/* The app to give to cef_execute_process in place of `app`, which may be NULL: in the processes of pages a script
   stands before those of the page, and asks before a page copies, cuts, pastes or drags. Taken and returned as above.
   Trap: without it only keys and menus are asked about; what a page's button copies is not. */
cef_app_t *wvg_cef_guard_process(cef_app_t *app);

/* The same for a request context of the app's own: give it to cef_request_context_create_context, and the context to
   each browser; one for each account. What a service worker loads belongs to no browser, and is asked about with these
   options. Trap: CEF's global context can have no handler, so service workers of browsers in it load what they want. */
cef_request_context_handler_t *wvg_cef_guard_context(
    wvg_cef *cef, cef_request_context_handler_t *handler, const wvg_cef_options *options);

/* Closes navigator.clipboard and pasting by scripts, as far as a setting can: call it on the settings of each browser
   that the app creates. Popups get it by themselves. */
void wvg_cef_guard_settings(cef_browser_settings_t *settings);

/* What CEF asks nobody about, and what closes it: one line each, in English; ends with NULL. For an app's own
   report. */
const char *const *wvg_cef_gaps(void);

#ifdef __cplusplus
}
#endif

#endif
