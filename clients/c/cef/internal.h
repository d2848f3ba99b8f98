/* What the files of the pack share. Nobody else includes it. */
#ifndef WVG_CEF_INTERNAL_H
#define WVG_CEF_INTERNAL_H

#if !defined(__STDC_VERSION__) || __STDC_VERSION__ < 201112L
#error "webviewguard for CEF needs C11 or later: -std=c11"
#endif

#include <poll.h>
#include <stdatomic.h>

#include "webviewguard-cef.h"

/* ---- Options, shared by all objects made with them ------------------------------------------------------------- */

enum { WVG_CEF_REFUSED = 64 };

typedef struct wvg_cef_scope {
  atomic_int count;
  int number;
  wvg_cef *cef;
  wvg_cef_options options;
  uint32_t refused[WVG_CEF_REFUSED]; /* Of the UI thread: downloads that may not be kept, the latest. */
} wvg_cef_scope;

wvg_cef_scope *wvg_cef_scope_new(wvg_cef *cef, const wvg_cef_options *options);
wvg_cef_scope *wvg_cef_scope_keep(wvg_cef_scope *scope);
void wvg_cef_scope_drop(wvg_cef_scope *scope);

/* ---- Objects that CEF counts ----------------------------------------------------------------------------------- */

/* Behind each structure that the pack gives to CEF. */
typedef struct wvg_cef_tail {
  atomic_int count;
  wvg_cef_scope *scope;
  cef_base_ref_counted_t *inner; /* The app's own handler of the same type; NULL where it has none. */
  cef_base_ref_counted_t *other; /* Something else that it holds; NULL for nothing. */
  char *text;
} wvg_cef_tail;

/* A structure of CEF of this size with its tail, counted once. Takes the reference to `inner`. Never NULL. */
void *wvg_cef_make(size_t size, wvg_cef_scope *scope, void *inner);
wvg_cef_tail *wvg_cef_tail_of(void *object);

void wvg_cef_keep(void *object); /* One reference more; NULL is none. */
void wvg_cef_drop(void *object); /* One less. */
void wvg_cef_drop_all(void *const *objects, size_t count);
/* One reference less of each. */
#define WVG_DROP(...) \
  wvg_cef_drop_all((void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))

#define WVG_INNER(type, self) ((type *)wvg_cef_tail_of(self)->inner)
#define WVG_SCOPE(self) (wvg_cef_tail_of(self)->scope)
/* Whether the app has this function. */
#define WVG_HAS(type, self, member) (WVG_INNER(type, self) && WVG_INNER(type, self)->member)

/* Text. What these return is freed by free. */
char *wvg_cef_text(const cef_string_t *text);
char *wvg_cef_take(cef_string_userfree_t text);
void wvg_cef_set(cef_string_t *text, const char *utf8);

/* Its length in Unicode scalars. */
long long wvg_cef_scalars(const char *text);

/* Milliseconds of the clock that nobody sets. */
int64_t wvg_cef_now_ms(void);

/* Does something on a thread of CEF, soon. `context` is freed by the function itself. False when CEF is ending: then it
   was not called. */
bool wvg_cef_post(cef_thread_id_t thread, void (*act)(void *context), void *context);

/* ---- Questions ------------------------------------------------------------------------------------------------- */

/* A page that says why another one did not open, and what the user can do: notice.c. */
typedef struct wvg_cef_notice wvg_cef_notice;

typedef struct wvg_cef_answer {
  bool is_allowed;
  bool is_warning; /* The user may go on, but nobody has asked the user yet. */
  bool was_opened; /* Another program opens it: the user needs no page that explains. */
  bool signs_in;   /* A sign-in page: its load is asked about again, for the credential. */
  bool fills;      /* It is not allowed to the engine: the pack fills the selection with the text that it is given. */
  const char *replacement; /* What they read in its place, or NULL. It holds until `answered` returns. */
  const char *text; /* Of a paste that the engine may not do by itself, what to insert; else NULL. Holds as long. */
  wvg_cef_notice *notice; /* Of a page, the one that says why; else NULL. Whoever keeps the answer keeps this. */
  const char *credential; /* Of a sign-in page, the header's value; else NULL. It holds until `answered` returns. */
} wvg_cef_answer;

