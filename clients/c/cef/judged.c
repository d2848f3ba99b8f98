/* One answer for one page. CEF shows a navigation on the UI thread and its load on the IO thread, a moment later: the
   answer to the first is good for exactly that load. Whatever differs, comes late or comes twice is asked about.

   A pass is for one browser and one frame of it, one URL and one method. The next navigation there takes it away, and
   so does any news of the policy or of an account. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* Between the two are a few milliseconds. */
enum { PASS_MS = 500, PASSES = 32 };

typedef struct {
  int browser; /* 0 where there is none. */
  char *frame; /* "" for the main frame. */
  char *url, *method;
  int64_t until;
} Pass;

struct wvg_cef_judged_list {
  pthread_mutex_t lock;
  Pass passes[PASSES];
  unsigned next;
};

static void clear(Pass *pass) {
  free(pass->frame);
  free(pass->url);
  free(pass->method);
  *pass = (Pass){0};
}

static bool is_of(const Pass *pass, int browser, const char *frame) {
  return pass->browser && pass->browser == browser && !strcmp(pass->frame, frame);
}

/* Takes what the frame has: it holds for nothing else any more. */
static Pass take(wvg_cef_judged_list *list, int browser, const char *frame) {
  for (size_t place = 0; place < PASSES; place++) {
    Pass pass = list->passes[place];
    if (!is_of(&pass, browser, frame)) continue;
    list->passes[place] = (Pass){0};
    return pass;
  }
  return (Pass){0};
}

static char *frame_of(cef_frame_t *frame) {
  if (!frame) return NULL;
  return frame->is_main(frame) ? strdup("") : wvg_cef_take(frame->get_identifier(frame));
}

void wvg_cef_judged_navigation(
    wvg_cef_judged_list *list, cef_browser_t *browser, cef_frame_t *frame, cef_request_t *request, bool may_load) {
  char *name = frame_of(frame);
  int id = wvg_cef_id(browser);
  Pass made = {0};
  if (name && id && may_load) {
    made = (Pass){id, strdup(name), wvg_cef_take(request->get_url(request)),
                  wvg_cef_take(request->get_method(request)), wvg_cef_now_ms() + PASS_MS};
  }
  if (!made.frame || !made.url || !made.method) clear(&made);
  pthread_mutex_lock(&list->lock);
  Pass before = name ? take(list, id, name) : (Pass){0};
  clear(&before);
  if (made.browser) {
    clear(&list->passes[list->next % PASSES]);
    list->passes[list->next++ % PASSES] = made;
  }
  pthread_mutex_unlock(&list->lock);
  free(name);
}

bool wvg_cef_judged_load(
    wvg_cef_judged_list *list, cef_browser_t *browser, cef_frame_t *frame, const char *url, const char *method) {
  char *name = frame_of(frame);
  if (!name) return false;
  pthread_mutex_lock(&list->lock);
  Pass pass = take(list, wvg_cef_id(browser), name);
  pthread_mutex_unlock(&list->lock);
  bool passes = pass.browser && url && method && wvg_cef_now_ms() < pass.until && !strcmp(url, pass.url) &&
                !strcmp(method, pass.method);
  clear(&pass);
  free(name);
  return passes;
}

void wvg_cef_judged_end(wvg_cef_judged_list *list) {
  pthread_mutex_lock(&list->lock);
  for (size_t place = 0; place < PASSES; place++) clear(&list->passes[place]);
  pthread_mutex_unlock(&list->lock);
}

wvg_cef_judged_list *wvg_cef_judged_new(void) {
  wvg_cef_judged_list *list = calloc(1, sizeof *list);
  if (list) pthread_mutex_init(&list->lock, NULL);
  return list;
}

void wvg_cef_judged_free(wvg_cef_judged_list *list) {
  if (!list) return;
  wvg_cef_judged_end(list);
  pthread_mutex_destroy(&list->lock);
  free(list);
}
