#include "CSimdJSON.h"

#include <simdjson.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>

namespace {

// A parser starts with room for an ordinary request, then doubles.
constexpr size_t smallest_capacity = 4096;
constexpr uint64_t payload_mask = 0x00FFFFFFFFFFFFFF;

struct free_memory {
  void operator()(void *memory) const { std::free(memory); }
};

template <typename T> using malloced = std::unique_ptr<T[], free_memory>;

template <typename T> bool grow(malloced<T> &memory, size_t count) {
  memory.reset(static_cast<T *>(std::malloc(count * sizeof(T))));
  return memory != nullptr;
}

// An object's key: a word that distinguishes most keys, and a pointer to its length and bytes.
struct key {
  uint64_t head;
  const uint8_t *record;
};

uint32_t length_of(const uint8_t *record) {
  uint32_t length;
  std::memcpy(&length, record, sizeof length);
  return length;
}

// The head is the length and the first four bytes, which stand next to each other in the string buffer. The load may
// run past a short key's NUL, never past the buffer: simdjson pads it. The extra bytes are masked off.
key key_at(const uint8_t *record) {
  uint64_t head;
  std::memcpy(&head, record, sizeof head);
  const uint32_t length = length_of(record);
  if (length < 4) head &= (uint64_t{1} << (32 + 8 * length)) - 1;
  return {head, record};
}

int compare_tails(const key &a, const key &b) {
  const uint32_t length = length_of(a.record);
  return length <= 4 ? 0 : std::memcmp(a.record + 8, b.record + 8, length - 4);
}

// Equal heads mean equal lengths, so the tails can be compared byte by byte.
bool same(const key &a, const key &b) { return a.head == b.head && compare_tails(a, b) == 0; }

bool before(const key &a, const key &b) {
  return a.head != b.head ? a.head < b.head : compare_tails(a, b) < 0;
}

char type_at(const uint64_t *tape, size_t index) { return char(tape[index] >> 56); }

size_t after(const uint64_t *tape, size_t index) {
  switch (type_at(tape, index)) {
  case '{': case '[': return uint32_t(tape[index]);
  case 'l': case 'u': case 'd': return index + 2;
  default: return index + 1;
  }
}

} // namespace

struct csimdjson_parser {
  csimdjson_parser(size_t length, size_t depth) : maximum_length(length), maximum_depth(depth) {}

  csimdjson_status reserve(size_t length);
  csimdjson_status check(csimdjson_document &document);
  csimdjson_status check_container(size_t start, size_t depth, const uint8_t *&last);
  csimdjson_status check_keys(size_t object);

  const size_t maximum_length;
  const size_t maximum_depth;
  simdjson::dom::parser dom;
  size_t capacity = 0;
  malloced<uint8_t> scratch;
  size_t keys_capacity = 0;
  malloced<key> keys;
};

csimdjson_status csimdjson_parser::reserve(size_t length) {
  if (length <= capacity) return csimdjson_ok;
  size_t wanted = smallest_capacity;
  while (wanted < length) wanted *= 2;
  capacity = 0;
  // One level more than allowed, because the library's own count leaves out innermost empty containers: `check` counts.
  if (dom.allocate(wanted, maximum_depth + 1) || dom.doc.allocate(wanted) ||
      !grow(scratch, wanted + simdjson::SIMDJSON_PADDING)) {
    return csimdjson_out_of_memory;
  }
  capacity = wanted;
  return csimdjson_ok;
}

// One walk along the tape: depth, keys, and the end of the last string.
csimdjson_status csimdjson_parser::check(csimdjson_document &document) {
  const uint64_t *tape = dom.doc.tape.get();
  const uint8_t *strings = dom.doc.string_buf.get();
  const uint8_t *last = nullptr;
  switch (type_at(tape, 1)) {
  case '"': last = strings + (tape[1] & payload_mask); break;
  case '{': case '[': if (csimdjson_status status = check_container(1, 1, last)) return status; break;
  default: break;
  }
  const size_t used = last ? size_t(last - strings) + sizeof(uint32_t) + length_of(last) + 1 : 0;
  document = {tape, size_t(tape[0] & payload_mask), strings, used};
  return csimdjson_ok;
}

