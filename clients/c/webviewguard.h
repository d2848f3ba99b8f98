/*
 * webviewguard: asks the daemon whether a web view may do what it is about to do.
 *
 *     wvg *guard = wvg_new(&(wvg_options){.app = "com.contoso.portal"});
 *     wvg_start(guard);
 *     wvg_set_identity(guard, &(wvg_identity){.account = "work@contoso.com"}, NULL);
 *     wvg_register_viewer(guard, &(wvg_viewer){.viewer = "v1", .viewer_class = "documents"}, NULL);
 *     const wvg_decision *d = wvg_ask(guard, WVG_NAVIGATE, &(wvg_event){.viewer = "v1", .url = url, .frame = "main"});
 *     if (d->outcome == WVG_ALLOW) load(url);
 *     wvg_decision_free(d);
 *
 * There is always an answer, and in time: when the daemon is not there, the failure contract answers, which is `block`
 * unless the administrator says otherwise. A decision is never NULL.
 *
 * Threads: one thread at a time for each handle; several handles are fine, and wvg_join makes one for another thread of
 * the same program. There is no global state. A child of fork may go on with its parent's handle: it is a program of its own
 * then, with a connection and an instance of its own. After fork in a program of several threads POSIX lets a child do nothing
 * of the kind before exec.
 *
 * Text is UTF-8 that ends with NUL. What the caller gives is copied before the call returns; bytes that are not UTF-8
 * are sent as U+FFFD. NULL means left out, which is not the same as "". What is left out is unknown, and what is
 * unknown never makes an answer weaker; so a struct of zeros is the safe one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WEBVIEWGUARD_H
#define WEBVIEWGUARD_H

#if !defined(__cplusplus) && (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "webviewguard needs C99 or later: -std=c99"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this library, which it tells the daemon; the only place that states it. */
#define WVG_VERSION "0.1.0"

/* ---- The handle ------------------------------------------------------------------------------------------------ */

/* A program's connection to the daemon, and what the program said to it. */
typedef struct wvg wvg;

/* Hears in plain words what went wrong beside the answers: the daemon is not there, a viewer could not be registered
   again. It must not use the handle. */
typedef void wvg_problem_callback(void *context, const char *problem);

typedef struct wvg_options {
  /* The app's name in the policy; NULL where the daemon knows it by the user or unit that runs it. */
  const char *app;
  /* The daemon's socket; NULL for /run/webviewguard/guard.sock if that directory exists or a unit of the daemon is
     installed, else the user service's. */
  const char *path;
  /* What the app can do beyond asking: `redact`, `warn`, `switchIdentity`, and of clips `clipEcho` (it reports each change
     of the selections that it makes), `wrap`, `plainText`. What needs one that is missing is blocked. Ends with NULL. */
  const char *const *features;
  /* What the user reads, as BCP 47 tags, the preferred first. Ends with NULL. */
  const char *const *languages;
  /* Whose daemon is believed; NULL for root, the user `webviewguard` and, where the machine has no daemon of its own, the
     caller's own user. */
  const uid_t *trusted_uids;
  size_t trusted_uid_count;
  wvg_problem_callback *on_problem;
  void *context;
  /* The app's own, such as "2.1.0": conditions about `appVersion` judge it. */
  const char *version;
  /* The digest of the configuration that the app's static rules were exported from, for an app that loads them at its
     start only: while another one is in force, the topic "restart" asks it to start anew. */
  const char *rules;
} wvg_options;

/* A new handle; nothing is opened yet but two descriptors of its own. NULL when there is no memory or descriptor. */
wvg *wvg_new(const wvg_options *options);

/* Ends a handle; NULL is none. Questions that are open are answered by the failure contract first: their callbacks are
   called from here. Must not be called from a callback. */
void wvg_free(wvg *guard);

/* Another handle of the same program, for another thread: it knows the viewers and the identities of the first, and has a
   connection, a scope and callbacks of its own. So threads show different accounts at a time, each with wvg_scope_begin on a
   handle of its own, and are judged apart. Any thread may make it; each handle is freed by wvg_free, in any order. It answers
   by the failure contract until the first has connected, and blocks with `UnknownInstance` until the first has come back to a
   daemon that knows it no more. NULL when there is no memory or descriptor. */
wvg *wvg_join(const wvg *guard);

