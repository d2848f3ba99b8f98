/*
 * files: does with files what its arguments say, one after another on one connection, and answers each with a line. `-`
 * is an argument that is left out.
 *
 *   files SOCKET [as ACCOUNT] [create PATH TEXT] [directory PATH] [owner PATH] [give PATH ACCOUNT] [open ACCOUNT]
 *   files SOCKET [tell KIND PATH]       asks about an event with the facts of a file: `allow`, or `block REASON`
 *   files - [facts PATH] [code ERROR]
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "../webviewguard-files-private.h"
#include "acting.h"

static void print_status(wvg_file_status status) { printf("error %d\n", status.code); }

static void print_owner(wvg_file_status status, const wvg_file_owner *owner) {
  static const char *const standings[] = {"unknown", "unmanaged", "mine", "managed"};
  if (status.code) print_status(status);
  else
    printf("%s %s %s\n", standings[owner->standing], *owner->account ? owner->account : "-",
           owner->must_encrypt ? "encrypt" : "-");
}

static void print_text(const char *name, const char *text) {
  printf("%s=", name);
  for (; text && *text; text++) printf("%02x", (unsigned char)*text);
  printf(text ? " " : "none ");
}

static void show_facts(const char *path) {
  wvg_file_facts facts;
  wvg_file_status status = wvg_file_read_facts(path, &facts);
  if (status.code) {
    print_status(status);
    return;
  }
  print_text("label", facts.label);
  print_text("file", facts.file);
  print_text("origin", facts.origin);
  printf("\n");
  wvg_file_facts_free(&facts);
}

static void create(wvg *guard, const char *path, const char *text) {
  wvg_file_owner owner;
  int file;
  wvg_file_status status = wvg_file_create(guard, path, &file, &owner);
  if (!status.code) {
    struct stat found;
    /* The label is there before the first byte. */
    bool is_labelled = fgetxattr(file, LABEL, NULL, 0) > 0;
    if (fstat(file, &found) || found.st_size || is_labelled != (owner.standing != WVG_FILE_UNMANAGED))
      printf("too late: ");
    if (write(file, text, strlen(text)) < 0) printf("not written: ");
    close(file);
  }
  print_owner(status, &owner);
}

static void tell(wvg *guard, const char *kind, const char *path) {
  wvg_file_facts facts;
  wvg_event event = {.owner = ""};
  wvg_file_status status = wvg_file_read_facts(path, &facts);
  if (status.code) {
    print_status(status);
    return;
  }
  wvg_file_tell(&facts, &event);
  const wvg_decision *decision = wvg_ask(guard, strcmp(kind, "upload") ? WVG_OPEN : WVG_UPLOAD, &event);
  if (decision->outcome == WVG_ALLOW) printf("allow\n");
  else printf("block %s\n", decision->reason);
  wvg_decision_free(decision);
  wvg_file_facts_free(&facts);
}

/* Does what one word says; how many arguments it took. */
static int act(wvg *guard, char **words) {
  wvg_file_owner owner;
  if (!strcmp(words[0], "as")) {
    printf("%d\n", wvg_set_identity(guard, &(wvg_identity){.account = words[1]}, NULL));
  } else if (!strcmp(words[0], "create")) {
    create(guard, words[1], words[2]);
    return 3;
  } else if (!strcmp(words[0], "directory")) {
    wvg_file_status status = wvg_file_create_directory(guard, words[1], &owner);
    print_owner(status, &owner);
  } else if (!strcmp(words[0], "owner")) {
    wvg_file_status status = wvg_file_get_owner(guard, words[1], &owner);
    if (status.code && owner.standing != WVG_FILE_UNKNOWN) printf("weak: ");
    print_owner(status, &owner);
  } else if (!strcmp(words[0], "give")) {
    wvg_file_status status = wvg_file_set_owner(guard, words[1], given(words[2]) ? words[2] : "", &owner);
    print_owner(status, &owner);
    return 3;
  } else if (!strcmp(words[0], "tell")) {
    tell(guard, words[1], words[2]);
    return 3;
  } else if (!strcmp(words[0], "facts")) {
    show_facts(words[1]);
  } else if (!strcmp(words[0], "code")) {
    printf("%d\n", wvg_file_code_of(given(words[1])));
  } else if (!strcmp(words[0], "open")) {
    wvg_directory found;
    bool is_told = wvg_open_directory(guard, words[1], &found) == WVG_DONE;
    printf("%s %s %s\n", is_told ? found.state : wvg_error(guard), found.path ? found.path : "-",
           found.problem ? "problem" : "-");
  } else {
    abort();
  }
  return 2;
}
