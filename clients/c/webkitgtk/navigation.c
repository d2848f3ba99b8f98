/* Asks before every navigation, every hop of a redirect and every new window. The engine waits, the loop does not. */
#include <string.h>

#include "private.h"

/* A navigation under way: what was asked, and whom to answer. */
typedef struct {
  WebKitPolicyDecision *policy; /* NULL for a new window of `create`. */
  WebKitPolicyDecisionType type;
  Viewer *popup; /* Of `create`. */
  char *url, *source;
  const char *frame, *gesture;
  char *method;
  char *carried; /* The credential that the request has already. */
  gboolean is_hop, is_new_window, is_same_document, is_own, is_programs;
  unsigned moves, commits;
} Navigation;

static void navigation_free(Navigation *self) {
  g_clear_object(&self->policy);
  if (self->popup) viewer_unref(self->popup);
  g_free(self->url);
  g_free(self->source);
  g_free(self->method);
  g_free(self->carried);
  g_free(self);
}

static const char *header(WebKitURIRequest *request, const char *name) {
  SoupMessageHeaders *headers = webkit_uri_request_get_http_headers(request);
  return headers ? soup_message_headers_get_one(headers, name) : NULL;
}

/* Whether two URLs are of one document: they differ in their fragments only. */
static gboolean is_same_document(const char *url, const char *document) {
  const char *mark = strchr(url, '#');
  return mark && !strncmp(url, document, (size_t)(mark - url)) && strchr("#", document[mark - url]);
}

#define WANTED_MAXIMUM 16

/* The view names the URL to which the program leads before its page is asked for, as it does for nobody else. While a
   notice comes, it names several in turn. */
static void uri_changed(WebKitWebView *view, GParamSpec *property, Viewer *viewer) {
  (void)property;
  const char *uri = webkit_web_view_get_uri(view);
  if (!uri || (viewer->is_notice_coming && !g_strcmp0(uri, viewer->notice_url))) return;
  if (g_hash_table_size(viewer->wanted) == WANTED_MAXIMUM) g_hash_table_remove_all(viewer->wanted);
  g_hash_table_add(viewer->wanted, g_strdup(uri));
}

/* Whether the program itself leads there. A page that is in a frame could else pass for the user's own wish. */
static gboolean is_own_load(Viewer *viewer, WebKitNavigationAction *action, const char *url) {
  WebKitURIRequest *request = webkit_navigation_action_get_request(action);
  gboolean is_shown = !g_strcmp0(webkit_web_view_get_uri(viewer->view), url);
  if (webkit_navigation_action_is_redirect(action) || webkit_navigation_action_is_user_gesture(action)) return FALSE;
  return (is_shown || g_hash_table_contains(viewer->wanted, url)) && !header(request, "Referer");
}

static gboolean is_made_by_page(const char *url) {
  return g_str_has_prefix(url, "about:") || g_str_has_prefix(url, "data:") || g_str_has_prefix(url, "blob:");
}

/* The page or hop that leads there. Of a frame it is known by what the engine tells the site; else unknown, since a
   rule may let pass what comes from the right page. What asks no site is made by the page that is shown. */
static const char *source_of(Viewer *viewer, WebKitNavigationAction *action, const Navigation *navigation) {
  WebKitURIRequest *request = webkit_navigation_action_get_request(action);
  gboolean is_hop = webkit_navigation_action_is_redirect(action);
  if (!strcmp(navigation->frame, "main")) return is_hop ? viewer->came_from : viewer->document;
  if (is_made_by_page(navigation->url)) return viewer->document;
  return is_hop ? NULL : header(request, "Referer");
}

/* What the guard loads anew is judged as what led there. */
static void is_led(Viewer *viewer, Navigation *self) {
  self->is_own = FALSE;
  self->source = g_steal_pointer(&viewer->led_from);
  g_clear_pointer(&viewer->led_to, g_free);
}

