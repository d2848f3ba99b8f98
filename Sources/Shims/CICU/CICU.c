#include "CICU.h"

#include <stddef.h>
#include <unicode/uchar.h>
#include <unicode/uidna.h>
#include <unicode/uversion.h>

_Static_assert(CICU_VERSION_CAPACITY >= U_MAX_VERSION_STRING_LENGTH, "room for a version");

// Errors of UTS 46 that the URL Standard switches off: CheckHyphens and VerifyDnsLength are false.
#define CICU_IDNA_IGNORED_ERRORS                                                                              \
  (UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG | UIDNA_ERROR_DOMAIN_NAME_TOO_LONG |                  \
   UIDNA_ERROR_LEADING_HYPHEN | UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4)

const cicu_idna *cicu_idna_open(void) {
  UErrorCode status = U_ZERO_ERROR;
  UIDNA *idna = uidna_openUTS46(
      UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII | UIDNA_NONTRANSITIONAL_TO_UNICODE,
      &status);
  return U_SUCCESS(status) ? (const cicu_idna *)idna : NULL;
}

int32_t cicu_idna_to_ascii(const cicu_idna *idna, const char *name, int32_t length, char *output, int32_t capacity) {
  UErrorCode status = U_ZERO_ERROR;
  UIDNAInfo info = UIDNA_INFO_INITIALIZER;
  int32_t written = uidna_nameToASCII_UTF8((const UIDNA *)idna, name, length, output, capacity, &info, &status);
  if (status == U_BUFFER_OVERFLOW_ERROR && written > capacity) return written;
  if (U_FAILURE(status) || (info.errors & ~(uint32_t)CICU_IDNA_IGNORED_ERRORS) != 0) return -1;
  return written;
}

int32_t cicu_idna_to_unicode(const cicu_idna *idna, const char *name, int32_t length, char *output, int32_t capacity) {
  UErrorCode status = U_ZERO_ERROR;
  UIDNAInfo info = UIDNA_INFO_INITIALIZER;
  int32_t written = uidna_nameToUnicodeUTF8((const UIDNA *)idna, name, length, output, capacity, &info, &status);
  if (status == U_BUFFER_OVERFLOW_ERROR && written > capacity) return written;
  if (U_FAILURE(status) || (info.errors & ~(uint32_t)CICU_IDNA_IGNORED_ERRORS) != 0) return -1;
  return written;
}

bool cicu_idna_hides_hyphens(const cicu_idna *idna, const char *label, int32_t length) {
  UErrorCode status = U_ZERO_ERROR;
  UIDNAInfo info = UIDNA_INFO_INITIALIZER;
  char unused[4];
  uidna_labelToUnicodeUTF8((const UIDNA *)idna, label, length, unused, (int32_t)sizeof unused, &info, &status);
  return (info.errors & UIDNA_ERROR_HYPHEN_3_4) != 0;
}

void cicu_versions(char *library, char *unicode) {
  UVersionInfo version;
  u_getVersion(version);
  u_versionToString(version, library);
  u_getUnicodeVersion(version);
  u_versionToString(version, unicode);
}
