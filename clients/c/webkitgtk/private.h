/* What the files of this library share. Each names what it is in its first lines. */
#ifndef WVG_WEBKIT_PRIVATE_H
#define WVG_WEBKIT_PRIVATE_H

#include <webviewguard.h>
#include <webviewguard-stored.h>

#include "webviewguard-webkit.h"
#include "engine.h"

typedef struct Viewer Viewer;
typedef struct Channel Channel;
typedef struct Frames Frames;
typedef struct Rules Rules;
typedef struct Selections Selections;

/* ---- guard.c: the program, its connection, its viewers ---------------------------------------------------------- */

struct _WvgWebKitGuard {
  GObject parent;
  wvg *guard; /* NULL when it was closed. */
  GSource *source;
  char *app;
  GPtrArray *viewers;   /* Of Viewer, each a reference. */
  GHashTable *channels; /* WebKitUserContentManager to Channel. */
  GHashTable *loaders;  /* The contexts, or network sessions, whose downloads are watched. */
  GHashTable *accounts;  /* Windows, "" for the whole program, to the accounts that they show. */
  GHashTable *downloads; /* Accounts, by their keys, to where the program keeps their files. */
  Rules *rules;
  Selections *selections;
  Viewer *opening; /* Whose page opens a window, while the program makes the view for it. */
  unsigned numbers;
};

Viewer *guard_viewer_of(WvgWebKitGuard *self, gpointer view);
void guard_problem(WvgWebKitGuard *self, const char *format, ...) G_GNUC_PRINTF(2, 3);
void guard_told(WvgWebKitGuard *self, const char *what, wvg_result result);
void guard_ask_person(Viewer *viewer, WvgWebKitRequest *request);
void guard_say(Viewer *viewer, const wvg_decision *decision, const char *url);
/* The same of a window that the program lets no page open. */
void guard_say_popup(Viewer *viewer, const char *url);
/* The same of a file that cannot be kept, or read, as it has to be. */
void guard_say_unprotected(Viewer *viewer, const char *path, wvg_file_status status);
gboolean guard_open_elsewhere(Viewer *viewer, const wvg_open *offer);
void guard_show_window(Viewer *popup);

/* ---- accounts.c: whose data a viewer shows, and where the program keeps the account's files ---------------------- */

const char *accounts_of(Viewer *viewer);
gboolean accounts_is_managed(WvgWebKitGuard *guard, const char *account);
/* The path without links of the account's own directory, which the caller frees; NULL for none. */
char *accounts_downloads(WvgWebKitGuard *guard, const char *account);
/* The key by which accounts are told apart; the caller frees it. */
char *accounts_key(const char *account);

/* ---- request.c: what a person is asked for ---------------------------------------------------------------------- */

typedef void Answered(gpointer data, const char *const *values);
WvgWebKitRequest *request_new(
    WvgWebKitRequestKind kind, const char *text, gboolean multiple, Answered *answered, gpointer data);
void request_set_folder(WvgWebKitRequest *request, const char *folder);

/* dialogs.c: asks and says in GTK's own dialogs, where the program does not in its own. False where there are none. */
gboolean dialogs_ask(WebKitWebView *view, WvgWebKitRequest *request);
gboolean dialogs_say(WebKitWebView *view, const char *outcome, const char *text);
gboolean dialogs_show(WebKitWebView *popup);

/* opening.c: starts the program in which a page opens. False when it cannot be started. */
gboolean opening_start(const char *url, const char *const *argv, const char *desktop_id);

/* ---- toolkit-gtk.c, toolkit-wpe.c: what is around a view --------------------------------------------------------- */

/* Before anything else of this library. */
void toolkit_start(void);
/* Whether it has the keys. */
gboolean toolkit_has_focus(WebKitWebView *view);
/* A view like this one for a window that its page opens; NULL where only the program can make one. */
gpointer toolkit_make_popup(WebKitWebView *view);

/* ---- viewer.c: one web view, which the guard knows by name before anything loads in it --------------------------- */

typedef struct Hook {
  const char *signal;
  GArray *earlier; /* Of gulong: handlers that the program connected before, held until the guard has allowed it. */
  gboolean passes;  /* It is emitted anew, for the program's own handlers. */
  GObject *view;    /* Meanwhile. */
} Hook;