/* A question under way; its text is its own. */
typedef struct wvg_cef_question {
  wvg_kind kind;
  wvg_event event; /* Members that are no text. Words that live for ever may stand here, too. */
  int browser;     /* 0 for a request of a context. */
  int opener;
  unsigned long window; /* Of a new browser, on an X server; else 0. */
  bool wants_notice, has_back; /* A page is shown in place of it; there is one to go back to. */
  bool signs_in;               /* A page's request, which can take a credential. */
  bool gives_text;             /* A paste: whoever asks can insert text. */
  char *url, *source, *method;
  char *text, *html;      /* Of a copy, what the pack fills the selection with; NULL where the engine does it. */
  wvg_cef_notice *notice; /* Of a button that was pressed. */
  /* Called in the guard's own thread, once. */
  void (*answered)(void *context, const wvg_cef_answer *answer);
  void *context;
  /* The thread's own. */
  bool is_tried; /* A copy, asked about without effect: it may be none of the engine's. */
  unsigned change, askings; /* Of a paste, what lay there, and how often it was asked about. */
  wvg_cef_scope *scope;
  struct wvg_cef_question *next;
  char viewer[32], parent[32];
} wvg_cef_question;

/* Asks and waits, within the contract's answerMs. Frees the question's text. The caller drops the notice. */
wvg_cef_answer wvg_cef_ask(wvg_cef_scope *scope, wvg_cef_question question);

/* Asks without waiting: `answered` is called in any case. Takes the question's text. */
void wvg_cef_ask_later(wvg_cef_scope *scope, wvg_cef_question question);

/* The same as wvg_cef_ask, for one that needs no more than yes or no. */
bool wvg_cef_may(wvg_cef_scope *scope, wvg_cef_question question);

/* The same for a new window. A warning opens it: what loads in it is asked about as its page, which shows the
   warning. */
bool wvg_cef_may_or_warns(wvg_cef_scope *scope, wvg_cef_question question);

/* A viewer is there, by whom it was opened, or is gone. */
void wvg_cef_created(wvg_cef_scope *scope, int browser, int opener, unsigned long window);
/* It has the focus. */
void wvg_cef_focused(wvg_cef_scope *scope, int browser);
void wvg_cef_closed(wvg_cef_scope *scope, int browser);

/* ---- What is shown --------------------------------------------------------------------------------------------- */

/* What stands in place of a refused page; NULL without memory. In the guard's own thread. */
wvg_cef_notice *wvg_cef_notice_new(const wvg *guard, const wvg_decision *decision, const wvg_cef_question *question);
wvg_cef_notice *wvg_cef_notice_keep(wvg_cef_notice *notice);
void wvg_cef_notice_drop(wvg_cef_notice *notice);

/* Shows it, soon. Takes it; NULL is none. On the UI thread, as the next three. */
void wvg_cef_show_notice(wvg_cef_scope *scope, cef_browser_t *browser, wvg_cef_notice *notice);
/* Whether a navigation of the page is a notice of this browser, or what its user goes on to. */
bool wvg_cef_passes(wvg_cef_scope *scope, cef_browser_t *browser, const char *url, const char *method, bool is_hop);
/* Whether the URL is a button's: nothing is loaded then. What it does happens if the notice is shown that has it. */
bool wvg_cef_is_button(const char *url);
void wvg_cef_press(wvg_cef_scope *scope, cef_browser_t *browser, cef_frame_t *frame, const char *url, bool by_user);

/* Whether this is what a navigation loads that has just passed, since its user goes on. On any thread. */
bool wvg_cef_loads(wvg_cef_scope *scope, int browser, const char *url, const char *method);

