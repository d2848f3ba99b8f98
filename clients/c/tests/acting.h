/*
 * Does what the words of a command say, one act after another on one connection: PROGRAM SOCKET [WORD...], where `-` is a
 * word that is left out. To be read behind the client's headers; the program defines `act`.
 */
#include <stdio.h>
#include <string.h>

/* Does the first of these words, prints its result, and returns how many words it took. */
static int act(wvg *guard, char **words);

static const char *given(const char *argument) { return strcmp(argument, "-") ? argument : NULL; }

int main(int count, char **words) {
  if (count < 2) return 2;
  wvg *guard = wvg_new(&(wvg_options){.path = given(words[1])});
  if (!guard) return 1;
  if (given(words[1])) wvg_start(guard);
  for (int place = 2; place < count;) {
    place += act(guard, words + place);
    fflush(stdout);
  }
  wvg_free(guard);
  return 0;
}
