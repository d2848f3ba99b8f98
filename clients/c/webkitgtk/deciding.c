/* Asks before every navigation and every hop of a redirect. The engine waits, the loop does not. */
#include <string.h>

#include "frames.h"
#include "navigation.h"

/* A page load that was allowed has begun by then, also where another process takes the place. */
#define BEGINNING_MS 5000

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

/* What the next page load of the view is, and so where its hops come from. A page that says that it is alone may hide its
   first frame, which is no page load: where one was allowed just before, nobody knows which of the two begins. */
static void will_come(Viewer *viewer, const Navigation *self) {
  gint64 now = g_get_monotonic_time();
  gboolean is_under_way = viewer->coming && viewer->coming_since + BEGINNING_MS * 1000 > now;
  gboolean is_unsure = self->is_by_its_word && is_under_way && strcmp(viewer->coming, self->url);
  if (self->is_hop) g_free(viewer->came_from), viewer->came_from = g_strdup(self->url);
  g_free(viewer->coming), viewer->coming = g_strdup(is_unsure ? "" : self->url);
  viewer->coming_since = now;
}

/* The rules for what the page loads by itself hold by now. */
static void goes_on(gpointer data) {
  Waiting *waiting = data;
  Navigation *self = waiting->navigation;
  Viewer *viewer = waiting->viewer;
  if (viewer->is_closed || !viewer->view) {
    webkit_policy_decision_ignore(self->policy);
  } else {
    if (self->is_new_window) g_free(viewer->allowed_window), viewer->allowed_window = g_strdup(self->url);
    else if (navigation_is_page(self) && !self->is_same_document) will_come(viewer, self);
    if (self->is_programs && navigation_is_page(self)) g_free(viewer->leading), viewer->leading = g_strdup(self->url);
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
  if (!viewer->is_closed && viewer->view && navigation_is_page(self) && self->number == viewer->moves) {
    g_free(viewer->led_to), viewer->led_to = g_strdup(self->url);
    g_free(viewer->led_from), viewer->led_from = g_strdup(self->source);
    g_free(viewer->credential), viewer->credential = g_strdup(credential);
    g_autoptr(WebKitURIRequest) request = webkit_uri_request_new(self->url);
    SoupMessageHeaders *headers = webkit_uri_request_get_http_headers(request);
    if (credential) soup_message_headers_replace(headers, WVG_CREDENTIAL_HEADER, credential);
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
  return navigation_is_page(self) && self->type == WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION && !strcmp(self->method, "GET") &&
         !self->is_same_document;
}

static void settled(Viewer *viewer, gboolean allowed, const wvg_decision *decision, gpointer data) {
  Navigation *self = data;
  if (!allowed) {
    webkit_policy_decision_ignore(self->policy);
    if (!viewer->is_closed)
      viewer_was_refused(viewer, decision, self->url, navigation_is_page(self), self->number == viewer->moves);
    navigation_free(self);
    return;
  }
  Waiting *waiting = g_new0(Waiting, 1);
  /* No protection binds the account: what its pages load by themselves is its own. */
  *waiting = (Waiting){viewer_ref(viewer), self, decision->protection || decision->is_local};
  gboolean is_fresh = self->carried && !self->is_hop && !g_strcmp0(self->carried, viewer->credential);
  if (self->carried) g_clear_pointer(&viewer->credential, g_free);
  /* WebKit forgets what the program leads to when an earlier page comes while that is asked about. */
  gboolean is_forgotten = self->is_programs && navigation_is_page(self) && self->commits != viewer->commits;
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

static void go_and_ask(Viewer *viewer, Navigation *self) {
  if (navigation_is_page(self) && viewer->moves < self->number) viewer->moves = self->number;
  navigation_ask(viewer, self, settled);
}

static void frame_is_known(Viewer *viewer, gboolean is_alone, gpointer data) {
  Navigation *self = data;
  if (viewer->is_closed || !viewer->view) {
    webkit_policy_decision_ignore(self->policy);
    navigation_free(self);
    return;
  }
  if (is_alone) navigation_is_of_the_page(viewer, self);
  go_and_ask(viewer, self);
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
  if (viewer->is_notice_coming && self->is_own) g_free(viewer->next), viewer->next = g_strdup(self->url);
  self->number = ++viewer->asked;
  self->commits = viewer->commits;
  gboolean is_open = navigation_is_of_a_frame_nobody_knows(viewer, self);
  if (!is_open || !frames_ask_alone(viewer, frame_is_known, self)) go_and_ask(viewer, self);
  return TRUE;
}

void deciding_hook(Viewer *viewer) { viewer_hook(viewer, "decide-policy", G_CALLBACK(decide_policy)); }