static Navigation *navigation_new(Viewer *viewer, WebKitNavigationAction *action, gboolean is_new_window) {
  Navigation *self = g_new0(Navigation, 1);
  WebKitURIRequest *request = webkit_navigation_action_get_request(action);
  const char *url = webkit_uri_request_get_uri(request), *method = webkit_uri_request_get_http_method(request);
  gboolean is_reload = webkit_navigation_action_get_navigation_type(action) == WEBKIT_NAVIGATION_TYPE_RELOAD;
  self->url = g_strdup(said(url) ? url : "about:blank");
  self->method = g_strdup(said(method) ? method : "GET");
  self->is_hop = webkit_navigation_action_is_redirect(action);
  self->is_new_window = is_new_window;
  self->gesture = webkit_navigation_action_is_user_gesture(action) ? "yes" : "no";
  self->frame = is_new_window ? "main" : channel_frame(viewer->channel, action, !viewer->has_shown);
  /* The view names a hop of its main frame before it is asked about, and no other. */
  if (self->is_hop && !strcmp(self->frame, "unknown") && g_hash_table_remove(viewer->wanted, self->url))
    self->frame = "main";
  self->is_own = !is_new_window && is_own_load(viewer, action, self->url);
  self->is_programs = self->is_own;
  if (self->is_own) {
    self->frame = "main";
    g_hash_table_remove(viewer->wanted, self->url);
    if (!g_strcmp0(viewer->led_to, self->url)) is_led(viewer, self);
  } else {
    self->source = g_strdup(source_of(viewer, action, self));
  }
  self->carried = g_strdup(header(request, WVG_CREDENTIAL_HEADER));
  self->is_same_document = !self->is_hop && !is_reload && is_same_document(self->url, viewer->document);
  return self;
}

static gboolean is_page(const Navigation *self) { return !strcmp(self->frame, "main") && !self->is_new_window; }

static void ask(Viewer *viewer, Navigation *self, Settled *settled) {
  wvg_event event = {.url = self->url, .source = said(self->source), .frame = self->frame, .gesture = self->gesture};
  event.method = self->method;
  event.hop = self->is_hop ? WVG_YES : WVG_NO;
  event.new_window = self->is_new_window ? WVG_YES : WVG_NO;
  event.same_document = self->is_same_document ? WVG_YES : WVG_NO;
  viewer_ask(viewer, WVG_NAVIGATE, &event, settled, self);
}

/* ---- decide-policy ----------------------------------------------------------------------------------------------- */

/* The program's own handlers decide what becomes of what is allowed. */
static void pass(Viewer *viewer, WebKitPolicyDecision *policy, WebKitPolicyDecisionType type) {
  gboolean is_handled = FALSE;
  Hook *hook = viewer_pass(viewer, "decide-policy");
  g_signal_emit_by_name(viewer->view, "decide-policy", policy, type, &is_handled);
  viewer_passed(viewer, hook);
  if (!is_handled) webkit_policy_decision_use(policy);
}

typedef struct {
  Viewer *viewer;
  Navigation *navigation;
  gboolean needs_rules;
} Waiting;

/* The rules for what the page loads by itself hold by now. */
static void goes_on(gpointer data) {
  Waiting *waiting = data;
  Navigation *self = waiting->navigation;
  Viewer *viewer = waiting->viewer;
  if (viewer->is_closed || !viewer->view) {
    webkit_policy_decision_ignore(self->policy);
  } else {
    if (self->is_new_window) g_free(viewer->allowed_window), viewer->allowed_window = g_strdup(self->url);
    else if (is_page(self)) g_free(viewer->came_from), viewer->came_from = g_strdup(self->url);
    if (self->is_programs && is_page(self)) g_free(viewer->leading), viewer->leading = g_strdup(self->url);
    pass(viewer, self->policy, self->type);
  }
  navigation_free(self);
  viewer_unref(viewer);
  g_free(waiting);
}

static void go_on_with_rules(Waiting *waiting) {
  Viewer *viewer = waiting->viewer;
  if (!waiting->needs_rules || viewer->is_closed || !viewer->view) goes_on(waiting);
  else rules_guard(viewer->guard->rules, webkit_web_view_get_user_content_manager(viewer->view), viewer->viewer_class,
                   goes_on, waiting);
}

/* WebKit takes the headers of a request along to wherever it is redirected, and to its reload. So a request with a
   credential is one of its own, and what comes of it is loaded anew without. A frame's or a popup's has none. */
static void load_anew(Waiting *waiting, const char *credential) {
  Navigation *self = waiting->navigation;
  Viewer *viewer = waiting->viewer;
  webkit_policy_decision_ignore(self->policy);
  if (!viewer->is_closed && viewer->view && is_page(self) && self->moves == viewer->moves) {
    g_free(viewer->led_to), viewer->led_to = g_strdup(self->url);
    g_free(viewer->led_from), viewer->led_from = g_strdup(self->source);
    g_free(viewer->credential), viewer->credential = g_strdup(credential);
    g_autoptr(WebKitURIRequest) request = webkit_uri_request_new(self->url);
    if (credential) soup_message_headers_replace(webkit_uri_request_get_http_headers(request), WVG_CREDENTIAL_HEADER, credential);
    webkit_web_view_load_request(viewer->view, request);
  }
  navigation_free(self);
  viewer_unref(viewer);
  g_free(waiting);
}