/* Connects and says all that is known; waits at most the contract's startMs. False when the daemon is not there: the
   contract answers until it comes, and nothing need be called again. An app that must not wait calls wvg_process
   instead. */
bool wvg_start(wvg *guard);

/* Whether the daemon answers at the moment. */
bool wvg_is_connected(const wvg *guard);

/* A feature that the app did not claim, and in one sentence what it loses by that. */
typedef struct wvg_missing_feature {
  const char *feature;
  const char *cost;
} wvg_missing_feature;

/* The features that the daemon knows and `options.features` lacks: for the app's log while it is written. They hold until the
   next call with this handle; NULL and a count of 0 when nothing is missing, and before the handle has attached. */
const wvg_missing_feature *wvg_get_missing_features(const wvg *guard, size_t *count);

/* The token of the program's instance, with which a client of another language joins it and shares viewers, identities and
   the clipboard: `Guard(instance=TOKEN)` in Python. NULL before the daemon answered. A secret of the user. It holds until the
   next call with this handle, and changes when the daemon has lost its state. */
const char *wvg_get_instance(const wvg *guard);

/* The organisation, for notices; NULL where the policy states nothing of it. */
typedef struct wvg_organization {
  const char *name;
  const char *contact;      /* The person to ask, in a sentence. */
  const char *contact_link; /* An https:, mailto: or tel: URL. */
  const char *color;        /* The main button's on a light page, "#rrggbb", and on a dark one. */
  const char *dark_color;
} wvg_organization;

/* As the daemon told it when the handle attached. It holds until the next call with this handle; false, and all NULL, before
   that. */
bool wvg_get_organization(const wvg *guard, wvg_organization *organization);

/* ---- Questions ------------------------------------------------------------------------------------------------- */

/* What is about to happen; the comments in org.webviewguard.Guard.varlink say when to ask which. */
typedef enum wvg_kind {
  WVG_NAVIGATE,
  WVG_COPY,
  WVG_PASTE,
  WVG_CLIPBOARD_CHANGED,
  WVG_DRAG_END,
  WVG_DOWNLOAD,
  WVG_UPLOAD,
  WVG_SAVE,
  WVG_OPEN,
  WVG_RECEIVE,
  WVG_SHARE,
  WVG_PRINT,
  WVG_CAPTURE,
  WVG_NOTIFY,
  WVG_OPEN_URL,
  WVG_EXCHANGE,
  WVG_INDEX
} wvg_kind;

/* Yes, no, or not said. `true` is WVG_YES; `false` leaves it unsaid, which is never weaker. */
typedef enum wvg_flag { WVG_UNSAID, WVG_YES, WVG_NO } wvg_flag;

/* What an app says about it. Each member is the wire's of the same name, and its words are the wire's: `frame` is
   "main", "sub", "resource". Never the content of a clip. */
typedef struct wvg_event {
  const char *viewer;
  const char *url;    /* Exactly as the engine has it. */
  const char *source; /* `from` on the wire: the page or hop that led here. */
  const char *frame;
  const char *method;
  const char *gesture; /* "yes", "no". */
  wvg_flag hop;
  wvg_flag same_document;
  wvg_flag new_window;
  const char *selection;
  wvg_flag cut;
  wvg_flag self_owned;
  bool has_length;  /* Whether a `length` of 0 is known to be 0. */
  long long length; /* In Unicode scalars. Any other than 0 is known. */
  const char *const *formats; /* MIME types; ends with NULL. */
  const char *clip;
  const char *proposal; /* WVG_CLIPBOARD_CHANGED: of the copy that the app saw happen. */
  const char *display;
  const char *owner; /* "" for nobody's. */
  const char *location;
  const char *location_account;
  const char *path;
  wvg_flag in_place;
  const char *peer;
  const char *peer_account;
  const char *channel;
  const char *capture;
  const char *inspection;
  const char *surface; /* "chrome" for the program's own fields around the page. */
  wvg_flag chooser;    /* The dialogue in which one is chosen is about to be shown. */
  wvg_flag probe;      /* So that a menu can be drawn: nothing comes of it. */
  const char *action; /* One id for one thing the user did; navigations get one by themselves. */
  const char *label;  /* The label of the file, in hexadecimal digits: docs/labels.md. */
  const char *file;   /* The facts of a file whose file system keeps no label. */
  const char *origin; /* The URL that the file was downloaded from. */
} wvg_event;

