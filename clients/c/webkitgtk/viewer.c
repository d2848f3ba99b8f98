/* One web view, which the guard knows by name before anything loads in it, and what is asked about it. */
#include <string.h>

#include "private.h"

/* ---- Handlers of the program, which run when the guard has allowed it -------------------------------------------- */

static void hook_free(gpointer data) {
  Hook *hook = data;
  g_array_unref(hook->earlier);
  g_free(hook);
}

static Hook *hook_of(Viewer *viewer, const char *signal) {
  for (unsigned index = 0; index < viewer->hooks->len; index++) {
    Hook *hook = g_ptr_array_index(viewer->hooks, index);
    if (!strcmp(hook->signal, signal)) return hook;
  }
  return NULL;
}

void viewer_hook(Viewer *viewer, const char *signal, GCallback callback) {
  Hook *hook = g_new0(Hook, 1);
  hook->signal = signal;
  hook->earlier = g_array_new(FALSE, FALSE, sizeof(gulong));
  g_ptr_array_add(viewer->hooks, hook);
  GSignalMatchType free_ones = G_SIGNAL_MATCH_ID | G_SIGNAL_MATCH_UNBLOCKED;
  unsigned id = g_signal_lookup(signal, WEBKIT_TYPE_WEB_VIEW);
  for (gulong handler; (handler = g_signal_handler_find(viewer->view, free_ones, id, 0, NULL, NULL, NULL));) {
    g_signal_handler_block(viewer->view, handler);
    g_array_append_val(hook->earlier, handler);
  }
  g_signal_connect_data(
      viewer->view, signal, callback, viewer_ref(viewer), (GClosureNotify)(GCallback)viewer_unref, (GConnectFlags)0);
}

gboolean viewer_passes(Viewer *viewer, const char *signal) {
  Hook *hook = hook_of(viewer, signal);
  return hook && hook->passes;
}

static void let(Hook *hook, gboolean is_free) {
  for (unsigned index = 0; index < hook->earlier->len; index++) {
    gulong handler = g_array_index(hook->earlier, gulong, index);
    if (!g_signal_handler_is_connected(hook->view, handler)) continue;
    if (is_free) g_signal_handler_unblock(hook->view, handler);
    else g_signal_handler_block(hook->view, handler);
  }
}

Hook *viewer_pass(Viewer *viewer, const char *signal) {
  Hook *hook = hook_of(viewer, signal);
  hook->view = g_object_ref(G_OBJECT(viewer->view));
  viewer_ref(viewer);
  hook->passes = TRUE;
  let(hook, TRUE);
  return hook;
}

void viewer_passed(Viewer *viewer, Hook *hook) {
  hook->passes = FALSE;
  let(hook, FALSE);
  g_clear_object(&hook->view);
  viewer_unref(viewer);
}

/* ---- Making and ending ------------------------------------------------------------------------------------------- */

static void view_is_gone(gpointer data, GObject *view) {
  (void)view;
  Viewer *viewer = data;
  viewer->view = NULL;
  viewer_close(viewer);
}

static void configure(Viewer *viewer) {
  if (viewer->view) channel_configure(viewer->channel, webkit_web_view_get_settings(viewer->view));
}

static void settings_changed(WebKitWebView *view, GParamSpec *property, Viewer *viewer) {
  (void)view;
  (void)property;
  configure(viewer);
}

static gboolean closed_by_page(WebKitWebView *view, gpointer data) {
  (void)view;
  viewer_close(data);
  return FALSE;
}

static gboolean became_ready(WebKitWebView *view, Viewer *viewer) {
  if (viewer_passes(viewer, "ready-to-show")) return FALSE;
  g_signal_stop_emission_by_name(view, "ready-to-show");
  viewer->is_ready = TRUE;
  viewer_appear(viewer);
  return TRUE;
}

static gboolean registers(Viewer *viewer) {
  wvg_viewer said = {.viewer = viewer->name, .viewer_class = viewer->viewer_class, .kind = "embedded"};
  said.window = viewer->window;
  if (viewer->opener) said.opener = viewer->opener->name, said.kind = "popup", said.window = NULL;
  wvg_result result = wvg_register_viewer(viewer->guard->guard, &said, NULL);
  guard_told(viewer->guard, "register_viewer", result);
  return result != WVG_REFUSED;
}

