// Ada's side of the parser benchmark: parses the lines of a file, from memory, once for each line on standard input.
//
//   parse_ada FILE   ->   "ready LINES", then for each round "NANOSECONDS-PER-LINE VALID-LINES"
//
// The same work as `measure parse`: every line becomes a normalised URL with its components' offsets, and the end of
// the host is read, so that nothing can be left out by the compiler. Processor time of this thread.
#include <cstdint>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "ada.h"

static uint64_t threadNanoseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return uint64_t(now.tv_sec) * 1'000'000'000 + uint64_t(now.tv_nsec);
}

static std::vector<std::string_view> linesOf(const std::string &text) {
  std::vector<std::string_view> lines;
  size_t start = 0;
  for (size_t end; (end = text.find('\n', start)) != std::string::npos; start = end + 1) {
    if (end > start) lines.emplace_back(text.data() + start, end - start);
  }
  if (start < text.size()) lines.emplace_back(text.data() + start, text.size() - start);
  return lines;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  if (!file) return 1;
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto lines = linesOf(text);
  std::cout << "ready " << lines.size() << std::endl;
  uint64_t hostEnds = 0;
  for (std::string command; std::getline(std::cin, command);) {
    uint64_t valid = 0;
    const uint64_t start = threadNanoseconds();
    for (const auto line : lines) {
      const auto url = ada::parse<ada::url_aggregator>(line);
      if (!url) continue;
      valid += 1;
      hostEnds += url->get_components().host_end;
    }
    const uint64_t time = threadNanoseconds() - start;
    std::cout << double(time) / double(lines.size()) << ' ' << valid << std::endl;
  }
  return hostEnds == 1 ? 3 : 0;
}
