/* Questions of a thread of CEF that wants its answer at once. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <semaphore.h>

#include "internal.h"

typedef struct {
  sem_t is_there;
  wvg_cef_answer answer;
} Wait;

static void came(void *context, const wvg_cef_answer *answer) {
  Wait *wait = context;
  wait->answer = *answer;
  /* These hold no longer than this. */
  wait->answer.credential = wait->answer.replacement = wait->answer.text = NULL;
  wvg_cef_notice_keep(answer->notice);
  sem_post(&wait->is_there);
}

wvg_cef_answer wvg_cef_ask(wvg_cef_scope *scope, wvg_cef_question question) {
  Wait wait = {0};
  sem_init(&wait.is_there, 0, 0);
  question.answered = came;
  question.context = &wait;
  wvg_cef_ask_later(scope, question);
  while (sem_wait(&wait.is_there) && errno == EINTR) continue;
  sem_destroy(&wait.is_there);
  return wait.answer;
}

bool wvg_cef_may(wvg_cef_scope *scope, wvg_cef_question question) {
  wvg_cef_answer answer = wvg_cef_ask(scope, question);
  wvg_cef_notice_drop(answer.notice);
  return answer.is_allowed;
}

bool wvg_cef_may_or_warns(wvg_cef_scope *scope, wvg_cef_question question) {
  wvg_cef_answer answer = wvg_cef_ask(scope, question);
  wvg_cef_notice_drop(answer.notice);
  return answer.is_allowed || answer.is_warning;
}