/* A name that no other viewer has: that of its window where it is the first there. */
static char *name_for(WvgWebKitGuard *guard, const char *window) {
  gboolean is_taken = !window;
  for (unsigned index = 0; index < guard->viewers->len && !is_taken; index++)
    is_taken = !strcmp(((Viewer *)g_ptr_array_index(guard->viewers, index))->name, window);
  return is_taken ? g_strdup_printf("view-%u", ++guard->numbers) : g_strdup(window);
}

static gboolean loads_nothing(WebKitWebView *view, WebKitPolicyDecision *policy, WebKitPolicyDecisionType type) {
  (void)view;
  (void)type;
  webkit_policy_decision_ignore(policy);
  return TRUE;
}

static void hook_all(Viewer *viewer) {
  configure(viewer);
  GClosureNotify unref = (GClosureNotify)(GCallback)viewer_unref;
  g_signal_connect_data(viewer->view, "notify::settings", G_CALLBACK(settings_changed), viewer_ref(viewer), unref, 0);
  viewer_hook(viewer, "ready-to-show", G_CALLBACK(became_ready));
  g_signal_connect_data(viewer->view, "close", G_CALLBACK(closed_by_page), viewer_ref(viewer), unref,
                        G_CONNECT_AFTER);
  navigation_hook(viewer);
  uploads_hook(viewer);
  downloads_hook(viewer);
  outputs_hook(viewer);
  clipboard_hook(viewer);
}

Viewer *viewer_new(
    WvgWebKitGuard *guard, WebKitWebView *view, const char *viewer_class, const char *window, Viewer *opener) {
  Viewer *viewer = g_new0(Viewer, 1);
  g_atomic_ref_count_init(&viewer->references);
  viewer->guard = g_object_ref(guard);
  viewer->view = view;
  viewer->name = opener ? g_strdup_printf("popup-%u", ++guard->numbers) : name_for(guard, window);
  viewer->viewer_class = g_strdup(viewer_class);
  viewer->window = g_strdup(window);
  viewer->document = g_strdup(opener ? opener->document : "");
  viewer->opener = opener ? viewer_ref(opener) : NULL;
  viewer->is_allowed = viewer->is_ready = !opener;
  viewer->wanted = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  viewer->hooks = g_ptr_array_new_with_free_func(hook_free);
  viewer->reading = g_ptr_array_new_with_free_func((GDestroyNotify)wvg_readable_free);
  if (!registers(viewer)) {
    viewer_hook(viewer, "decide-policy", G_CALLBACK(loads_nothing));
    viewer_unref(viewer);
    return NULL;
  }
  viewer->channel = channel_of(guard, webkit_web_view_get_user_content_manager(view));
  g_object_weak_ref(G_OBJECT(view), view_is_gone, viewer);
  g_ptr_array_add(guard->viewers, viewer_ref(viewer));
  hook_all(viewer);
  return viewer;
}

Viewer *viewer_ref(Viewer *viewer) {
  g_atomic_ref_count_inc(&viewer->references);
  return viewer;
}

void viewer_unref(Viewer *viewer) {
  if (!g_atomic_ref_count_dec(&viewer->references)) return;
  g_clear_pointer(&viewer->opener, viewer_unref);
  g_ptr_array_unref(viewer->hooks);
  g_ptr_array_unref(viewer->reading);
  viewer_forget_offer(viewer);
  g_clear_object(&viewer->kept);
  g_hash_table_unref(viewer->wanted);
  if (viewer->notice) wvg_decision_free(viewer->notice);
  char *texts[] = {viewer->name, viewer->viewer_class, viewer->window, viewer->document, viewer->came_from, viewer->coming,
                   viewer->leading, viewer->led_to, viewer->led_from, viewer->credential,
                   viewer->allowed_window, viewer->token, viewer->notice_url, viewer->drag_notice, viewer->next};
  for (unsigned index = 0; index < G_N_ELEMENTS(texts); index++) g_free(texts[index]);
  g_object_unref(viewer->guard);
  g_free(viewer);
}

void viewer_forget_offer(Viewer *viewer) {
  if (viewer->offered) wvg_decision_free(viewer->offered);
  viewer->offered = NULL;
}

