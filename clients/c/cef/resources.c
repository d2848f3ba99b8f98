/* Everything that is loaded, held on the IO thread by CEF's own callback until the daemon has answered. */
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define INNER WVG_INNER(cef_resource_request_handler_t, self)
#define HAS(member) WVG_HAS(cef_resource_request_handler_t, self, member)

static const char *frame_of(cef_resource_type_t type) {
  if (type == RT_MAIN_FRAME || type == RT_NAVIGATION_PRELOAD_MAIN_FRAME) return "main";
  if (type == RT_SUB_FRAME || type == RT_NAVIGATION_PRELOAD_SUB_FRAME) return "sub";
  return "resource";
}

static char *source_of(cef_browser_t *browser, cef_frame_t *frame, cef_request_t *request) {
  char *url = frame ? wvg_cef_take(frame->get_url(frame)) : NULL;
  if (!url || !*url) {
    free(url);
    url = wvg_cef_take(request->get_referrer_url(request));
  }
  if (url && *url) return url;
  free(url);
  return wvg_cef_page(browser);
}

/* ---- A load that waits ----------------------------------------------------------------------------------------- */

typedef struct {
  cef_resource_request_handler_t *self;
  cef_browser_t *browser;
  cef_frame_t *frame;
  cef_request_t *request;
  cef_callback_t *callback;
} Held;

static void let_go(Held *held) {
  WVG_DROP(held->self, held->browser, held->frame, held->request, held->callback);
  free(held);
}

/* On the IO thread: the app's own handler, which hears only of what may be loaded. */
static void ask_inner(void *context) {
  Held *held = context;
  cef_resource_request_handler_t *self = held->self;
  wvg_cef_keep(held->browser);
  wvg_cef_keep(held->frame);
  wvg_cef_keep(held->request);
  wvg_cef_keep(held->callback);
  cef_return_value_t value =
      INNER->on_before_resource_load(INNER, held->browser, held->frame, held->request, held->callback);
  if (value == RV_CONTINUE) held->callback->cont(held->callback);
  if (value == RV_CANCEL) held->callback->cancel(held->callback);
  let_go(held);
}

static void settled(void *context, const wvg_cef_answer *answer) {
  Held *held = context;
  if (answer->credential) held->callback = wvg_cef_signing(held->callback, held->request, answer->credential);
  cef_resource_request_handler_t *self = held->self;
  if (answer->is_allowed && HAS(on_before_resource_load) && wvg_cef_post(TID_IO, ask_inner, held)) return;
  if (answer->is_allowed && !HAS(on_before_resource_load))
    held->callback->cont(held->callback);
  else
    held->callback->cancel(held->callback);
  let_go(held);
}

static bool is_web(const char *url) {
  return url && (!strncmp(url, "http:", 5) || !strncmp(url, "https:", 6));
}

/* What a navigation loads from elsewhere than the web, such as a notice, was asked about as the navigation; so was what
   it loads in the moment behind that question, and what somebody goes on to in spite of a warning. */
static bool was_asked(const Held *held, cef_resource_type_t type, const char *frame, const char *url) {
  if (*frame != 'r' && !is_web(url)) return true;
  bool is_navigation = type == RT_MAIN_FRAME || type == RT_SUB_FRAME;
  if (*frame != 'm' && !is_navigation) return false;
  wvg_cef_scope *scope = WVG_SCOPE(held->self);
  char *method = wvg_cef_take(held->request->get_method(held->request));
  bool loads = *frame == 'm' && wvg_cef_loads(scope, wvg_cef_id(held->browser), url, method);
  if (is_navigation)
    loads = wvg_cef_judged_load(wvg_cef_judged(scope->cef), held->browser, held->frame, url, method) || loads;
  free(method);
  return loads;
}

/* Chrome's print preview loads its own parts as resources of the page's browser. Whoever opened it, by whatever way:
   without them it prints nothing. */
static void ask_as_print(wvg_cef_question *question, cef_browser_t *browser) {
  static const char preview[] = "chrome://print/";
  if (!question->url || strncmp(question->url, preview, sizeof preview - 1)) return;
  free(question->url), free(question->source), free(question->method);
  question->kind = WVG_PRINT;
  question->event = (wvg_event){0};
  question->url = wvg_cef_page(browser);
  question->source = question->method = NULL;
}