/* What a press does in the guard's own thread, and how it gets there; both take the notice, the first takes the
   reason. */
void wvg_cef_acknowledge(wvg_cef_scope *scope, wvg_cef_notice *notice, char *reason);
void wvg_cef_open_offer(wvg_cef_scope *scope, wvg_cef_notice *notice);
void wvg_cef_notice_acknowledge(wvg *guard, const wvg_cef_notice *notice, const char *reason);
void wvg_cef_notice_open(const wvg_cef_options *options, const wvg_cef_notice *notice);

/* The notices of all browsers. */
typedef struct wvg_cef_notice_list wvg_cef_notice_list;
wvg_cef_notice_list *wvg_cef_notices(wvg_cef *cef);
wvg_cef_notice_list *wvg_cef_notices_new(void);
void wvg_cef_notices_free(wvg_cef_notice_list *list);
void wvg_cef_notices_forget(wvg_cef_notice_list *list, int browser);

/* ---- One answer for one page: judged.c. On any thread ----------------------------------------------------------- */

typedef struct wvg_cef_judged_list wvg_cef_judged_list;
wvg_cef_judged_list *wvg_cef_judged(wvg_cef *cef);
wvg_cef_judged_list *wvg_cef_judged_new(void);
void wvg_cef_judged_free(wvg_cef_judged_list *list);
/* A frame navigates; `may_load` when the daemon allowed exactly this. Ends what the frame had. */
void wvg_cef_judged_navigation(
    wvg_cef_judged_list *list, cef_browser_t *browser, cef_frame_t *frame, cef_request_t *request, bool may_load);
/* Whether a navigation of the frame loads what has just been allowed to it. It has been used then. */
bool wvg_cef_judged_load(
    wvg_cef_judged_list *list, cef_browser_t *browser, cef_frame_t *frame, const char *url, const char *method);
void wvg_cef_judged_end(wvg_cef_judged_list *list);

bool wvg_cef_open(const wvg_open *open);
/* Whether the program is there. */
bool wvg_cef_can_open(const wvg_open *open);

/* 32 letters that nobody can guess; false when the system gives none. */
bool wvg_cef_make_word(char word[33]);

/* ---- Sign-in pages --------------------------------------------------------------------------------------------- */

/* Credentials that are waited for; more pages at one time load as they are. */
enum { WVG_CEF_VISITS = 16 };

/* A question that was answered, and waits for its credential. In the guard's own thread, as the next four. */
typedef struct wvg_cef_visit wvg_cef_visit;

/* False where there is none to wait for; else it takes the question. */
bool wvg_cef_visit_begin(wvg_cef_visit **list, wvg_cef_question *question, const wvg_decision *decision);
/* What to wait for, at most WVG_CEF_VISITS, and how long. */
size_t wvg_cef_visits_watch(const wvg_cef_visit *list, struct pollfd *watched, int *timeout_ms);
/* The next that is over, with its credential, which the caller frees; NULL for none. */
wvg_cef_question *wvg_cef_visit_end(wvg_cef_visit **list, wvg_credential **credential);
/* From here on all of them are over. */
void wvg_cef_visits_give_up(wvg_cef_visit *list);

/* A callback that adds the credential to the request when it goes on. Takes `callback`. */
cef_callback_t *wvg_cef_signing(cef_callback_t *callback, cef_request_t *request, const char *credential);
/* Takes a credential off that a redirect took along. */
void wvg_cef_take_off(cef_request_t *request);

/* ---- The handlers ---------------------------------------------------------------------------------------------- */