/* What the app must do. */
typedef enum wvg_outcome {
  WVG_BLOCK, /* Also every word of the wire that is not known here. */
  WVG_ALLOW,
  WVG_WARN,
  WVG_REDIRECT,
  WVG_HAND_OFF,
  WVG_REDACT,
  WVG_SWITCH_IDENTITY
} wvg_outcome;

/* Another program that may open the URL. The app starts it. */
typedef struct wvg_open {
  const char *target;
  const char *url;
  const char *desktop_id;        /* NULL: the desktop's own handler of the scheme. */
  const char *const *argv;       /* To be run instead, without a shell; ends with NULL. NULL when there is none. */
  const struct wvg_open *fallbacks; /* Where to go when that fails, best first. */
  size_t fallback_count;
} wvg_open;

/* What the policy would have answered if it did not only monitor. */
typedef struct wvg_advice {
  wvg_outcome outcome;
  const char *reason;
  const char *cause;
  const char *rule_set;
  const char *rule;
  const char *rule_location;
} wvg_advice;

/* The answer. `id`, `reason`, `digest` and `json` are never NULL; other text is NULL when the daemon left it out. */
typedef struct wvg_decision {
  wvg_outcome outcome;
  const char *id; /* "" when `is_local`. */
  const char *reason;
  bool is_local; /* Decided here: by the contract (`noAnswer`), or since the daemon answered with the error `reason`, such
                    as `AppMismatch`. A `block` has a `message` here, too. */
  bool viewer_is_unknown;
  bool body_dropped;
  bool sign_in; /* A sign-in page, which may get the credential of the account in `identity`. */
  bool only_plain_text;
  bool must_encrypt;
  bool mime_wrap; /* Programs that do not ask may not read this clip. */
  bool blur_preview; /* Previews of the window show nothing that can be read. */
  bool repeat;    /* Answered before, for the same action. */
  bool has_limit;
  long long limit;
  long long generation;
  const char *digest;
  const char *mode;
  const char *policy;
  const char *policy_source;
  const char *identity; /* "" for nobody. */
  const char *identity_level;
  const char *protection;
  const char *verdict;
  const char *rule_set;
  const char *rule;
  const char *rule_location;
  const char *exception; /* Takes the URL as internal although the rules say external. */
  const char *message;
  const wvg_open *open; /* What may be offered; see wvg_opens_now. */
  const char *offered;
  const char *clip;
  const char *proposal; /* WVG_COPY: what WVG_CLIPBOARD_CHANGED names when that copy has happened. */
  const char *replacement;
  const char *set_owner; /* "" for nobody's. */
  const char *tag_as;
  const char *switch_to; /* "" for nobody's. */
  const char *request;
  const char *location;
  const char *const *programs; /* WVG_SHARE with `chooser`: from these; NULL where it may be any. Ends with NULL. */
  const char *const *notes; /* Ends with NULL; NULL when there are none. */
  const wvg_advice *advice;
  const char *json; /* The decision as it came; "" when it is local. */
} wvg_decision;

/* Asks and waits: at most the contract's answerMs, reconnecting included. Free the answer. */
const wvg_decision *wvg_ask(wvg *guard, wvg_kind kind, const wvg_event *event);

void wvg_decision_free(const wvg_decision *decision);

/* Keeps a decision for longer, such as that of a callback while a person is asked: it lives until it has been freed once
   more for each time that it was kept. Returns it. */
const wvg_decision *wvg_decision_keep(const wvg_decision *decision);

/* Takes an answer. The decision lives until the callback returns. It may ask further questions. */
typedef void wvg_answer_callback(void *context, const wvg_decision *decision);

/* Asks without waiting: the callback is called once, from wvg_process (or wvg_free), never from here. Returns a ticket
   for wvg_cancel, or 0 when there is no memory even for that: then nothing is called, and the answer is `block`. */
unsigned long wvg_ask_later(
    wvg *guard, wvg_kind kind, const wvg_event *event, wvg_answer_callback *callback, void *context);

/* The callback of that question is not called any more, for one whose view is gone. */
void wvg_cancel(wvg *guard, unsigned long ticket);

/* The offer if the app must open it now: the outcome is `redirect` or `handOff`, and not a repetition. Else NULL. So
   one click opens one browser, however often its engine asks. */