static void credential_came(gpointer data, const char *credential) {
  if (credential) load_anew(data, credential);
  else go_on_with_rules(data);
}

/* A request with a body could not be made anew. */
static gboolean takes_credential(const Navigation *self) {
  return is_page(self) && self->type == WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION && !strcmp(self->method, "GET") &&
         !self->is_same_document;
}

static void settled(Viewer *viewer, gboolean allowed, const wvg_decision *decision, gpointer data) {
  Navigation *self = data;
  if (!allowed) {
    webkit_policy_decision_ignore(self->policy);
    if (!viewer->is_closed)
      viewer_was_refused(viewer, decision, self->url, is_page(self), self->moves == viewer->moves);
    navigation_free(self);
    return;
  }
  Waiting *waiting = g_new0(Waiting, 1);
  /* No protection binds the account: what its pages load by themselves is its own. */
  *waiting = (Waiting){viewer_ref(viewer), self, decision->protection || decision->is_local};
  gboolean is_fresh = self->carried && !self->is_hop && !g_strcmp0(self->carried, viewer->credential);
  if (self->carried) g_clear_pointer(&viewer->credential, g_free);
  /* WebKit forgets what the program leads to when an earlier page comes while that is asked about. */
  gboolean is_forgotten = self->is_programs && is_page(self) && self->commits != viewer->commits;
  if ((self->carried && !is_fresh) || is_forgotten) load_anew(waiting, NULL);
  else if (self->carried || !takes_credential(self) || !signing_ask(decision, self->url, credential_came, waiting))
    go_on_with_rules(waiting);
}

static void decide_response(Viewer *viewer, WebKitPolicyDecision *policy) {
  WebKitResponsePolicyDecision *response = WEBKIT_RESPONSE_POLICY_DECISION(policy);
  SoupMessageHeaders *headers =
      webkit_uri_response_get_http_headers(webkit_response_policy_decision_get_response(response));
  const char *disposition = headers ? soup_message_headers_get_one(headers, "Content-Disposition") : NULL;
  gboolean is_file = disposition && !g_ascii_strncasecmp(disposition, "attachment", 10);
  if (is_file || !webkit_response_policy_decision_is_mime_type_supported(response))
    webkit_policy_decision_download(policy);
  else pass(viewer, policy, WEBKIT_POLICY_DECISION_TYPE_RESPONSE);
}

static gboolean decide_policy(
    WebKitWebView *view, WebKitPolicyDecision *policy, WebKitPolicyDecisionType type, Viewer *viewer) {
  (void)view;
  if (viewer_passes(viewer, "decide-policy")) return FALSE;
  if (viewer->is_closed) {
    webkit_policy_decision_ignore(policy);
    return TRUE;
  }
  if (type == WEBKIT_POLICY_DECISION_TYPE_RESPONSE) {
    decide_response(viewer, policy);
    return TRUE;
  }
  WebKitNavigationAction *action =
      webkit_navigation_policy_decision_get_navigation_action(WEBKIT_NAVIGATION_POLICY_DECISION(policy));
  Navigation *self = navigation_new(viewer, action, type == WEBKIT_POLICY_DECISION_TYPE_NEW_WINDOW_ACTION);
  if (notice_is_pressed(viewer, self->url, webkit_navigation_action_is_user_gesture(action))) {
    webkit_policy_decision_ignore(policy);
    navigation_free(self);
    return TRUE;
  }
  self->policy = g_object_ref(policy);
  self->type = type;
  if (is_page(self)) viewer->moves++;
  if (viewer->is_notice_coming && self->is_own) g_free(viewer->next), viewer->next = g_strdup(self->url);
  self->moves = viewer->moves;
  self->commits = viewer->commits;
  ask(viewer, self, settled);
  return TRUE;
}

/* ---- New windows ------------------------------------------------------------------------------------------------- */

static void popup_settled(Viewer *viewer, gboolean allowed, const wvg_decision *decision, gpointer data) {
  Navigation *self = data;
  if (allowed) {
    self->popup->is_allowed = TRUE;
    viewer_appear(self->popup);
  } else {
    viewer_close(self->popup);
    if (!viewer->is_closed) viewer_was_refused(viewer, decision, self->url, FALSE, FALSE);
  }
  navigation_free(self);
}

/* The view that the program makes in its own handler, or one of ours. Nothing loads in it, and nobody sees it, before
   that is allowed. */
