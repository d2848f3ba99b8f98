/* The credential of a sign-in page: asked of the session's agent while its request is held, and added to that request.

   The guard's own thread waits for the agent beside the daemon. The request gets the header when it goes on, after the
   app's own handler was asked. CEF keeps headers along a redirect: each request loses it before it is asked about. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "internal.h"

/* The agent itself gives up after five seconds. */
enum { PATIENCE_MS = 6000 };

struct wvg_cef_visit {
  wvg_cef_visit *next;
  wvg_credential *credential;
  wvg_cef_question *question;
  int64_t deadline;
};

/* ---- In the guard's own thread --------------------------------------------------------------------------------- */

bool wvg_cef_visit_begin(wvg_cef_visit **list, wvg_cef_question *question, const wvg_decision *decision) {
  size_t count = 0;
  for (const wvg_cef_visit *visit = *list; visit; visit = visit->next) count++;
  bool may = question->signs_in && count < WVG_CEF_VISITS;
  wvg_credential *credential = may ? wvg_credential_ask(decision, question->url) : NULL;
  wvg_cef_visit *made = credential ? malloc(sizeof *made) : NULL;
  if (!made) {
    wvg_credential_free(credential);
    return false;
  }
  *made = (wvg_cef_visit){*list, credential, question, wvg_cef_now_ms() + PATIENCE_MS};
  *list = made;
  return true;
}

size_t wvg_cef_visits_watch(const wvg_cef_visit *list, struct pollfd *watched, int *timeout_ms) {
  size_t count = 0;
  for (int64_t now = wvg_cef_now_ms(); list; list = list->next) {
    int left = list->deadline > now ? (int)(list->deadline - now) : 0;
    if (*timeout_ms < 0 || left < *timeout_ms) *timeout_ms = left;
    watched[count++] = (struct pollfd){.fd = wvg_credential_fd(list->credential), .events = POLLIN};
  }
  return count;
}

wvg_cef_question *wvg_cef_visit_end(wvg_cef_visit **list, wvg_credential **credential) {
  for (int64_t now = wvg_cef_now_ms(); *list; list = &(*list)->next) {
    wvg_cef_visit *visit = *list;
    if (!wvg_credential_process(visit->credential) && now < visit->deadline) continue;
    wvg_cef_question *question = visit->question;
    *credential = visit->credential;
    *list = visit->next;
    free(visit);
    return question;
  }
  return NULL;
}

void wvg_cef_visits_give_up(wvg_cef_visit *list) {
  for (; list; list = list->next) list->deadline = 0;
}

/* ---- The request ----------------------------------------------------------------------------------------------- */

static void set_header(cef_request_t *request, const char *value) {
  cef_string_t name = {0}, text = {0};
  wvg_cef_set(&name, WVG_CREDENTIAL_HEADER);
  wvg_cef_set(&text, value);
  request->set_header_by_name(request, &name, &text, 1);
  cef_string_utf16_clear(&name);
  cef_string_utf16_clear(&text);
}

static void overwrite(char *text) {
  for (volatile char *byte = text; byte && *byte; byte++) *byte = 0;
}

static void cont(cef_callback_t *self) {
  wvg_cef_tail *tail = wvg_cef_tail_of(self);
  /* Without memory for it the page loads as it is. */
  if (tail->text) set_header((cef_request_t *)tail->other, tail->text);
  overwrite(tail->text);
  WVG_INNER(cef_callback_t, self)->cont(WVG_INNER(cef_callback_t, self));
}

static void cancel(cef_callback_t *self) {
  overwrite(wvg_cef_tail_of(self)->text);
  WVG_INNER(cef_callback_t, self)->cancel(WVG_INNER(cef_callback_t, self));
}

cef_callback_t *wvg_cef_signing(cef_callback_t *callback, cef_request_t *request, const char *credential) {
  cef_callback_t *made = wvg_cef_make(sizeof *made, NULL, callback);
  wvg_cef_tail *tail = wvg_cef_tail_of(made);
  wvg_cef_keep(request);
  tail->other = &request->base;
  tail->text = strdup(credential);
  made->cont = cont;
  made->cancel = cancel;
  return made;
}

static bool has_header(cef_request_t *request) {
  cef_string_t name = {0};
  wvg_cef_set(&name, WVG_CREDENTIAL_HEADER);
  char *value = wvg_cef_take(request->get_header_by_name(request, &name));
  cef_string_utf16_clear(&name);
  bool is_there = value != NULL;
  overwrite(value);
  free(value);
  return is_there;
}

/* CEF can set a header, and take away only all. */
void wvg_cef_take_off(cef_request_t *request) {
  if (!has_header(request)) return;
  cef_string_multimap_t all = cef_string_multimap_alloc(), kept = cef_string_multimap_alloc();
  request->get_header_map(request, all);
  for (size_t place = 0, count = cef_string_multimap_size(all); place < count; place++) {
    cef_string_t name = {0}, value = {0};
    cef_string_multimap_key(all, place, &name);
    cef_string_multimap_value(all, place, &value);
    char *word = wvg_cef_text(&name);
    if (word && strcasecmp(word, WVG_CREDENTIAL_HEADER)) cef_string_multimap_append(kept, &name, &value);
    free(word);
    cef_string_utf16_clear(&name);
    cef_string_utf16_clear(&value);
  }
  request->set_header_map(request, kept);
  cef_string_multimap_free(all);
  cef_string_multimap_free(kept);
}