const wvg_open *wvg_opens_now(const wvg_decision *decision);

/* What came of a decision, such as WVG_ALLOW with the user's justification after WVG_WARN. Waits for nothing. False
   when the daemon is not there to hear it, or the decision is local. A warning may be old: before you go on, call
   wvg_go_on, or ask again with `probe`. */
bool wvg_acknowledge(wvg *guard, const wvg_decision *decision, wvg_outcome outcome, const char *justification);

/* ---- What the daemon must know first --------------------------------------------------------------------------- */

/* These wait as wvg_ask does; before wvg_start they only take note. What is said here is kept, and said again whenever
   the daemon is there anew. */
typedef enum wvg_result {
  WVG_REFUSED = -1, /* wvg_error says why. Nothing was changed. */
  WVG_DONE = 0,
  WVG_LATER = 1 /* The daemon is not there; it will be told when it is. */
} wvg_result;

/* Why the last of these calls was refused: the error's last word, such as `UnknownClass`. NULL when it was not. */
const char *wvg_error(const wvg *guard);

/* The error's parameters as a JSON object, such as {"class":"documents"}. NULL when there was no error. */
const char *wvg_error_parameters(const wvg *guard);

/* The user goes on after WVG_WARN, and says why. Go on with WVG_DONE alone: the daemon heard it, and the question would not be
   refused by now. Else ask anew. Never WVG_LATER. */
wvg_result wvg_go_on(wvg *guard, const wvg_decision *decision, const char *justification);

typedef struct wvg_viewer {
  const char *viewer; /* The app's name for it. */
  const char *viewer_class;
  const char *parent;
  const char *window;
  const char *opener;
  const char *kind; /* "embedded", "container", "window", "popup", "auth", "ephemeral". */
  const char *document;
  const char *policy;   /* As of wvg_set_web_view_policy, in the same call: all of it holds or, refused, nothing. */
  const char *rule_set; /* As of wvg_set_external_url_rules. */
} wvg_viewer;

/* What a viewer resolves to. Its text lives until the next of these calls. */
typedef struct wvg_viewer_state {
  const char *policy;
  const char *policy_source;
  const char *rule_set;
} wvg_viewer_state;

/* Makes a viewer known, before it loads anything, or changes one: what is left out stays as it was. `state` may be NULL
   here and below; without a reply all of it is NULL. */
wvg_result wvg_register_viewer(wvg *guard, const wvg_viewer *viewer, wvg_viewer_state *state);

/* The document that a viewer shows now; NULL for none that is known. */
wvg_result wvg_set_document(wvg *guard, const char *viewer, const char *document);

wvg_result wvg_forget_viewer(wvg *guard, const char *viewer);

/* Tags a viewer: "unset", "unmanaged", "currentIdentity", "currentIdentityBlockUpload". */
wvg_result wvg_set_web_view_policy(wvg *guard, const char *viewer, const char *policy, wvg_viewer_state *state);

/* The rule set that says what is external for a viewer; NULL for none. */
wvg_result wvg_set_external_url_rules(wvg *guard, const char *viewer, const char *rule_set);

typedef struct wvg_identity {
  const char *level;           /* "process" (also when NULL), "window", "scope". */
  const char *window;          /* For the level "window". */
  const char *account;         /* "" for nobody; NULL sets nothing at this level. */
  const char *const *accounts; /* Instead, all accounts that a window shows together. Ends with NULL. */
  const char *gates;           /* Asks for a switch now, and says what the app's own gates said, such as "success". */
} wvg_identity;

/* What came of it. Its text lives until the next of these calls. */
typedef struct wvg_identity_state {
  const char *previous;
  const char *effective_ui;
  const char *effective_file;
  const char *level;
  const char *result;
  const char *reason; /* Why the account may not be shown now. With "locked" the daemon asks the person to unlock it: news of
                         "account" tell the end, and the app shows the account again. */
} wvg_identity_state;

wvg_result wvg_set_identity(wvg *guard, const wvg_identity *identity, wvg_identity_state *state);

/* An account for a while, such as the work of one thread on a handle of its own (wvg_join): sets it, and the end sets what was shown before, also when the daemon is not there. A NULL level
   is "scope" here: this handle alone, in front of window and process. Scopes nest; end them from the inside out. NULL when
   it is refused, as wvg_error says, or a switch with `gates` did not come about: then nothing was changed. With gcc and
   clang: `__attribute__((cleanup(...)))`; in C++ an owner whose destructor ends it, so that an exception does, too. */
