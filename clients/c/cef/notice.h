/* The notices of a program, which notices.c makes and keeps, and notice.c shows. */
#ifndef WVG_CEF_NOTICE_H
#define WVG_CEF_NOTICE_H

#include <pthread.h>

#include "internal.h"

#define WVG_CEF_NOTICE_SCHEME "webviewguard-notice:"

/* The letters of a word that no other page knows, and the end. */
enum { WVG_CEF_TOKEN = 33 };

/* What the user goes on to: first the navigation comes, then what it loads. */
typedef enum { WVG_CEF_NOTHING, WVG_CEF_PAGE, WVG_CEF_LOAD } wvg_cef_pass;

struct wvg_cef_notice {
  atomic_int count;
  wvg_cef_notice *next;
  int browser;
  const wvg_decision *decision;
  char *url, *source; /* Of the page that did not open, and of the one that led there, or NULL. */
  char *shown;       /* The notice, as a URL. */
  char token[WVG_CEF_TOKEN]; /* "" when its buttons were used. */
  bool can_go_on;
  wvg_cef_pass pass;
};

struct wvg_cef_notice_list {
  pthread_mutex_t lock;
  wvg_cef_notice *first; /* The newest first. */
};

/* Keeps it, and of its browser the newest few: those can be gone back to with their buttons alive. */
void wvg_cef_notices_keep(wvg_cef_notice_list *list, wvg_cef_notice *notice);

#endif
