// The four calls of ICU that reading a host needs.
//
// ICU's own headers stay inside CICU.c: its functions are macros, which Swift cannot see, and its types clash with
// those of Foundation's ICU, which tests import.

#ifndef CICU_H
#define CICU_H

#include <stdbool.h>
#include <stdint.h>

// A UTS 46 processor.
typedef struct cicu_idna cicu_idna;

// A UTS 46 processor with the options of the URL Standard, or NULL. Const after opening: any thread may use it.
const cicu_idna *_Nullable cicu_idna_open(void);

// Writes the ASCII form of the UTF-8 `name` and returns its length, or -1 when the name is not a valid domain.
// A result greater than `capacity` means: nothing usable was written, call again with that much room.
int32_t cicu_idna_to_ascii(const cicu_idna *_Nonnull idna, const char *_Nullable name, int32_t length,
                           char *_Nullable output, int32_t capacity);

// Writes the Unicode form of the UTF-8 `name` and returns its length, or -1 when one of its labels is invalid.
// A result greater than `capacity` means: nothing usable was written, call again with that much room.
int32_t cicu_idna_to_unicode(const cicu_idna *_Nonnull idna, const char *_Nullable name, int32_t length,
                             char *_Nullable output, int32_t capacity);

// True when the A-label `label` decodes to a text with hyphens in third and fourth place.
bool cicu_idna_hides_hyphens(const cicu_idna *_Nonnull idna, const char *_Nullable label, int32_t length);

// Room for a version as text.
enum { CICU_VERSION_CAPACITY = 32 };

// Writes the versions of ICU and of its Unicode data, each a C string in CICU_VERSION_CAPACITY bytes.
void cicu_versions(char *_Nonnull library, char *_Nonnull unicode);

#endif