void viewer_close(Viewer *viewer) {
  if (viewer->is_closed) return;
  viewer_ref(viewer);
  clipboard_end_drag(viewer);
  viewer->is_closed = TRUE;
  g_ptr_array_set_size(viewer->reading, 0);
  WvgWebKitGuard *guard = viewer->guard;
  if (guard->guard) guard_told(guard, "forget_viewer", wvg_forget_viewer(guard->guard, viewer->name));
  if (viewer->view) {
    g_object_weak_unref(G_OBJECT(viewer->view), view_is_gone, viewer);
    webkit_web_view_stop_loading(viewer->view);
    if (viewer->opener && !viewer->is_allowed) webkit_web_view_try_close(viewer->view);
    viewer->view = NULL;
  }
  g_clear_object(&viewer->kept);
  g_ptr_array_remove(guard->viewers, viewer);
  viewer_unref(viewer);
}

void viewer_appear(Viewer *viewer) {
  if (!viewer->is_allowed || !viewer->is_ready || viewer->is_closed || !viewer->view) return;
  g_autoptr(GObject) kept = g_steal_pointer(&viewer->kept);
  if (kept) {
    guard_show_window(viewer);
  } else if (viewer->opener) {
    Hook *hook = viewer_pass(viewer, "ready-to-show");
    g_signal_emit_by_name(viewer->view, "ready-to-show");
    viewer_passed(viewer, hook);
  }
}

/* ---- Asking ------------------------------------------------------------------------------------------------------ */

typedef struct {
  Viewer *viewer;
  Settled *settled;
  gpointer data;
  const wvg_decision *decision; /* While the person is asked. */
} Question;

static void question_settle(Question *question, gboolean allowed, const wvg_decision *decision) {
  gboolean is_there = !question->viewer->is_closed && question->viewer->view;
  question->settled(question->viewer, allowed && is_there, decision, question->data);
  if (question->decision) wvg_decision_free(question->decision);
  viewer_unref(question->viewer);
  g_free(question);
}

static void justified(gpointer data, const char *const *values) {
  Question *question = data;
  const char *text = values ? said(values[0]) : NULL;
  wvg *guard = question->viewer->guard->guard;
  if (guard && !text) wvg_acknowledge(guard, question->decision, WVG_BLOCK, NULL);
  /* The dialog may have stood there for hours: the daemon says whether the warning still stands. */
  gboolean goes_on = guard && text && wvg_go_on(guard, question->decision, text) == WVG_DONE;
  question_settle(question, goes_on, question->decision);
}

static void answered(void *context, const wvg_decision *decision) {
  Question *question = context;
  if (decision->outcome != WVG_WARN || question->viewer->is_closed || !question->viewer->view) {
    question_settle(question, decision->outcome == WVG_ALLOW, decision);
    return;
  }
  question->decision = wvg_decision_keep(decision);
  g_autofree char *text = notice_text(decision);
  g_autoptr(WvgWebKitRequest) request =
      request_new(WVG_WEBKIT_REQUEST_JUSTIFICATION, text, FALSE, justified, question);
  guard_ask_person(question->viewer, request);
}

void viewer_ask(Viewer *viewer, wvg_kind kind, const wvg_event *event, Settled *settled, gpointer data) {
  static const wvg_decision nobody = {.id = "", .reason = "noAnswer", .digest = "", .json = "", .is_local = true};
  Question *question = g_new0(Question, 1);
  *question = (Question){viewer_ref(viewer), settled, data, NULL};
  wvg_event about = *event;
  about.viewer = viewer->name;
  wvg *guard = viewer->guard->guard;
  if (!guard || !wvg_ask_later(guard, kind, &about, answered, question)) question_settle(question, FALSE, &nobody);
}

void viewer_was_refused(
    Viewer *viewer, const wvg_decision *decision, const char *url, gboolean is_page, gboolean is_latest) {
  const wvg_open *offer = wvg_opens_now(decision);
  Viewer *shows = viewer->opener && !viewer->has_shown ? viewer->opener : viewer;
  if (offer) {
    guard_open_elsewhere(shows, offer);
    guard_say(shows, decision, url);
  } else if (decision->outcome == WVG_REDIRECT || decision->outcome == WVG_HAND_OFF) {
    /* Another question about the same click has opened it. */
  } else if (!is_page || shows != viewer) {
    guard_say(shows, decision, url);
  } else if (is_latest) {
    notice_show(viewer, decision, url);
  }
  if (shows != viewer) viewer_close(viewer);
}
