/*
 * The page that stands in place of one that may not load: what happened, and what the user can do.
 *
 *     char *html = wvg_notice(decision, &(wvg_notice_options){.url = url, .back = "my-app:back"});
 *     load_html(view, html);
 *     free(html);
 *
 * Words and template are those of clients/notice/notice.json, which the clients of all languages share. The page needs
 * no script and loads nothing. Whatever is put into it becomes text, whoever wrote it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WEBVIEWGUARD_NOTICE_H
#define WEBVIEWGUARD_NOTICE_H

#include "webviewguard.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a notice is about, and the links of its buttons, which only the app can carry out. Those that do not fit the
   decision are left out; NULL is none. */
typedef struct wvg_notice_options {
  const char *url;
  const char *const *languages; /* The user's, the preferred first; ends with NULL. */
  const wvg_organization *organization; /* As wvg_get_organization tells it. */
  const char *open; /* State it only when the program of the offer is there. */
  const char *exception;
  const char *retry;
  const char *back;
  const char *go_on; /* `continue` of a warning; it gets the user's reason as the query `justification`. */
} wvg_notice_options;

/* The page, as HTML; NULL when there is no memory. Free it with free(). */
char *wvg_notice(const wvg_decision *decision, const wvg_notice_options *options);

/* Why, in a sentence for a person: the policy's own words where it has some, else the built-in ones in the person's
   language. NULL when there is no memory. Free it with free(). */
char *wvg_notice_sentence(const wvg_decision *decision, const char *const *languages);

/* What a user reads out at the help desk, and `webviewguard explain` takes: "7353-4481-5116-5139", "noAnswer". Free it
   with free(). */
char *wvg_notice_code(const wvg_decision *decision);

/* The name under which a file is kept that a page suggests a name for: with "_" for each control character, line
   separator and character that turns others round (Bidi_Control), and for each byte that is no UTF-8. A person reads
   "cod\u202egpj.exe" as "codexe.jpg", and it is a program: it is kept as "cod_gpj.exe". It may still hold slashes.
   NULL when there is no memory. Free it with free(). */
char *wvg_download_name(const char *suggested);

#ifdef __cplusplus
}
#endif

#endif