/* Each wraps the app's own, which may be NULL, and takes its reference. */
cef_life_span_handler_t *wvg_cef_life_span(wvg_cef_scope *scope, cef_life_span_handler_t *inner);
cef_request_handler_t *wvg_cef_requests(wvg_cef_scope *scope, cef_request_handler_t *inner);
cef_resource_request_handler_t *wvg_cef_resources(wvg_cef_scope *scope, cef_resource_request_handler_t *inner);
cef_download_handler_t *wvg_cef_downloads(wvg_cef_scope *scope, cef_download_handler_t *inner);
cef_dialog_handler_t *wvg_cef_dialogs(wvg_cef_scope *scope, cef_dialog_handler_t *inner);
cef_permission_handler_t *wvg_cef_permissions(wvg_cef_scope *scope, cef_permission_handler_t *inner);
cef_print_handler_t *wvg_cef_prints(wvg_cef_scope *scope, cef_print_handler_t *inner);
cef_command_handler_t *wvg_cef_commands(wvg_cef_scope *scope, cef_command_handler_t *inner);
cef_context_menu_handler_t *wvg_cef_menus(wvg_cef_scope *scope, cef_context_menu_handler_t *inner);
cef_keyboard_handler_t *wvg_cef_keys(wvg_cef_scope *scope, cef_keyboard_handler_t *inner);
cef_drag_handler_t *wvg_cef_drags(wvg_cef_scope *scope, cef_drag_handler_t *inner);
cef_focus_handler_t *wvg_cef_focus(wvg_cef_scope *scope, cef_focus_handler_t *inner);
cef_request_context_handler_t *wvg_cef_contexts(wvg_cef_scope *scope, cef_request_context_handler_t *inner);
cef_client_t *wvg_cef_client(wvg_cef_scope *scope, cef_client_t *inner);
bool wvg_cef_is_ours(const cef_client_t *client);

cef_jsdialog_handler_t *wvg_cef_js_dialogs(wvg_cef_scope *scope, cef_jsdialog_handler_t *inner);
cef_render_process_handler_t *wvg_cef_renders(wvg_cef_scope *scope, cef_render_process_handler_t *inner);

/* The word with which the script in pages asks, and the switch by which their processes get it. */
#define WVG_CEF_SWITCH "webviewguard-word"
const char *wvg_cef_word(wvg_cef *cef);

bool wvg_cef_may_print(wvg_cef_scope *scope, cef_browser_t *browser);

/* What the user does with the clipboard, by key, menu or command. */
typedef enum { WVG_CEF_NO_EDIT, WVG_CEF_COPY, WVG_CEF_CUT, WVG_CEF_PASTE } wvg_cef_edit;
bool wvg_cef_may_edit(wvg_cef_scope *scope, cef_browser_t *browser, wvg_cef_edit edit);

/* ---- collecting.c: the text of copies that the pack does in the engine's place ----------------------------------- */

/* The script, in a page, that says what is marked there, or what the page copies in its place. A function of the word
   for what happens ("copy", "cut" or "mark") that returns [text, HTML, whether the page did it itself]. */
extern const char wvg_cef_collect_script[];

/* Asks the page that has the focus for what is marked there; then it is asked about and put on the selection. `what` is
   "copy", "cut" or "mark", which is for PRIMARY. On the UI thread. */
void wvg_cef_collect(cef_browser_t *browser, const char *what);
/* The same for the browser of this number, soon; on any thread. */
void wvg_cef_collect_later(int browser, const char *what);
/* Takes a message of the page's process, if it is one of these. */
bool wvg_cef_collected(
    wvg_cef_scope *scope, cef_browser_t *browser, cef_frame_t *frame, cef_process_message_t *message);
/* In the page's process: gives the browser process what is to be copied. */
void wvg_cef_give(
    cef_frame_t *frame, const char *word, const char *what, const char *text, const char *html, bool is_own);
/* In the page's process: does what a message of the pack wants; false when it is none. */
bool wvg_cef_collects(cef_frame_t *frame, cef_process_message_t *message, const char *word);

/* Whether a menu of a page may have this command, and whether it may run. */
bool wvg_cef_is_offered(int command);
bool wvg_cef_may_run(wvg_cef_scope *scope, cef_browser_t *browser, int command);

/* The URL of the browser's page, or NULL. */
char *wvg_cef_page(cef_browser_t *browser);
int wvg_cef_id(cef_browser_t *browser);

#endif