struct Viewer {
  gatomicrefcount references;
  WvgWebKitGuard *guard; /* A reference. */
  WebKitWebView *view;   /* Weak. NULL when it is closed or gone. */
  char *name, *viewer_class, *window;
  char *document; /* The URL of what is shown, or of what made it where that has none of its own; "" for none. */
  Viewer *opener; /* A reference. */
  Channel *channel;
  GPtrArray *hooks;
  GObject *kept; /* The view of a popup, until it is shown or closed. */
  gboolean has_shown, is_allowed, is_ready, is_closed, has_no_popups;
  gboolean has_opened; /* Pages of other windows may lead it. */
  unsigned commits;     /* Counts the pages that came. */
  unsigned asked;       /* Counts the navigations that the engine asked about. */
  unsigned moves;       /* The latest of the main frame: a late answer does not replace what came after it. */
  char *came_from;      /* Where the hop under way comes from; "" for what nobody knows. */
  char *coming;         /* The page load that was allowed, and not yet begun; "" for what nobody knows. */
  gint64 coming_since;
  char *leading;           /* What the program leads to, allowed and not yet begun. */
  char *led_to, *led_from; /* What the guard itself loads anew, and the page or hop that led there. */
  char *credential;        /* Of that one request; NULL for none. */
  char *allowed_window; /* The latest new window that was allowed, until it is created. */
  char *token;          /* Of the notice that is shown. */
  char *notice_url;     /* Of the page that it stands for. */
  gboolean is_notice_coming; /* WebKit may show it over a page that begins to load before it is there. */
  GHashTable *wanted; /* URLs to which the program itself may lead, until their pages are asked for. */
  guint64 wanted_page; /* The engine's number of the page that was there when the program led to the latest. */
  char *next; /* Where the program led meanwhile: the notice takes that page's place, so it is loaded once more. */
  const wvg_decision *notice;
  const wvg_decision *offered; /* The latest refusal without a notice, which offers another program. NULL for none. */
  GPtrArray *reading; /* Of wvg_readable: what its pages read unsealed. */
  gboolean is_dragging;
  char *drag_notice; /* What other programs get of what is dragged; NULL for the content itself. */
};

Viewer *viewer_new(
    WvgWebKitGuard *guard, WebKitWebView *view, const char *viewer_class, const char *window, Viewer *opener);
Viewer *viewer_ref(Viewer *viewer);
void viewer_unref(Viewer *viewer);
void viewer_close(Viewer *viewer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Viewer, viewer_unref)

/* What came of a question. `data` is the asker's, who frees it. */
typedef void Settled(Viewer *viewer, gboolean allowed, const wvg_decision *decision, gpointer data);

/* Asks about this viewer; with `warn` the user decides, and says why. `settled` is called once, also when it is closed
   meanwhile: then nothing is allowed. */
void viewer_ask(Viewer *viewer, wvg_kind kind, const wvg_event *event, Settled *settled, gpointer data);
void viewer_was_refused(
    Viewer *viewer, const wvg_decision *decision, const char *url, gboolean is_page, gboolean is_latest);
void viewer_appear(Viewer *viewer);

/* Connects before the program's own handlers, which run in `viewer_pass`: when the guard has allowed it. */
void viewer_hook(Viewer *viewer, const char *signal, GCallback callback);
gboolean viewer_passes(Viewer *viewer, const char *signal);
Hook *viewer_pass(Viewer *viewer, const char *signal);
void viewer_passed(Viewer *viewer, Hook *hook);

/* NULL for "", which is what an event leaves out. */
static inline const char *said(const char *text) { return text && *text ? text : NULL; }

/* ---- The hooks of a viewer -------------------------------------------------------------------------------------- */

void navigation_hook(Viewer *viewer);
void uploads_hook(Viewer *viewer);
void downloads_hook(Viewer *viewer);
void outputs_hook(Viewer *viewer);
void printing_hook(Viewer *viewer);
void clipboard_hook(Viewer *viewer);
/* A script told that a drag is over, in some viewer of the channel. */
void clipboard_drags_ended(WvgWebKitGuard *guard, Channel *channel);
void clipboard_end_drag(Viewer *viewer);

void viewer_forget_offer(Viewer *viewer);
/* Something that a signal of the view brought, to be emitted anew when it is allowed. */
typedef struct {
  const char *signal;
  GObject *about;
} Output;

Output *output_new(const char *signal, gpointer about);
void output_free(Output *output);
/* Whether somebody took care of it. */
gboolean output_emit(Viewer *viewer, Output *output);

/* keeping.c: a file that is kept for an account. */
typedef struct Keeping Keeping;
/* The path of a file that need not be there, without links; NULL where its folder is not. The caller frees it. */
char *keeping_place(const char *path);
/* NULL when it cannot be kept as its owner's policy wants: the person is told. -1 for a size that nobody knows. */
Keeping *keeping_begin(Viewer *viewer, const char *path, const wvg_decision *decision, gint64 size);
/* Where it is written; nothing is there yet. */
const char *keeping_path(Keeping *keeping);
/* Puts it in its place, or leaves nothing. In a thread of its own. */
void keeping_end(Keeping *keeping, gboolean is_whole);
/* What an event says of a place. It lives as long as `own` and `account`. */
void keeping_tell(wvg_event *event, const char *path, const char *own, const char *account);