static gpointer make_view(Viewer *viewer, WebKitNavigationAction *action, gboolean *is_ours) {
  gpointer made = NULL;
  Hook *hook = viewer_pass(viewer, "create");
  g_signal_emit_by_name(viewer->view, "create", action, &made);
  viewer_passed(viewer, hook);
  *is_ours = !made;
  if (made) return made;
  return toolkit_make_popup(viewer->view);
}

/* The engine wants the view at once, and the answer takes a moment. */
static gpointer create(WebKitWebView *view, WebKitNavigationAction *action, Viewer *viewer) {
  (void)view;
  if (viewer_passes(viewer, "create") || viewer->is_closed) return NULL;
  if (viewer->has_no_popups) {
    guard_say_popup(viewer, webkit_uri_request_get_uri(webkit_navigation_action_get_request(action)));
    return NULL;
  }
  gboolean is_ours;
  Viewer **opening = &viewer->guard->opening, *outer = *opening;
  *opening = viewer;
  gpointer made = make_view(viewer, action, &is_ours);
  *opening = outer;
  if (!made) return NULL;
  if (is_ours) g_object_ref_sink(made);
  Viewer *added = guard_viewer_of(viewer->guard, made);
  g_autoptr(Viewer) popup =
      added ? viewer_ref(added)
            : viewer_new(viewer->guard, WEBKIT_WEB_VIEW(made), viewer->viewer_class, viewer->window, viewer);
  if (popup && is_ours) popup->kept = g_object_ref(G_OBJECT(made));
  if (!popup) return made;
  Navigation *self = navigation_new(viewer, action, TRUE);
  if (viewer->allowed_window && !strcmp(viewer->allowed_window, self->url)) {
    g_clear_pointer(&viewer->allowed_window, g_free);
    popup->is_allowed = TRUE;
    navigation_free(self);
    return made;
  }
  self->popup = viewer_ref(popup);
  ask(viewer, self, popup_settled);
  return made;
}

/* ---- What became of it ------------------------------------------------------------------------------------------- */

static void load_changed(WebKitWebView *view, WebKitLoadEvent event, Viewer *viewer) {
  if (event == WEBKIT_LOAD_STARTED) g_clear_pointer(&viewer->leading, g_free);
  if (event != WEBKIT_LOAD_COMMITTED || viewer->is_closed) return;
  viewer->commits++;
  const char *uri = webkit_web_view_get_uri(view), *url = uri ? uri : "about:blank";
  /* A window that a page opened empty has no frames yet that could be meant. */
  viewer->has_shown = strcmp(url, "about:blank") != 0;
  gboolean is_notice = notice_has_come(viewer, url);
  viewer_forget_offer(viewer);
  if (!is_notice) g_hash_table_remove_all(viewer->wanted);
  g_autofree char *next = g_steal_pointer(&viewer->next);
  if (!is_notice && (g_str_has_prefix(url, "about:") || g_str_has_prefix(url, "data:"))) return;
  g_free(viewer->document);
  viewer->document = g_strdup(is_notice ? "" : url);
  g_autofree char *forgotten = g_steal_pointer(&viewer->leading);
  if (is_notice && next) webkit_web_view_load_uri(view, next);
  else if (forgotten) webkit_web_view_load_uri(view, forgotten);
  if (is_notice) return;
  guard_told(viewer->guard, "set_document", wvg_set_document(viewer->guard->guard, viewer->name, url));
}

/* What the guard stopped needs no page of the engine's own. */
static gboolean load_failed(
    WebKitWebView *view, WebKitLoadEvent event, const char *url, GError *error, Viewer *viewer) {
  (void)view;
  (void)event;
  (void)url;
  (void)viewer;
  return g_error_matches(error, WEBKIT_POLICY_ERROR, WEBKIT_POLICY_ERROR_FRAME_LOAD_INTERRUPTED_BY_POLICY_CHANGE);
}

void navigation_hook(Viewer *viewer) {
  viewer_hook(viewer, "decide-policy", G_CALLBACK(decide_policy));
  viewer_hook(viewer, "create", G_CALLBACK(create));
  GClosureNotify unref = (GClosureNotify)(GCallback)viewer_unref;
  g_signal_connect_data(viewer->view, "notify::uri", G_CALLBACK(uri_changed), viewer_ref(viewer), unref, 0);
  g_signal_connect_data(viewer->view, "load-changed", G_CALLBACK(load_changed), viewer_ref(viewer), unref, 0);
  g_signal_connect_data(viewer->view, "load-failed", G_CALLBACK(load_failed), viewer_ref(viewer), unref, 0);
}