typedef struct wvg_scope wvg_scope;
wvg_scope *wvg_scope_begin(wvg *guard, const wvg_identity *identity);

/* Shows again what was shown before, and frees the scope; NULL is none. The handle must still be there. */
wvg_result wvg_scope_end(wvg_scope *scope);

/* Does some work under an account: begin, work, end. WVG_REFUSED, and nothing is done, when the account is refused. */
typedef void wvg_work(void *context);
wvg_result wvg_with_identity(wvg *guard, const wvg_identity *identity, wvg_work *work, void *context);

/* What came of a switch that the daemon asked for, in a decision or in news: "success", "canceled", "notAllowed",
   "failed". With "success" the identity is in force, and kept. Never WVG_LATER: an answer that nobody heard is refused
   with `noAnswer`, and so is a switch with `gates`. */
wvg_result wvg_answer_switch(wvg *guard, const char *request, const char *result);

/* ---- The life of accounts --------------------------------------------------------------------------------------- */

/* Calls of org.webviewguard.Accounts. They wait as wvg_ask does, and are never WVG_LATER: nothing of this is said later by
   itself, and nobody's answer is refused with `noAnswer`. A reply that is none is refused with `invalidReply`. What they
   give may be NULL; its text lives until the next of these calls, and it is all zero when the call was refused. */

/* An account of this app and person. Register, Deregister and Complete give the first half. */
typedef struct wvg_account {
  const char *account; /* As the policy spells it; "" for none. */
  const char *state;   /* A LifeState; "blocked" for one that is not known here. */
  bool may_work;       /* The app may use it now. */
  const char *result;  /* An EnrollmentResult. One that is not known here is a failure. */
  int number;          /* The SDK's number of the result; -1 for none. */
  bool is_success;     /* The result is no failure. */
  bool must_remove;    /* The app should remove the account: it can never be enrolled here. */
  bool managed;
  const char *protection;
  const char *const *sources; /* Ends with NULL. */
  long long registered, enrolled, checked_in, retry; /* Milliseconds since 1970; 0 for never. */
  const char *remediation; /* The request of the look that is under way. */
  const char *compliance;  /* A ComplianceStatus: what came of the latest look. */
  const char *encryption;  /* A FileEncryption: how the app has to encrypt its files; NULL from a daemon that does not say. */
  bool must_encrypt;       /* The app has to. A word that is not known here says so; without one a managed account has to. */
} wvg_account;

/* Somebody signed in. The account is enrolled at once, or tried again later; the app goes on. */
wvg_result wvg_register_account(wvg *guard, const char *account, wvg_account *status);

/* The app ends its access, before it forgets the account's tokens. `data` is "keep", "remove", or NULL for "keep". Data
   that was managed stays managed. */
wvg_result wvg_deregister_account(wvg *guard, const char *account, const char *data, wvg_account *status);

typedef struct wvg_account_list {
  const wvg_account *accounts;
  size_t count;
  const char *enrolled; /* The one that is enrolled; NULL when none is, or several are. */
} wvg_account_list;

/* All accounts of this app and person. */
wvg_result wvg_list_accounts(wvg *guard, wvg_account_list *list);

/* The account of the person itself; NULL when none is known. */
wvg_result wvg_device_account(wvg *guard, const char **account);

typedef struct wvg_sign_in {
  bool allowed;
  const char *state;
  const char *reason; /* Of a refusal, as decisions have it. */
  const char *text;   /* For the user. */
} wvg_sign_in;

/* May somebody sign in to this app with the account? Ask before the sign-in begins. */
wvg_result wvg_may_sign_in(wvg *guard, const char *account, wvg_sign_in *sign_in);

typedef struct wvg_allowed_accounts {
  const char *const *accounts;      /* Names and patterns such as `*@contoso.com`; ends with NULL. NULL for all. */
  const char *const *must_sign_out; /* Those that the app has and that must go. Ends with NULL. */
} wvg_allowed_accounts;

/* The accounts that this app takes. */
wvg_result wvg_list_allowed_accounts(wvg *guard, wvg_allowed_accounts *allowed);

