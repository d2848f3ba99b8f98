// A C face for simdjson's DOM parser: bytes in, the library's own tape out.
//
// The tape (simdjson, doc/tape.md) is an array of 64-bit words. The top byte of a word is its type, the lower 56 bits
// its payload. Word 0 and the last word are the root (`r`). A string's payload is an offset into the string buffer,
// which holds a 32-bit length, the unescaped UTF-8 bytes and a NUL. A number takes two words, the second its bits.
// The payload of `{` and `[` holds the index after the matching end in its lower 32 bits, and the count of members
// above them, at most 0xFFFFFF.

#ifndef CSIMDJSON_H
#define CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A parser and the buffers it keeps. One thread at a time.
typedef struct csimdjson_parser csimdjson_parser;

/// The result of a parse. Everything but `csimdjson_ok` leaves the document empty.
typedef enum csimdjson_status : int32_t {
  csimdjson_ok = 0,
  csimdjson_out_of_memory,
  csimdjson_too_long,
  csimdjson_too_deep,
  csimdjson_empty,
  csimdjson_not_utf8,
  csimdjson_bad_string,
  csimdjson_bad_number,
  csimdjson_duplicate_key,
  csimdjson_syntax,
} csimdjson_status;

/// The tape and the string buffer of the last good parse. The parser owns both, until its next parse or its end.
typedef struct csimdjson_document {
  const uint64_t *tape;
  size_t tape_count;
  const uint8_t *strings;
  size_t strings_count;
} csimdjson_document;

/// A new parser that refuses longer and deeper input than this, or NULL when there is no memory.
csimdjson_parser *csimdjson_create(size_t maximum_length, size_t maximum_depth);

void csimdjson_destroy(csimdjson_parser *parser);

/// Copies the bytes, parses them, and refuses objects that hold the same key twice.
/// Allocates only when the input is longer, or an object larger, than any before.
csimdjson_status csimdjson_parse(csimdjson_parser *parser, const uint8_t *bytes, size_t length,
                                 csimdjson_document *document);

/// The version of the library that this was built with, such as `3.1.1`.
const char *csimdjson_version(void);

/// The implementation that the library chose for this processor, such as `haswell`.
const char *csimdjson_implementation(void);

#ifdef __cplusplus
}
#endif

#endif