static cef_return_value_t on_before_resource_load(
    cef_resource_request_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, cef_request_t *request,
    cef_callback_t *callback) {
  cef_resource_type_t type = request->get_resource_type(request);
  const char *kind = frame_of(type);
  char *url = wvg_cef_take(request->get_url(request));
  Held *held = malloc(sizeof *held);
  if (!held) {
    free(url);
    WVG_DROP(browser, frame, request, callback);
    return RV_CANCEL;
  }
  wvg_cef_keep(self);
  *held = (Held){self, browser, frame, request, callback};
  /* What a redirect took along. */
  wvg_cef_take_off(request);
  if (was_asked(held, type, kind, url)) {
    free(url);
    settled(held, &(wvg_cef_answer){.is_allowed = true});
    return RV_CONTINUE_ASYNC;
  }
  char *method = wvg_cef_take(request->get_method(request));
  wvg_cef_question question = {
      .kind = WVG_NAVIGATE,
      .event = {.frame = kind},
      .browser = wvg_cef_id(browser),
      .signs_in = browser && type == RT_MAIN_FRAME && method && !strcmp(method, "GET"),
      .url = url,
      .source = source_of(browser, frame, request),
      .method = method,
      .answered = settled,
      .context = held,
  };
  ask_as_print(&question, browser);
  wvg_cef_ask_later(WVG_SCOPE(self), question);
  return RV_CONTINUE_ASYNC;
}

/* Another program for a scheme that CEF does not know. */
static void on_protocol_execution(
    cef_resource_request_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, cef_request_t *request,
    int *allow_os_execution) {
  int id = wvg_cef_id(browser);
  char *url = wvg_cef_take(request->get_url(request));
  bool is_allowed = wvg_cef_loads(WVG_SCOPE(self), id, url, NULL);
  if (is_allowed) {
    free(url);
  } else {
    char *source = source_of(browser, frame, request);
    wvg_cef_question question = {
        .kind = WVG_NAVIGATE, .event = {.frame = "main"}, .browser = id, .url = url, .source = source};
    is_allowed = wvg_cef_may(WVG_SCOPE(self), question);
  }
  if (!is_allowed) *allow_os_execution = 0;
  if (is_allowed && HAS(on_protocol_execution)) {
    INNER->on_protocol_execution(INNER, browser, frame, request, allow_os_execution);
    return;
  }
  WVG_DROP(browser, frame, request);
}

/* ---- Passed on as they are ------------------------------------------------------------------------------------- */

#define PASSED(type, member)                                                                            \
  static type *member(                                                                                  \
      cef_resource_request_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, cef_request_t *request) { \
    if (HAS(member)) return INNER->member(INNER, browser, frame, request);                              \
    wvg_cef_drop(browser);                                                                              \
    wvg_cef_drop(frame);                                                                                \
    wvg_cef_drop(request);                                                                              \
    return NULL;                                                                                        \
  }

PASSED(cef_cookie_access_filter_t, get_cookie_access_filter)
PASSED(cef_resource_handler_t, get_resource_handler)

/* CEF asks for another handler at each hop, and what it loads is asked about as any other. */
static void on_resource_redirect(
    cef_resource_request_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, cef_request_t *request,
    cef_response_t *response, cef_string_t *new_url) {
  if (HAS(on_resource_redirect))
    INNER->on_resource_redirect(INNER, browser, frame, request, response, new_url);
  else
    WVG_DROP(browser, frame, request, response);
}

static int on_resource_response(
    cef_resource_request_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, cef_request_t *request,
    cef_response_t *response) {
  if (HAS(on_resource_response)) return INNER->on_resource_response(INNER, browser, frame, request, response);
  WVG_DROP(browser, frame, request, response);
  return 0;
}

static cef_response_filter_t *get_resource_response_filter(
    cef_resource_request_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, cef_request_t *request,
    cef_response_t *response) {
  if (HAS(get_resource_response_filter))
    return INNER->get_resource_response_filter(INNER, browser, frame, request, response);
  WVG_DROP(browser, frame, request, response);
  return NULL;
}

static void on_resource_load_complete(
    cef_resource_request_handler_t *self, cef_browser_t *browser, cef_frame_t *frame, cef_request_t *request,
    cef_response_t *response, cef_urlrequest_status_t status, int64_t received_content_length) {
  if (HAS(on_resource_load_complete))
    INNER->on_resource_load_complete(INNER, browser, frame, request, response, status, received_content_length);
  else
    WVG_DROP(browser, frame, request, response);
}

cef_resource_request_handler_t *wvg_cef_resources(wvg_cef_scope *scope, cef_resource_request_handler_t *inner) {
  cef_resource_request_handler_t *made = wvg_cef_make(sizeof *made, scope, inner);
  made->get_cookie_access_filter = get_cookie_access_filter;
  made->on_before_resource_load = on_before_resource_load;
  made->get_resource_handler = get_resource_handler;
  made->on_resource_redirect = on_resource_redirect;
  made->on_resource_response = on_resource_response;
  made->get_resource_response_filter = get_resource_response_filter;
  made->on_resource_load_complete = on_resource_load_complete;
  made->on_protocol_execution = on_protocol_execution;
  return made;
}