/* Has the daemon look whether an account meets its conditions; `silent` asks nobody. What comes of it is news of
   "compliance", with the request that this gives; the app waits for them before it asks for a token again. NULL where
   there is nothing to look at: no protection binds the account, and no news come. */
wvg_result wvg_remediate(wvg *guard, const char *account, bool silent, const char **request);

/* Says what came of a request of news, once: "done" (the account and its data are gone from the app), "refused", "failed". */
wvg_result wvg_complete(wvg *guard, const char *request, const char *result, wvg_account *status);

typedef struct wvg_data_key {
  const char *key;        /* 32 bytes in lower-case hexadecimal digits, as all of these. Whoever has it can read the object. */
  const char *key_id;     /* 16 bytes. */
  const char *account_id; /* 16 bytes. */
} wvg_data_key;

/* The key of one object, for webviewguard-sealed.h, which apps use instead. `use` is "write" or "read"; `object` has 32 bytes
   in hexadecimal digits, `key_id` 16 bytes, or is NULL to write. */
wvg_result wvg_get_data_key(wvg *guard, const char *account, const char *use, const char *object, const char *key_id,
                            wvg_data_key *key);

/* What the daemon says of a file's owner. */
typedef struct wvg_file_answer {
  const char *standing; /* A FileStanding; "unknown" for one that is not known here, and when there is no answer. */
  const char *owner;    /* As the policy spells it; NULL unless the standing is "mine" or "managed". */
  bool must_encrypt;    /* The stored data has to be encrypted. */
  bool must_seal;       /* Nothing keeps the owner: the program seals the file, or does not write it. */
  const char *label;    /* To set, in hexadecimal digits; NULL for none. */
} wvg_file_answer;

/* The calls of labels, for webviewguard-files.h, which apps use instead: it finds out what belongs into them. `store` is
   "attribute", "table" or "none"; labels are in hexadecimal digits; what is NULL is left out (docs/labels.md). */
wvg_result wvg_ask_file_created(wvg *guard, const char *directory, const char *store, const char *file,
                                wvg_file_answer *answer);
wvg_result wvg_ask_label(wvg *guard, const char *label, const char *file, const char *origin, wvg_file_answer *answer);
typedef struct wvg_owner_request {
  const char *account; /* "" for nobody. */
  const char *label, *file, *origin, *store;
} wvg_owner_request;
wvg_result wvg_ask_set_owner(wvg *guard, const wvg_owner_request *request, wvg_file_answer *answer);

/* The encrypted directory of an account (docs/directories.md). */
typedef struct wvg_directory {
  const char *state;   /* "none", "opening", "open", "failed"; a word that is not known here is "failed". */
  const char *path;    /* Where it is; NULL while the daemon does not know. */
  const char *problem; /* Why it cannot be opened, for people. */
} wvg_directory;

/* Wants the directory of an account: ask again while it is "opening"; it never waits for that. Files go below `path` while it is
   "open". It closes by itself when the account may work no longer. */
wvg_result wvg_open_directory(wvg *guard, const char *account, wvg_directory *directory);

/* Whether an account may work, by its `state` in news or a LifeState. A word that is not known is as "blocked". */
bool wvg_may_work(const char *state);

/* The SDK's number of an EnrollmentResult such as "newPolicies", or of a ComplianceStatus such as "compliant"; -1 for a
   word that is not known, or NULL. */
int wvg_enrollment_number(const char *result);
int wvg_compliance_number(const char *status);

/* Whether two names, UPNs or object ids, are of one account: without regard to the case of ASCII; of `ObjectId.TenantId`
   the object id counts. NULL names none. Nobody sees from their text whether a UPN and an object id are of one. */
bool wvg_same_account(const char *one, const char *other);

/* What a name is compared by, as snprintf writes it: ends with NUL, cut where the place is too small. Returns its whole
   length. */
size_t wvg_account_key(const char *account, char *place, size_t size);

/* Any other method of org.webviewguard.Guard, such as DecidePeers, or of another interface of the daemon by its full name,
   such as org.webviewguard.Rules.Classify, with its parameters as a JSON object. `reply` may be
   NULL; it becomes the parameters of the reply, as JSON, which live until the next of these calls, or NULL. Nothing is
   kept; never WVG_LATER, as above. */
wvg_result wvg_call(wvg *guard, const char *method, const char *parameters, const char **reply);

/* ---- App configuration ------------------------------------------------------------------------------------------ */

