// ICU renames its functions with macros (`uidna_openUTS46_72`), which Swift cannot see.
// These give the calls plain names; nothing else is added.

#ifndef CICU_SHIM_H
#define CICU_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unicode/uidna.h>

// What UTS 46 calls errors but the URL Standard switches off: CheckHyphens and VerifyDnsLength are false.
#define CICU_IDNA_IGNORED_ERRORS                                                                              \
  (UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG | UIDNA_ERROR_DOMAIN_NAME_TOO_LONG |                  \
   UIDNA_ERROR_LEADING_HYPHEN | UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4)

// A UTS 46 processor with the options of the URL Standard, or NULL. Const after opening: any thread may use it.
static inline const UIDNA *_Nullable cicu_idna_open(void) {
  UErrorCode status = U_ZERO_ERROR;
  UIDNA *idna = uidna_openUTS46(
      UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII | UIDNA_NONTRANSITIONAL_TO_UNICODE,
      &status);
  return U_SUCCESS(status) ? idna : NULL;
}

// Writes the ASCII form of the UTF-8 `name` and returns its length, or -1 when the name is not a valid domain.
// A result greater than `capacity` means: nothing usable was written, call again with that much room.
static inline int32_t cicu_idna_to_ascii(const UIDNA *_Nonnull idna, const char *_Nullable name, int32_t length,
                                         char *_Nullable output, int32_t capacity) {
  UErrorCode status = U_ZERO_ERROR;
  UIDNAInfo info = UIDNA_INFO_INITIALIZER;
  int32_t written = uidna_nameToASCII_UTF8(idna, name, length, output, capacity, &info, &status);
  if (status == U_BUFFER_OVERFLOW_ERROR && written > capacity) return written;
  if (U_FAILURE(status) || (info.errors & ~(uint32_t)CICU_IDNA_IGNORED_ERRORS) != 0) return -1;
  return written;
}

// Whether the A-label `label` decodes to a text with hyphens in third and fourth place.
static inline bool cicu_idna_hides_hyphens(const UIDNA *_Nonnull idna, const char *_Nullable label, int32_t length) {
  UErrorCode status = U_ZERO_ERROR;
  UIDNAInfo info = UIDNA_INFO_INITIALIZER;
  char unused[4];
  uidna_labelToUnicodeUTF8(idna, label, length, unused, (int32_t)sizeof unused, &info, &status);
  return (info.errors & UIDNA_ERROR_HYPHEN_3_4) != 0;
}

#endif
