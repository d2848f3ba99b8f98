/*
 * stored: stores files as its arguments say, one after another on one connection, and answers each with a line. `-` is
 * an argument that is left out.
 *
 *   stored SOCKET [as ACCOUNT] [save PATH TEXT] [half PATH TEXT] [incoming PATH ACCOUNT TEXT] [broken PATH ACCOUNT]
 *                 [read PATH] [out PATH] [directory ACCOUNT] [hold PATH ACCOUNT] [clear -]
 *   stored - [volume ROOT KIND DEVICE SOURCE] [mount ROOT NUMBER] [here PATH]
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../webviewguard-stored-private.h"
#include "../webviewguard-stored.h"
#include "acting.h"

static void print_status(wvg_file_status status) { printf(status.code ? "error %d\n" : "done\n", status.code); }

static const char *standing_of(const wvg_file_owner *owner) {
  static const char *const standings[] = {"unknown", "unmanaged", "mine", "managed"};
  return standings[owner->standing];
}

static void save(wvg *guard, const char *path, const char *text, bool is_whole) {
  wvg_saving *saving;
  wvg_file_status status = wvg_file_save(guard, path, &saving);
  if (status.code) {
    print_status(status);
    return;
  }
  /* Many times, so that it has several chunks. */
  for (int time = 0; time < 20000 && !status.code; time++) status = wvg_saving_write(saving, text, strlen(text));
  if (!status.code && is_whole) status = wvg_saving_finish(saving);
  if (is_whole && !wvg_saving_write(saving, "x", 1).code) printf("written after the end: ");
  if (status.code) print_status(status);
  else printf("%s %s\n", standing_of(wvg_saving_owner(saving)), wvg_saving_is_sealed(saving) ? "sealed" : "plain");
  wvg_saving_free(saving);
}

static bool begin(wvg *guard, const char *path, const char *account, wvg_incoming **incoming) {
  wvg_file_status status = wvg_file_incoming(guard, path, given(account), -1, incoming);
  if (status.code) print_status(status);
  return !status.code;
}

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "wx");
  if (!file || fputs(text, file) < 0 || fclose(file)) printf("not written: ");
}

static void receive(wvg *guard, const char *path, const char *account, const char *text) {
  wvg_incoming *incoming;
  if (!begin(guard, path, account, &incoming)) return;
  char *place = strdup(wvg_incoming_path(incoming));
  const char *standing = standing_of(wvg_incoming_owner(incoming));
  bool is_sealed = wvg_incoming_is_sealed(incoming);
  write_text(place, text);
  wvg_file_status status = wvg_incoming_keep(incoming);
  if (status.code) print_status(status);
  else printf("%s %s %s\n", standing, is_sealed ? "sealed" : "plain", place);
  wvg_incoming_free(incoming);
  free(place);
}

static void lose(wvg *guard, const char *path, const char *account) {
  wvg_incoming *incoming;
  if (!begin(guard, path, account, &incoming)) return;
  print_status(wvg_incoming_keep(incoming));
  wvg_incoming_free(incoming);
  if (!begin(guard, path, account, &incoming)) return;
  write_text(wvg_incoming_path(incoming), "half");
  wvg_incoming_free(incoming);
}

/* The path that an engine reads, the label that it has, and what is there. */
static void read_whole(wvg *guard, const char *path) {
  wvg_readable *readable;
  const char *place;
  wvg_file_status status = wvg_file_readable(guard, path, &readable);
  if (!status.code) status = wvg_readable_path(readable, &place);
  if (status.code) {
    print_status(status);
    wvg_readable_free(readable);
    return;
  }
  wvg_file_facts facts;
  struct stat found;
  char text[64] = "";
  wvg_file_read_facts(place, &facts);
  FILE *file = fopen(place, "r");
  size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
  text[size] = 0;
  if (stat(place, &found)) printf("gone: ");
  printf("%s %s %lld %s\n", place, facts.label ? "labelled" : "bare", (long long)found.st_size, text);
  wvg_file_facts_free(&facts);
  if (file) fclose(file);
  wvg_readable_free(readable);
}

static void send_out(wvg *guard, const char *path) {
  wvg_readable *readable;
  wvg_event event = {.owner = ""};
  wvg_file_status status = wvg_file_readable(guard, path, &readable);
  if (status.code) {
    print_status(status);
    return;
  }
  wvg_file_tell(wvg_readable_facts(readable), &event);
  const wvg_decision *decision = wvg_ask(guard, WVG_OPEN, &event);
  const char *way = wvg_readable_is_sealed(readable) ? "sealed" : "plain";
  printf("%s %s\n", decision->outcome == WVG_ALLOW ? "allow" : "block", way);
  wvg_decision_free(decision);
  wvg_readable_free(readable);
}

static void find_directory(wvg *guard, const char *account) {
  char *directory;
  wvg_file_status status = wvg_file_account_directory(guard, account, &directory);
  if (status.code) print_status(status);
  else printf("%s\n", directory ? directory : "none");
  free(directory);
}

static void hold(wvg *guard, const char *path, const char *account) {
  wvg_incoming *incoming;
  if (!begin(guard, path, account, &incoming)) return;
  write_text(wvg_incoming_path(incoming), "half of the figures");
  printf("%s\n", wvg_incoming_path(incoming));
  fflush(stdout);
  pause();
}

static void show_volume(wvg_volume volume) {
  static const char *const kinds[] = {"unknown", "plain", "encrypted"};
  printf("%s %s\n", kinds[volume.kind], *volume.by ? volume.by : "-");
}

static void look_at(char **words) {
  wvg_mount mount;
  if (!strcmp(words[0], "volume")) {
    snprintf(mount.kind, sizeof mount.kind, "%s", words[2]);
    snprintf(mount.device, sizeof mount.device, "%s", words[3]);
    snprintf(mount.source, sizeof mount.source, "%s", words[4]);
    show_volume(wvg_volume_of_mount(&mount, words[1]));
  } else if (!strcmp(words[0], "mount")) {
    if (wvg_mount_find(words[2], words[1], &mount)) printf("%s %s %s\n", mount.kind, mount.device, mount.source);
    else printf("none\n");
  } else {
    int directory = open(words[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    show_volume(wvg_volume_of(directory, ""));
    close(directory);
  }
}

/* Does what one word says; how many arguments it took. */
static int act(wvg *guard, char **words) {
  const char *word = words[0];
  if (!strcmp(word, "as"))
    return printf("%d\n", wvg_set_identity(guard, &(wvg_identity){.account = words[1]}, NULL)), 2;
  if (!strcmp(word, "save")) return save(guard, words[1], words[2], true), 3;
  if (!strcmp(word, "half")) return save(guard, words[1], words[2], false), 3;
  if (!strcmp(word, "incoming")) return receive(guard, words[1], words[2], words[3]), 4;
  if (!strcmp(word, "broken")) return lose(guard, words[1], words[2]), 3;
  if (!strcmp(word, "read")) return read_whole(guard, words[1]), 2;
  if (!strcmp(word, "out")) return send_out(guard, words[1]), 2;
  if (!strcmp(word, "directory")) return find_directory(guard, words[1]), 2;
  if (!strcmp(word, "hold")) return hold(guard, words[1], words[2]), 3;
  if (!strcmp(word, "clear")) return wvg_file_clear_leftovers(), printf("done\n"), 2;
  look_at(words);
  return !strcmp(word, "volume") ? 5 : !strcmp(word, "mount") ? 3 : 2;
}
