/* What the user sees of a refusal: the notice in place of the page, or the program that opens. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/capi/cef_parser_capi.h"
#include "internal.h"

extern char **environ;

/* ---- The notice ------------------------------------------------------------------------------------------------ */

/* Text for HTML, at most this much of it. */
static void put(FILE *page, const char *text, size_t most) {
  for (size_t place = 0; text && text[place] && place < most; place++) {
    char one = text[place];
    if (one == '&') fputs("&amp;", page);
    else if (one == '<') fputs("&lt;", page);
    else if (one == '>') fputs("&gt;", page);
    else if (one == '"') fputs("&quot;", page);
    else if (one == '\'') fputs("&#39;", page);
    else fputc(one, page);
  }
}

char *wvg_cef_notice(const wvg_decision *decision, wvg_kind kind, const char *url) {
  char *text = NULL;
  size_t size = 0;
  FILE *page = kind == WVG_NAVIGATE ? open_memstream(&text, &size) : NULL;
  if (!page) return NULL;
  fputs("<!doctype html><meta charset=utf-8><meta http-equiv=Content-Security-Policy content=\"default-src 'none'; "
        "style-src 'unsafe-inline'\"><title>This page does not open here</title><style>body{font:16px sans-serif;"
        "max-width:40em;margin:4em auto;color-scheme:light dark}</style><h1>This page does not open here</h1><p>",
        page);
  put(page, decision->message ? decision->message : "Your organization does not allow it.", 1000);
  fputs("<p><code>", page);
  put(page, url, url ? strcspn(url, "?#") : 0);
  fputs("</code><p><small>", page);
  put(page, decision->rule ? decision->rule : decision->reason, 200);
  fputs("</small>", page);
  if (!fclose(page)) return text;
  free(text);
  return NULL;
}

typedef struct Told {
  struct Told *next;
  int browser;
  char *url;
} Told;

struct wvg_cef_notice_list {
  pthread_mutex_t lock;
  Told *first;
};

wvg_cef_notice_list *wvg_cef_notices_new(void) {
  wvg_cef_notice_list *list = calloc(1, sizeof *list);
  if (list) pthread_mutex_init(&list->lock, NULL);
  return list;
}

/* Takes what a browser was told out of the list; the URL is the caller's. */
static char *take(wvg_cef_notice_list *list, int browser) {
  char *url = NULL;
  pthread_mutex_lock(&list->lock);
  for (Told **place = &list->first; *place; place = &(*place)->next) {
    Told *told = *place;
    if (told->browser != browser) continue;
    *place = told->next;
    url = told->url;
    free(told);
    break;
  }
  pthread_mutex_unlock(&list->lock);
  return url;
}

void wvg_cef_notices_free(wvg_cef_notice_list *list) {
  if (!list) return;
  while (list->first) free(take(list, list->first->browser));
  pthread_mutex_destroy(&list->lock);
  free(list);
}

/* Remembers exactly what the browser is told to show: nothing else passes unasked. False without memory. */
static bool tell(wvg_cef_notice_list *list, int browser, const char *url) {
  free(take(list, browser));
  Told *told = calloc(1, sizeof *told);
  char *copy = strdup(url);
  if (!told || !copy) {
    free(told);
    free(copy);
    return false;
  }
  pthread_mutex_lock(&list->lock);
  *told = (Told){list->first, browser, copy};
  list->first = told;
  pthread_mutex_unlock(&list->lock);
  return true;
}

bool wvg_cef_is_notice(wvg_cef_scope *scope, int browser, const char *url) {
  /* Every navigation ends the wait for the notice, so that none can be passed off as it later. */
  char *told = take(wvg_cef_notices(scope->cef), browser);
  bool is_it = told && url && !strcmp(told, url);
  free(told);
  return is_it;
}

typedef struct {
  wvg_cef_scope *scope;
  cef_browser_t *browser;
  char *notice;
} Showing;

/* The page as a URL; freed by free. */
static char *url_of(const char *notice) {
  char *coded = wvg_cef_take(cef_base64encode((void *)notice, strlen(notice)));
  char *url = NULL;
  size_t size = 0;
  FILE *made = coded ? open_memstream(&url, &size) : NULL;
  if (made) {
    fprintf(made, "data:text/html;charset=utf-8;base64,%s", coded);
    if (fclose(made)) {
      free(url);
      url = NULL;
    }
  }
  free(coded);
  return url;
}

static void show(void *context) {
  Showing *showing = context;
  cef_browser_t *browser = showing->browser;
  cef_frame_t *frame = browser->is_valid(browser) ? browser->get_main_frame(browser) : NULL;
  char *url = frame ? url_of(showing->notice) : NULL;
  if (url && tell(wvg_cef_notices(showing->scope->cef), wvg_cef_id(browser), url)) {
    cef_string_t text = {0};
    wvg_cef_set(&text, url);
    frame->load_url(frame, &text);
    cef_string_utf16_clear(&text);
  }
  free(url);
  wvg_cef_drop(frame);
  wvg_cef_drop(browser);
  wvg_cef_scope_drop(showing->scope);
  free(showing->notice);
  free(showing);
}

void wvg_cef_show_notice(wvg_cef_scope *scope, cef_browser_t *browser, char *notice) {
  Showing *showing = notice && browser ? malloc(sizeof *showing) : NULL;
  if (!showing) {
    wvg_cef_drop(browser);
    free(notice);
    return;
  }
  *showing = (Showing){wvg_cef_scope_keep(scope), browser, notice};
  if (wvg_cef_post(TID_UI, show, showing)) return;
  wvg_cef_drop(browser);
  wvg_cef_scope_drop(scope);
  free(notice);
  free(showing);
}

/* ---- Other programs -------------------------------------------------------------------------------------------- */

static bool start(const char *const *argv) {
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions)) return false;
  pid_t shell;
  /* A shell that ends at once, so that the program is nobody's child that waits to be buried. */
  const char *words[64] = {"/bin/sh", "-c", "\"$@\" >/dev/null 2>&1 </dev/null &", "sh"};
  size_t count = 4;
  for (; *argv && count < 63; argv++) words[count++] = *argv;
  bool is_started = !*argv && !posix_spawn(&shell, "/bin/sh", &actions, NULL, (char *const *)words, environ);
  posix_spawn_file_actions_destroy(&actions);
  return is_started;
}

bool wvg_cef_open(const wvg_open *open) {
  if (open->argv) return start(open->argv);
  const char *by_name[] = {"gtk-launch", open->desktop_id, open->url, NULL};
  const char *by_scheme[] = {"xdg-open", open->url, NULL};
  return start(open->desktop_id ? by_name : by_scheme);
}
