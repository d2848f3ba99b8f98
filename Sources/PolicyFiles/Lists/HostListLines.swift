package import URLRules

/// Reads the lines of a list of hosts, in the format `domains` or `hosts`, and counts their entries and problems.
struct HostListLines {
  private(set) var file: ListFile
  private(set) var bad: BadListLines
  private var goodLines = 0
  private var firstWildcard = 0
  /// Whether there was no room for an entry.
  private var isFull = false
  private var suffixes: [(name: String, line: Int)] = []
  private var tally: NameTally?
  private var name = ListedName()
  private let isPublicSuffix: ListChecks.SuffixTest?

  init(_ file: ListFile, _ checks: ListChecks) {
    self.file = file
    tally = checks.countsRepeats ? NameTally() : nil
    isPublicSuffix = checks.isPublicSuffix
    bad = BadListLines(file: file.path)
  }

  /// Reads one line. Most lines of most lists are plain names, and nothing is allocated for them.
  @inline(__always)
  mutating func read<Hosts: ListedHosts & ~Copyable>(_ line: Span<UInt8>, _ number: Int, into hosts: inout Hosts) {
    let hasReturn = line.count > 0 && line[line.count - 1] == .carriageReturn
    let end = line.count - (hasReturn ? 1 : 0)
    if end == 0 { return }
    if file.format == .domains {
      let text = line.extracting(0..<end)
      if PlainHost.isPlain(text) {
        goodLines += 1
        return add(text, number, into: &hosts)
      }
    } else if let range = HostsFileLine.plainName(in: line, before: end) {
      goodLines += 1
      let text = line.extracting(range)
      if HostsFileLine.isSelf(text) { file.selfEntries += 1 } else { add(text, number, into: &hosts) }
      return
    }
    readSlowly(line, number, into: &hosts)
  }

  @inline(never)
  private mutating func readSlowly<Hosts: ListedHosts & ~Copyable>(
    _ line: Span<UInt8>, _ number: Int, into hosts: inout Hosts
  ) {
    guard let range = ListLine.content(of: line, file.format) else { return }
    guard line.count <= ListLimits.maximumLineLength else { return bad.add(line, number, ListLine.tooLong) }
    if let problem = ListLine.byteProblem(in: line, range) { return bad.add(line, number, problem) }
    do throws(ListLineProblem) {
      if file.format == .domains {
        try readDomain(line, range, number, into: &hosts)
      } else {
        try readHosts(line, range, number, into: &hosts)
      }
      goodLines += 1
    } catch {
      bad.add(line, number, error)
    }
  }

  private mutating func readDomain<Hosts: ListedHosts & ~Copyable>(
    _ line: Span<UInt8>, _ range: Range<Int>, _ number: Int, into hosts: inout Hosts
  ) throws(ListLineProblem) {
    guard let word = ListLine.word(in: line, range) else { return }
    guard word.upperBound == range.upperBound else {
      guard !HostsFileLine.isAddress(line.extracting(word)) else {
        throw ListLineProblem(
          "a line of a hosts file in a list of domains", hint: "write `format: hosts`", at: word.lowerBound)
      }
      let second = ListLine.word(in: line, word.upperBound..<range.upperBound)
      throw ListLineProblem(
        "more than one word", hint: "write one host a line; a comment begins with `#`",
        at: second?.lowerBound ?? word.upperBound)
    }
    try take(line, word, number, into: &hosts)
  }

  /// The other names of a line are taken despite a bad one; the first bad one is told.
  private mutating func readHosts<Hosts: ListedHosts & ~Copyable>(
    _ line: Span<UInt8>, _ range: Range<Int>, _ number: Int, into hosts: inout Hosts
  ) throws(ListLineProblem) {
    guard let address = ListLine.word(in: line, range) else { return }
    guard HostsFileLine.isAddress(line.extracting(address)) else {
      throw ListLineProblem(
        "\(line.extracting(address).quoted) is no address, and lines of a hosts file begin with one",
        hint: "for a list of names alone write `format: domains`", at: address.lowerBound)
    }
    var rest = address.upperBound..<range.upperBound
    guard !rest.isEmpty else {
      throw ListLineProblem("no name stands behind the address", at: address.lowerBound)
    }
    var first: ListLineProblem?
    while let word = ListLine.word(in: line, rest) {
      do throws(ListLineProblem) {
        try take(line, word, number, into: &hosts)
      } catch {
        first = first ?? error
      }
      rest = word.upperBound..<range.upperBound
    }
    if let first { throw first }
  }

  private mutating func take<Hosts: ListedHosts & ~Copyable>(
    _ line: Span<UInt8>, _ word: Range<Int>, _ number: Int, into hosts: inout Hosts
  ) throws(ListLineProblem) {
    let text = line.extracting(word)
    if file.format == .hosts, HostsFileLine.isSelf(text) {
      file.selfEntries += 1
      return
    }
    do throws(ListLineProblem) {
      try name.read(text)
    } catch {
      throw ListLineProblem(error.message, hint: error.hint, at: word.lowerBound + error.offset)
    }
    if name.isWildcard || name.isAddress, file.format == .hosts {
      throw ListLineProblem("\(text.quoted) is no name that a hosts file can have", at: word.lowerBound)
    }
    if name.isWildcard {
      file.wildcards += 1
      if firstWildcard == 0 { firstWildcard = number }
    }
    let bytes = name.bytes
    add(bytes.span, number, isAddress: name.isAddress, into: &hosts)
  }

  @inline(__always)
  private mutating func add<Hosts: ListedHosts & ~Copyable>(
    _ host: Span<UInt8>, _ number: Int, isAddress: Bool = false, into hosts: inout Hosts
  ) {
    file.entries += 1
    if !hosts.add(host) { isFull = true }
    tally?.add(host)
    if let isPublicSuffix, !isAddress, host.hasFewLabels, isPublicSuffix(host) { noteSuffix(host, number) }
  }

