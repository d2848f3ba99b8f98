/* Other programs: those that an answer or the user opens. */
#define _POSIX_C_SOURCE 200809L
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

extern char **environ;

/* Calls `is_here` with each directory of a list such as PATH, until one says yes. */
static bool is_in(const char *list, const char *middle, const char *name) {
  for (const char *part = list; part && *part;) {
    size_t length = strcspn(part, ":");
    char path[4096];
    int count = snprintf(path, sizeof path, "%.*s/%s%s", (int)length, part, middle, name);
    if (length && count > 0 && (size_t)count < sizeof path && !access(path, R_OK)) return true;
    part += length + (part[length] == ':');
  }
  return false;
}

static const char *listed(const char *variable, const char *otherwise) {
  const char *list = getenv(variable);
  return list && *list ? list : otherwise;
}

static bool has_program(const char *name) {
  return strchr(name, '/') ? !access(name, X_OK) : is_in(listed("PATH", "/usr/local/bin:/usr/bin:/bin"), "", name);
}

static bool has_entry(const char *desktop_id) {
  char own[4096];
  const char *home = getenv("HOME");
  snprintf(own, sizeof own, "%s/.local/share", home ? home : "");
  return is_in(listed("XDG_DATA_HOME", own), "applications/", desktop_id) ||
         is_in(listed("XDG_DATA_DIRS", "/usr/local/share:/usr/share"), "applications/", desktop_id);
}

bool wvg_cef_can_open(const wvg_open *open) {
  if (open->argv) return *open->argv && has_program(*open->argv);
  if (open->desktop_id) return has_entry(open->desktop_id) && has_program("gtk-launch");
  return has_program("xdg-open");
}

static bool start(const char *const *argv) {
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions)) return false;
  pid_t shell;
  /* A shell that ends at once, so that the program is not a child of this one, which never waits for it. */
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