/* Values of the policy that the app reads as its own configuration, account by account. They may be secrets: put none into
   a log. The topic "config" of news says that a reload changed them. */
typedef enum wvg_config_type { WVG_BOOLEAN, WVG_NUMBER, WVG_STRING } wvg_config_type;

/* One value of a key, and the entry of the policy that gives it. */
typedef struct wvg_config_value {
  const char *key;
  const char *entry;
  bool is_default; /* The app's default: it counts only where no other entry has the key. */
  wvg_config_type type;
  bool boolean;
  double number;
  const char *string;
} wvg_config_value;

typedef struct wvg_config {
  const char *account; /* As the policy spells it. */
  const char *state;   /* A LifeState; only "enrolled" has values. "blocked" for one that is not known here. */
  const wvg_config_value *values; /* All, by their keys and then by the names of the entries. */
  size_t count;
} wvg_config;

typedef struct wvg_config_list {
  const wvg_config *configs;
  size_t count;
} wvg_config_list;

/* The configuration of accounts, in their order; `accounts` ends with NULL, and NULL asks for all of this app and person
   that are enrolled. As the calls of accounts above. */
wvg_result wvg_get_config(wvg *guard, const char *const *accounts, wvg_config_list *list);

/* The one of several values that count: the first by the names of the entries; for booleans whether one is true (WVG_OR) or
   all are (WVG_AND); for numbers and strings the smallest or largest, strings in the order of their bytes. */
typedef enum wvg_choice { WVG_ANY, WVG_OR, WVG_AND, WVG_MIN, WVG_MAX } wvg_choice;

/* False, and `value` stays as it is, when the key has no boolean, or the choice is none of booleans. */
bool wvg_config_boolean(const wvg_config *config, const char *key, wvg_choice choice, bool *value);

/* False, and `value` stays as it is, when the key has no number, or the choice is none of numbers. */
bool wvg_config_number(const wvg_config *config, const char *key, wvg_choice choice, double *value);

/* NULL when the key has no string, or the choice is none of strings. */
const char *wvg_config_string(const wvg_config *config, const char *key, wvg_choice choice);

/* Whether more than one targeted value exists, and they are not all identical. */
bool wvg_config_has_conflict(const wvg_config *config, const char *key);

/* The values that count, of every type: puts as many into `values` as there is room for, and says how many there are. */
size_t wvg_config_all(const wvg_config *config, const char *key, const wvg_config_value **values, size_t room);

/* ---- In an event loop ------------------------------------------------------------------------------------------ */

/* One descriptor that stays the same. When it is readable, call wvg_process. That is enough: deadlines and new attempts
   to connect make it readable too. */
int wvg_fd(const wvg *guard);

/* In how many milliseconds wvg_process wants to be called even if the descriptor stays silent; -1 for never. For loops
   that wait by themselves. */
int wvg_timeout_ms(const wvg *guard);

/* Does what is to be done, without waiting, and calls callbacks. Connects by itself, also after a failure. */
void wvg_process(wvg *guard);

/* ---- Clips ----------------------------------------------------------------------------------------------------- */

/* What lies on a selection beside the notice, where `mime_wrap` says so: the text, its markup where it has one, and the id
   of the clip, each as UTF-8. Guarded programs read them, and ask before they paste. */
#define WVG_CLIP_TYPE "application/x-webviewguard-clip"
#define WVG_CLIP_HTML_TYPE WVG_CLIP_TYPE "-html"
#define WVG_CLIP_ID_TYPE WVG_CLIP_TYPE "-id"

/* ---- Sign-in pages --------------------------------------------------------------------------------------------- */

/* The one header in which a credential is sent. */
#define WVG_CREDENTIAL_HEADER "x-ms-RefreshTokenCredential"

/* A question to the agent of the person's session (webviewguard-session.service): the credential for one visit of a sign-in
   page. Never keep the value, never log it, send it in that one request, and take it off when that is redirected. */
typedef struct wvg_credential wvg_credential;

/* Asks for the credential of the navigation to `url` that the decision is about, and does not wait. Without a handle: any
   thread may ask. NULL when the decision has no `sign_in`, or nobody makes credentials here: the page then loads as it is, and
   the person signs in by hand. */
wvg_credential *wvg_credential_ask(const wvg_decision *decision, const char *url);