// Checks an object or array and all in it, and finds the last string. Only what may hold values costs a call.
csimdjson_status csimdjson_parser::check_container(size_t start, size_t depth, const uint8_t *&last) {
  if (depth > maximum_depth) return csimdjson_too_deep;
  const uint64_t *tape = dom.doc.tape.get();
  const uint8_t *strings = dom.doc.string_buf.get();
  const bool has_keys = type_at(tape, start) == '{';
  const size_t end = uint32_t(tape[start]) - 1;
  // One bit for each head so far: a key whose bit is free equals no other.
  uint64_t heads[4] = {};
  bool may_repeat = false;
  for (size_t index = start + 1; index < end; index = after(tape, index)) {
    if (has_keys) {
      const uint64_t head = key_at(last = strings + (tape[index++] & payload_mask)).head;
      const uint64_t hash = head * 0x9E3779B97F4A7C15 >> 56;
      const uint64_t bit = uint64_t{1} << (hash & 63);
      may_repeat |= (heads[hash >> 6] & bit) != 0;
      heads[hash >> 6] |= bit;
    }
    const char type = type_at(tape, index);
    if (type == '"') {
      last = strings + (tape[index] & payload_mask);
    } else if (type == '{' || type == '[') {
      if (csimdjson_status status = check_container(index, depth + 1, last)) return status;
    }
  }
  return may_repeat ? check_keys(start) : csimdjson_ok;
}

// In sorted order, equal keys are neighbours. It sorts and does not hash, so no chosen keys can make it slow.
csimdjson_status csimdjson_parser::check_keys(size_t object) {
  const uint64_t *tape = dom.doc.tape.get();
  const uint8_t *strings = dom.doc.string_buf.get();
  const size_t end = uint32_t(tape[object]) - 1;
  size_t count = 0;
  for (size_t index = object + 1; index < end; index = after(tape, index + 1)) count++;
  if (count > keys_capacity) {
    keys_capacity = 0;
    if (!grow(keys, 2 * count)) return csimdjson_out_of_memory;
    keys_capacity = 2 * count;
  }
  key *slot = keys.get();
  for (size_t index = object + 1; index < end; index = after(tape, index + 1)) {
    *slot++ = key_at(strings + (tape[index] & payload_mask));
  }
  std::sort(keys.get(), slot, before);
  return std::adjacent_find(keys.get(), slot, same) == slot ? csimdjson_ok : csimdjson_duplicate_key;
}

static csimdjson_status status_of(simdjson::error_code error) {
  switch (error) {
  case simdjson::SUCCESS: return csimdjson_ok;
  case simdjson::MEMALLOC: return csimdjson_out_of_memory;
  case simdjson::CAPACITY: return csimdjson_too_long;
  case simdjson::DEPTH_ERROR: return csimdjson_too_deep;
  case simdjson::EMPTY: return csimdjson_empty;
  case simdjson::UTF8_ERROR: return csimdjson_not_utf8;
  case simdjson::STRING_ERROR: case simdjson::UNESCAPED_CHARS: case simdjson::UNCLOSED_STRING:
    return csimdjson_bad_string;
  case simdjson::NUMBER_ERROR: case simdjson::NUMBER_OUT_OF_RANGE: return csimdjson_bad_number;
  default: return csimdjson_syntax;
  }
}

csimdjson_parser *csimdjson_create(size_t maximum_length, size_t maximum_depth) {
  return new (std::nothrow) csimdjson_parser(maximum_length, maximum_depth);
}

void csimdjson_destroy(csimdjson_parser *parser) { delete parser; }

csimdjson_status csimdjson_parse(csimdjson_parser *parser, const uint8_t *bytes, size_t length,
                                 csimdjson_document *document) {
  *document = {};
  if (length == 0) return csimdjson_empty;
  if (length > parser->maximum_length) return csimdjson_too_long;
  if (csimdjson_status status = parser->reserve(length)) return status;
  uint8_t *scratch = parser->scratch.get();
  std::memcpy(scratch, bytes, length);
  std::memset(scratch + length, ' ', simdjson::SIMDJSON_PADDING);
  const simdjson::error_code error = parser->dom.parse(scratch, length, false).error();
  return error ? status_of(error) : parser->check(*document);
}

const char *csimdjson_version(void) {
  static const std::string version = std::to_string(simdjson::SIMDJSON_VERSION_MAJOR) + "." +
                                     std::to_string(simdjson::SIMDJSON_VERSION_MINOR) + "." +
                                     std::to_string(simdjson::SIMDJSON_VERSION_REVISION);
  return version.c_str();
}

const char *csimdjson_implementation(void) {
  static const std::string name = simdjson::get_active_implementation()->name();
  return name.c_str();
}
