/* The guard's own thread, which thread.c runs: what it knows, and what asking.c does there. */
#ifndef WVG_CEF_THREAD_H
#define WVG_CEF_THREAD_H

#include <pthread.h>

#include "watch.h"

struct wvg_cef {
  wvg *guard;
  pthread_t thread;
  pthread_mutex_t lock;
  int wake;
  bool is_ending;
  wvg_cef_question *first, *last;
  wvg_cef_notice_list *notices;
  wvg_cef_judged_list *judged;
  char word[33];
  /* Of the thread alone, like all that follows. */
  wvg *news;
  wvg_cef_visit *visits;
  wvg_cef_watch *watch;
  wvg_cef_question *pastes; /* Until it is known what lies there. */
  /* The names of viewers that are registered. */
  char (*viewers)[32];
  size_t count, room;
};

/* Asks the daemon. The answer comes to the question, once. */
void wvg_cef_put(wvg_cef_question *question);
/* Takes a paste of a selection that somebody has only just filled: whose clip it is comes soon. */
bool wvg_cef_waits(wvg_cef *cef, wvg_cef_question *question);
/* Answers no: without a daemon, thread or memory that could say yes. */
void wvg_cef_refuse(wvg_cef_question *question);
/* Frees a question that was answered. */
void wvg_cef_done(wvg_cef_question *question);
/* Answers the questions whose credential has come, or will not come. */
void wvg_cef_end_visits(wvg_cef *cef);

#endif