  private mutating func noteSuffix(_ host: Span<UInt8>, _ line: Int) {
    file.publicSuffixes += 1
    if suffixes.count < ListLimits.maximumShownLines { suffixes.append((host.text, line)) }
  }
}

extension HostListLines {
  /// The reason to stop reading; nil to read on.
  var refusal: String? {
    isFull ? "all lists together have too many names" : ListLimits.refusal(entries: file.entries, badLines: bad.count)
  }

  /// Reports the problems, and returns the list with its counts.
  mutating func finish(into diagnostics: inout Diagnostics) -> ListFile {
    file.badLines = bad.count
    file.duplicates = tally?.duplicates
    file.covered = tally?.covered
    bad.report(goodLines: goodLines, into: &diagnostics)
    if file.wildcards > 0 {
      let lines = file.wildcards == 1 ? "1 entry begins" : "\(file.wildcards.grouped) entries begin"
      diagnostics.warning(
        .listWildcard, at: SourceLocation(file: file.path, line: firstWildcard),
        "\(lines) with `*.` or `.`, which takes the host itself as well",
        hint: "remove it if that is meant: an entry takes everything below it anyway")
    }
    reportSuffixes(into: &diagnostics)
    return file
  }

  private func reportSuffixes(into diagnostics: inout Diagnostics) {
    for suffix in suffixes {
      diagnostics.warning(
        .publicSuffix, at: SourceLocation(file: file.path, line: suffix.line),
        "\(suffix.name.quoted) is a public suffix, so the entry takes every site below it",
        hint: "name the sites, if these are not all meant")
    }
    let hidden = file.publicSuffixes - suffixes.count
    guard hidden > 0, let last = suffixes.last else { return }
    diagnostics.warning(
      .publicSuffix, at: SourceLocation(file: file.path, line: last.line + 1),
      "and \(hidden.grouped) more public \(hidden == 1 ? "suffix" : "suffixes")")
  }
}

extension Span<UInt8> {
  /// Whether a name has so few labels that it may be a public suffix.
  fileprivate var hasFewLabels: Bool {
    var dots = 0
    for index in indices where self[index] == UInt8(ascii: ".") { dots += 1 }
    return dots < ListLimits.maximumSuffixLabels
  }
}

/// Peculiarities of the lines of a hosts file (hosts(5)).
enum HostsFileLine {
  /// The name of a line in the usual shape, `0.0.0.0 name` or `127.0.0.1 name`, when nothing in it has to be changed;
  /// nil for every other line. The line ends at `end`.
  @inline(__always)
  static func plainName(in line: Span<UInt8>, before end: Int) -> Range<Int>? {
    var start = 0
    if line.starts(with: "0.0.0.0", before: end) { start = 7 }
    if line.starts(with: "127.0.0.1", before: end) { start = 9 }
    guard start > 0, start < end, line[start].isBlank else { return nil }
    while start < end, line[start].isBlank { start += 1 }
    guard start < end, PlainHost.isPlain(line.extracting(start..<end)) else { return nil }
    return start..<end
  }

  /// Whether the first word of a line is an address as hosts files have them: `0.0.0.0`, `::1`, `fe80::1%lo0`, `0`.
  static func isAddress(_ word: Span<UInt8>) -> Bool {
    guard word.count <= 64 else { return false }
    let text = word.text
    guard text.utf8.contains(UInt8(ascii: ":")) else {
      return text == "0" || HostName(text).map { $0.isAddress && $0.bytes.elementsEqual(text.utf8) } ?? false
    }
    return HostName("[\(text.prefix { $0 != "%" })]") != nil
  }

  /// Whether a name only names the machine itself, or a group of addresses: such entries stand in every hosts file.
  static func isSelf(_ name: Span<UInt8>) -> Bool {
    guard name.count <= longestSelfName else { return false }
    return selfNames.contains { $0.utf8CodeUnitCount == name.count && name.starts(with: $0, before: name.count) }
  }

  private static let longestSelfName = 23
  private static let selfNames: [StaticString] = [
    "localhost", "localhost.localdomain", "localhost4", "localhost4.localdomain4", "localhost6",
    "localhost6.localdomain6", "local", "broadcasthost", "0.0.0.0", "ip6-localhost", "ip6-loopback", "ip6-localnet",
    "ip6-mcastprefix", "ip6-allnodes", "ip6-allrouters", "ip6-allhosts",
  ]
}

extension Span<UInt8> {
  /// Whether the first `end` bytes begin with `literal`, apart from the case of ASCII letters in these bytes.
  @inline(__always)
  fileprivate func starts(with literal: StaticString, before end: Int) -> Bool {
    literal.withUTF8Buffer { literal in
      guard literal.count <= end else { return false }
      for index in literal.indices {
        let byte = self[index]
        let isUpper = byte &- UInt8(ascii: "A") < 26
        guard (isUpper ? byte | 0x20 : byte) == literal[index] else { return false }
      }
      return true
    }
  }
}

/// A collector for the hosts of lists, list by list.
///
/// Names come in the form of the URL parser: `xn--bcher-kva.example`, `10.0.0.1`, `[2001:db8::1]`.
package protocol ListedHosts: ~Copyable {
  /// Begins the next list; returns its number. The first is 0.
  mutating func beginList() -> HostListNumber
  /// Adds a host of the list that was begun last; it stands for everything below it as well. False when there is no room
  /// for it.
  mutating func add(_ host: Span<UInt8>) -> Bool
}

extension HostListsBuilder: ListedHosts {}