/* notice.c: the page that says why another one did not open, and the same in a sentence, which the caller frees. */
char *notice_text(const wvg_decision *decision);
void notice_show(Viewer *viewer, const wvg_decision *decision, const char *url);
gboolean notice_has_come(Viewer *viewer, const char *url);
gboolean notice_is_pressed(Viewer *viewer, const char *url, gboolean by_user);

/* signing.c: the credential for a sign-in page. `value` is NULL for none; it lives until the call returns. */
typedef void CredentialCame(gpointer data, const char *value);
/* FALSE, and no call, where there will be none. */
gboolean signing_ask(const wvg_decision *decision, const char *url, CredentialCame *came, gpointer data);

/* ---- channel.c: the scripts in every page, and the way by which only they reach the program ---------------------- */

Channel *channel_of(WvgWebKitGuard *guard, WebKitUserContentManager *content);
void channel_free(Channel *channel);
void channel_configure(Channel *channel, WebKitSettings *settings);

/* Answers a question of the script; `text` may be NULL, and is then inserted by nobody. Frees the dialog. */
typedef struct Reply Reply;
void reply_send(Reply *reply, gboolean allowed, const char *text, gboolean plain);
JSCValue *reply_question(Reply *reply);

/* Whether a dialog is a question of the script: then `reply` answers it. */
Reply *channel_question(Channel *channel, WebKitScriptDialog *dialog);

Frames *channel_frames(Channel *channel);
/* Another page came to a view of the channel. */
void channel_page_came(Channel *channel);

/* ---- rules.c: what the engine asks nobody about, by exported rules ----------------------------------------------- */

typedef void Ready(gpointer data);
Rules *rules_new(WvgWebKitGuard *guard);
void rules_free(Rules *rules);
void rules_renew(Rules *rules);
/* Calls `ready`, perhaps at once, when the rules hold in that content manager. */
void rules_guard(
    Rules *rules, WebKitUserContentManager *content, const char *viewer_class, Ready *ready, gpointer data);

/* ---- selections.c: CLIPBOARD and PRIMARY ------------------------------------------------------------------------- */

typedef enum { CLIPBOARD, PRIMARY, SELECTIONS } Which;

typedef struct Content {
  gboolean has_length, is_ours, is_wrapped; /* Wrapped by another guarded program. */
  long length;
  char *text, *html, *clip;
} Content;

#define NOTICE "Your organization's data cannot be pasted here."
#define PRIVATE_TYPE WVG_CLIP_TYPE
#define HTML_TYPE WVG_CLIP_HTML_TYPE
#define ID_TYPE WVG_CLIP_ID_TYPE

Selections *selections_new(WvgWebKitGuard *guard);
void selections_free(Selections *selections);
const char *selections_display(Selections *selections);
const Content *selections_content(Selections *selections, Which which);
/* The next change of the clipboard is what this decision allowed in this viewer. */
void selections_announce(Selections *selections, Viewer *viewer, const wvg_decision *decision, long length);
/* Text was marked in this viewer; NULL when nobody knows in which. */
void selections_marked(Selections *selections, Viewer *viewer);
/* The true text, also of another guarded program's wrapped clip. */
typedef void TextCame(gpointer data, const char *text);
void selections_read(Selections *selections, Which which, TextCame *came, gpointer data);
/* The engine may read what is veiled, for a paste that was allowed. */
void selections_open(Selections *selections, gboolean is_open);
/* Whether the engine itself reads what lies there when it may, or the script must be given the text. */
gboolean selections_engine_reads(Selections *selections, Which which);

/* ---- veil-gtk3.c, veil-gtk4.c, veil-wpe.c: what others read of what this process put there ----------------------- */

/* What other programs read in place of the content. Without `clip` the content is not handed out at all. */
typedef struct Notice {
  const char *text, *clip, *content, *html;
} Notice;

/* A selection changed. `is_ours`: this process filled it, and nobody gets it until `veil_drop` or `veil_lift`. */
typedef void VeilChanged(gpointer data, Which which, gboolean is_ours);
/* What lies there. Text and HTML may be NULL; `clip` is not NULL when another guarded program wrapped it. */
typedef void VeilRead(gpointer data, const char *text, const char *html, const char *clip);

void veil_watch(VeilChanged *changed, gpointer data);
void veil_ignore(gpointer data);
void veil_drop(Which which, const Notice *notice);
void veil_lift(Which which);
void veil_open(gboolean is_open);
gboolean veil_engine_reads(Which which);
/* The true content of what this process filled, or what another program put there. */
void veil_read_own(Which which, VeilRead *read, gpointer data);
void veil_read_other(Which which, VeilRead *read, gpointer data);
void veil_read_private(Which which, TextCame *came, gpointer data);
char *veil_display(void);
/* Whether others can be kept from reading here. */
gboolean veil_can_wrap(void);
/* Looks whether a selection changed, or this process filled it, where nobody tells of it. */
void veil_look(void);
/* The view's handler of drags out of it. */
void veil_drags(Viewer *viewer);
gboolean veil_can_wrap_drags(void);

#endif
