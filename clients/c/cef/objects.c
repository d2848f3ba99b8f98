/* Structures that CEF counts, CEF's text, and tasks on CEF's threads. */
#define _POSIX_C_SOURCE 200809L
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "include/capi/cef_task_capi.h"
#include "internal.h"

static size_t whole(size_t size) {
  return (size + _Alignof(max_align_t) - 1) / _Alignof(max_align_t) * _Alignof(max_align_t);
}

wvg_cef_tail *wvg_cef_tail_of(void *object) {
  return (wvg_cef_tail *)((char *)object + whole(((cef_base_ref_counted_t *)object)->size));
}

static void add_ref(cef_base_ref_counted_t *self) {
  atomic_fetch_add_explicit(&wvg_cef_tail_of(self)->count, 1, memory_order_relaxed);
}

static int release(cef_base_ref_counted_t *self) {
  wvg_cef_tail *tail = wvg_cef_tail_of(self);
  if (atomic_fetch_sub_explicit(&tail->count, 1, memory_order_acq_rel) != 1) return 0;
  wvg_cef_drop(tail->inner);
  wvg_cef_drop(tail->other);
  wvg_cef_scope_drop(tail->scope);
  free(tail->text);
  free(self);
  return 1;
}

static int has_one_ref(cef_base_ref_counted_t *self) {
  return atomic_load(&wvg_cef_tail_of(self)->count) == 1;
}

static int has_at_least_one_ref(cef_base_ref_counted_t *self) {
  return atomic_load(&wvg_cef_tail_of(self)->count) >= 1;
}

void *wvg_cef_make(size_t size, wvg_cef_scope *scope, void *inner) {
  cef_base_ref_counted_t *base = calloc(1, whole(size) + sizeof(wvg_cef_tail));
  /* A handler that is missing would leave a browser unguarded. Chromium ends without memory, too. */
  if (!base) abort();
  base->size = size;
  base->add_ref = add_ref;
  base->release = release;
  base->has_one_ref = has_one_ref;
  base->has_at_least_one_ref = has_at_least_one_ref;
  wvg_cef_tail *tail = wvg_cef_tail_of(base);
  atomic_init(&tail->count, 1);
  tail->scope = scope ? wvg_cef_scope_keep(scope) : NULL;
  tail->inner = inner;
  return base;
}

void wvg_cef_keep(void *object) {
  cef_base_ref_counted_t *base = object;
  if (base && base->add_ref) base->add_ref(base);
}

void wvg_cef_drop(void *object) {
  cef_base_ref_counted_t *base = object;
  if (base && base->release) base->release(base);
}

void wvg_cef_drop_all(void *const *objects, size_t count) {
  for (size_t place = 0; place < count; place++) wvg_cef_drop(objects[place]);
}

/* ---- Options --------------------------------------------------------------------------------------------------- */

static char *copy(const char *text) { return text ? strdup(text) : NULL; }

wvg_cef_scope *wvg_cef_scope_new(wvg_cef *cef, const wvg_cef_options *options) {
  static atomic_int numbers;
  wvg_cef_scope *scope = calloc(1, sizeof *scope);
  if (!scope) return NULL;
  atomic_init(&scope->count, 1);
  scope->number = atomic_fetch_add(&numbers, 1) + 1;
  scope->cef = cef;
  if (options) scope->options = *options;
  /* Without memory for them: no class and no window, which is the strictest. */
  scope->options.viewer_class = copy(scope->options.viewer_class);
  scope->options.window = copy(scope->options.window);
  scope->options.location = copy(scope->options.location);
  scope->options.location_account = copy(scope->options.location_account);
  scope->options.host_rules = copy(scope->options.host_rules);
  return scope;
}

wvg_cef_scope *wvg_cef_scope_keep(wvg_cef_scope *scope) {
  atomic_fetch_add_explicit(&scope->count, 1, memory_order_relaxed);
  return scope;
}

void wvg_cef_scope_drop(wvg_cef_scope *scope) {
  if (!scope || atomic_fetch_sub_explicit(&scope->count, 1, memory_order_acq_rel) != 1) return;
  free((char *)scope->options.viewer_class);
  free((char *)scope->options.window);
  free((char *)scope->options.location);
  free((char *)scope->options.location_account);
  free((char *)scope->options.host_rules);
  free(scope);
}

/* ---- Text ------------------------------------------------------------------------------------------------------ */

char *wvg_cef_text(const cef_string_t *text) {
  if (!text || !text->str) return NULL;
  cef_string_utf8_t utf8 = {0};
  char *made = NULL;
  if (cef_string_utf16_to_utf8(text->str, text->length, &utf8) && utf8.str) made = strdup(utf8.str);
  cef_string_utf8_clear(&utf8);
  return made;
}

char *wvg_cef_take(cef_string_userfree_t text) {
  char *made = wvg_cef_text(text);
  if (text) cef_string_userfree_utf16_free(text);
  return made;
}

void wvg_cef_set(cef_string_t *text, const char *utf8) { cef_string_utf8_to_utf16(utf8, strlen(utf8), text); }

long long wvg_cef_scalars(const char *text) {
  long long count = 0;
  for (; *text; text++) count += (*text & 0xC0) != 0x80;
  return count;
}

/* ---- Time ------------------------------------------------------------------------------------------------------ */

int64_t wvg_cef_now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* ---- Tasks ----------------------------------------------------------------------------------------------------- */

typedef struct {
  void (*act)(void *context);
  void *context;
} Work;

static void execute(cef_task_t *self) {
  Work work = *(Work *)wvg_cef_tail_of(self)->text;
  work.act(work.context);
}

bool wvg_cef_post(cef_thread_id_t thread, void (*act)(void *context), void *context) {
  cef_task_t *task = wvg_cef_make(sizeof *task, NULL, NULL);
  Work *work = malloc(sizeof *work);
  if (!work) {
    wvg_cef_drop(task);
    return false;
  }
  *work = (Work){act, context};
  task->execute = execute;
  wvg_cef_tail_of(task)->text = (char *)work;
  return cef_post_task(thread, task) != 0;
}
