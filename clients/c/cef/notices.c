/* Makes the notice in place of a page, and keeps those of all browsers. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/capi/cef_parser_capi.h"
#include "notice.h"
#include "webviewguard-notice.h"

enum { KEPT_OF_A_BROWSER = 16 };

/* ---- One notice ------------------------------------------------------------------------------------------------ */

wvg_cef_notice *wvg_cef_notice_keep(wvg_cef_notice *notice) {
  if (notice) atomic_fetch_add_explicit(&notice->count, 1, memory_order_relaxed);
  return notice;
}

void wvg_cef_notice_drop(wvg_cef_notice *notice) {
  if (!notice || atomic_fetch_sub_explicit(&notice->count, 1, memory_order_acq_rel) != 1) return;
  wvg_decision_free(notice->decision);
  free(notice->url);
  free(notice->source);
  free(notice->shown);
  free(notice);
}

/* The languages of the environment, the preferred first, in `text`, which this cuts into words. */
static const char *const *languages(char *text, const char *words[], size_t room) {
  size_t count = 0;
  char *rest = NULL;
  for (char *word = strtok_r(text, ":", &rest); word && count + 1 < room; word = strtok_r(NULL, ":", &rest))
    words[count++] = word;
  words[count] = NULL;
  return words;
}

static char *own_languages(void) {
  static const char *const variables[] = {"LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"};
  for (size_t place = 0; place < sizeof variables / sizeof *variables; place++) {
    const char *value = getenv(variables[place]);
    if (value && *value) return strdup(value);
  }
  return strdup("en");
}

/* The page as a URL; freed by free. */
static char *url_of(const char *html) {
  char *coded = html ? wvg_cef_take(cef_base64encode((void *)html, strlen(html))) : NULL;
  static const char start[] = "data:text/html;charset=utf-8;base64,";
  size_t size = coded ? sizeof start + strlen(coded) : 0;
  char *url = size ? malloc(size) : NULL;
  if (url) snprintf(url, size, "%s%s", start, coded);
  free(coded);
  return url;
}

static char *page_of(const wvg_cef_notice *notice, const wvg *guard, bool has_back) {
  char open[80], retry[80], back[80], go_on[80];
  snprintf(open, sizeof open, WVG_CEF_NOTICE_SCHEME "%s/open", notice->token);
  snprintf(retry, sizeof retry, WVG_CEF_NOTICE_SCHEME "%s/retry", notice->token);
  snprintf(back, sizeof back, WVG_CEF_NOTICE_SCHEME "%s/back", notice->token);
  snprintf(go_on, sizeof go_on, WVG_CEF_NOTICE_SCHEME "%s/continue", notice->token);
  const wvg_open *offer = notice->decision->open;
  char *spoken = own_languages();
  const char *words[9];
  wvg_organization organization;
  wvg_notice_options options = {
      .url = notice->url,
      .languages = spoken ? languages(spoken, words, sizeof words / sizeof *words) : NULL,
      .organization = wvg_get_organization(guard, &organization) ? &organization : NULL,
      .open = offer && wvg_cef_can_open(offer) ? open : NULL,
      .retry = retry,
      .back = has_back ? back : NULL,
      .go_on = notice->can_go_on ? go_on : NULL,
  };
  char *html = wvg_notice(notice->decision, &options), *url = url_of(html);
  free(html);
  free(spoken);
  return url;
}

wvg_cef_notice *wvg_cef_notice_new(const wvg *guard, const wvg_decision *decision, const wvg_cef_question *question) {
  wvg_cef_notice *notice = calloc(1, sizeof *notice);
  if (!notice) return NULL;
  atomic_init(&notice->count, 1);
  notice->browser = question->browser;
  notice->decision = wvg_decision_keep(decision);
  notice->url = question->url ? strdup(question->url) : NULL;
  notice->source = question->source ? strdup(question->source) : NULL;
  /* What a form sends is gone when the page is loaded again: such a warning has no way on. */
  bool has_no_body = !question->method || !strcmp(question->method, "GET");
  notice->can_go_on = decision->outcome == WVG_WARN && has_no_body;
  if (notice->url && wvg_cef_make_word(notice->token)) notice->shown = page_of(notice, guard, question->has_back);
  if (notice->shown) return notice;
  wvg_cef_notice_drop(notice);
  return NULL;
}

/* ---- All of them ----------------------------------------------------------------------------------------------- */

wvg_cef_notice_list *wvg_cef_notices_new(void) {
  wvg_cef_notice_list *list = calloc(1, sizeof *list);
  if (list) pthread_mutex_init(&list->lock, NULL);
  return list;
}

/* Takes out those of a browser behind the newest `kept`; of all browsers for 0. */
static void trim(wvg_cef_notice_list *list, int browser, int kept) {
  pthread_mutex_lock(&list->lock);
  for (wvg_cef_notice **place = &list->first; *place;) {
    wvg_cef_notice *notice = *place;
    bool stays = browser && (notice->browser != browser || kept-- > 0);
    if (stays) {
      place = &notice->next;
      continue;
    }
    *place = notice->next;
    wvg_cef_notice_drop(notice);
  }
  pthread_mutex_unlock(&list->lock);
}

void wvg_cef_notices_free(wvg_cef_notice_list *list) {
  if (!list) return;
  trim(list, 0, 0);
  pthread_mutex_destroy(&list->lock);
  free(list);
}

void wvg_cef_notices_forget(wvg_cef_notice_list *list, int browser) { trim(list, browser, 0); }

void wvg_cef_notices_keep(wvg_cef_notice_list *list, wvg_cef_notice *notice) {
  trim(list, notice->browser, KEPT_OF_A_BROWSER - 1);
  pthread_mutex_lock(&list->lock);
  notice->next = list->first;
  list->first = wvg_cef_notice_keep(notice);
  pthread_mutex_unlock(&list->lock);
}
