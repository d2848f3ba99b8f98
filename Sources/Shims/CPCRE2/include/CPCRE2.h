// PCRE2 with 8-bit code units; Swift only needs the width defined.
#ifndef CPCRE2_H
#define CPCRE2_H
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

// Look-behinds of varying length are an error in every release, as they are before 10.43.
static inline void cpcre2_fix_lookbehinds(pcre2_compile_context *context) {
#if PCRE2_MAJOR > 10 || PCRE2_MINOR >= 43
  pcre2_set_max_varlookbehind(context, 0);
#else
  (void)context;
#endif
}
#endif