/* Readable when wvg_credential_process has something to do. -1 when it is over. */
int wvg_credential_fd(const wvg_credential *credential);

/* Reads what there is, and waits for nothing. True when it is over: there is a value, or there will be none. */
bool wvg_credential_process(wvg_credential *credential);

/* Waits until it is over, at most so long. The value, or NULL for none. NULL for a NULL. */
const char *wvg_credential_wait(wvg_credential *credential, int wait_ms);

/* The header's value; NULL while there is none. It holds until wvg_credential_free. */
const char *wvg_credential_value(const wvg_credential *credential);

/* Overwrites the value, and frees it; NULL is none. */
void wvg_credential_free(wvg_credential *credential);

/* ---- Rules ----------------------------------------------------------------------------------------------------- */

typedef struct wvg_rules {
  const char *document; /* JSON, as `webviewguard export` writes it. */
  size_t length;
  const char *digest; /* The policy's that they are of: for `options.rules`. */
  long long generation;
  long long gaps; /* Rules that the document does not state exactly. */
} wvg_rules;

/* The static rules of a class of this app for an engine that guards itself: `format` is a word of `webviewguard export
   --for`. `viewer_class` may be NULL where all classes with rules have the same. WVG_LATER while the daemon makes them: call
   again after a while, and again on news of the topic "policy". They hold until the next statement or call of this handle.
   Refused: "UnknownClass", "InvalidParameter", "noAnswer". */
wvg_result wvg_export_rules(wvg *guard, const char *format, const char *viewer_class, wvg_rules *rules);

/* ---- News ------------------------------------------------------------------------------------------------------ */

typedef struct wvg_news {
  const char *topic; /* "policy", "account", "identity", "enrollment", "allowedAccounts", "config", "wipe",
                        "compliance", "restart", "dataProtection". */
  long long generation;
  const char *digest;
  const char *account;
  const char *state;
  const char *window;
  const char *request; /* For wvg_answer_switch or wvg_complete; "compliance": what wvg_remediate gave. */
  const char *cause;
  const char *unlock;          /* "account": how the question to unlock it ended, an UnlockResult. */
  const char *life;            /* "enrollment": a LifeState. */
  const char *result;          /* "enrollment": an EnrollmentResult. */
  const char *status;          /* "compliance": a ComplianceStatus. */
  const char *title, *text;    /* "compliance": for the person, in the person's language. */
  const char *const *accounts; /* "allowedAccounts": names and patterns; ends with NULL. NULL for all. */
  const char *restart; /* "restart": a RestartCause; `account` is one that has to go. For wvg_complete. */
  long long deadline;  /* "wipe", "restart": when the app counts as silent, in milliseconds since 1970. */
  const char *encryption; /* "dataProtection": a FileEncryption. Every word but "none" says that files have to be encrypted. */
  const char *key_id;     /* "dataProtection": the newest key's; NULL without one, and where the daemon can use no keys. */
  long long missed;
  const char *json; /* The reply as it came. */
} wvg_news;

/* Hears news, from wvg_process. The news lives until the callback returns. */
typedef void wvg_news_callback(void *context, const wvg_news *news);

/* Asks for news on a connection of its own that reconnects by itself. `topics` ends with NULL; NULL for all. The first
   news says which policy is in force; after a reconnect that is said again only when it changed. A second call takes
   the place of the first; a NULL callback ends it. False when there is no memory. */
bool wvg_subscribe(wvg *guard, const char *const *topics, wvg_news_callback *callback, void *context);

/* What hears one topic, such as "account". Two words are no topics: "missed" hears that news may be lost, after a
   connection that was lost or since the app did not read in time, so that what was known before may be out of date; its
   news have that topic, and in `missed` how much is lost, 0 when nobody knows. "other" hears topics that have no handler,
   also those of a newer daemon: `json` has all their members. */
typedef struct wvg_handler {
  const char *topic;
  wvg_news_callback *callback;
  void *context;
} wvg_handler;

/* As wvg_subscribe, with a handler for each topic. `handlers` ends with a NULL topic; it is copied. Handlers are called
   from wvg_process, and may ask, say, listen anew, or end it: wvg_listen with NULL. A daemon that does not know a topic is
   asked again without the newest of them. */
bool wvg_listen(wvg *guard, const wvg_handler *handlers);

#ifdef __cplusplus
}
#endif

#endif
