internal import Digests
package import URLRules

/// Reads list files of any size, in memory for some pieces of them.
///
///     var hosts = HostListsBuilder()
///     ListReader(files: SystemFiles()).readHosts(place, .domains, into: &hosts, &diagnostics)   // its counts, or nil
///
/// After nil nothing of the list may be used, though some of its entries have been handed over.
package struct ListReader {
  let files: any FileSource
  private let checks: ListChecks

  package init(files: any FileSource, checks: ListChecks = ListChecks()) {
    self.files = files
    self.checks = checks
  }

  /// Reads a list of the format `domains` or `hosts` as the next list of `hosts`.
  ///
  /// Entries come in the form of the URL parser, repeated ones as often as they stand there.
  package func readHosts<Hosts: ListedHosts & ~Copyable>(
    _ place: ListPlace, _ format: ListFormat, into hosts: inout Hosts, _ diagnostics: inout Diagnostics
  ) -> ListFile? {
    _ = hosts.beginList()
    let file = ListFile(name: place.name, path: place.path, format: format)
    var lines = HostListLines(file, checks)
    var own = Diagnostics()
    let facts = read(
      place, into: &own, { line, number in lines.read(line, number, into: &hosts) }, refusal: { lines.refusal })
    var result = lines.finish(into: &own)
    return finish(&result, facts, own, &diagnostics)
  }

  /// Reads a list of URL filters: hands the text of each, with its line, to `take`, which returns its problem.
  package func readFilters(
    _ place: ListPlace, _ take: (String, Int) -> ListLineProblem?, _ diagnostics: inout Diagnostics
  ) -> ListFile? {
    var lines = FilterListLines(ListFile(name: place.name, path: place.path, format: .urlFilters))
    var own = Diagnostics()
    let facts = read(
      place, into: &own, { line, number in lines.read(line, number, take) }, refusal: { lines.refusal })
    var result = lines.finish(into: &own)
    return finish(&result, facts, own, &diagnostics)
  }

  /// Facts about a file once it is read.
  struct Facts {
    var file: FileFacts
    var hash: [UInt8]
    var lines: Int
    var unpackedBytes: Int
  }

  /// Hands every line to `line`; nil when the file could not be read to its end, which has then been reported.
  @inline(__always)
  func read(
    _ place: ListPlace, into diagnostics: inout Diagnostics, _ line: (Span<UInt8>, Int) -> Void,
    refusal: () -> String?
  ) -> Facts? {
    var text = ListText()
    var hash = SHA256()
    let limit = ListLimits.maximumBytes
    do throws(FileProblem) {
      let facts = try files.stream(place.path, below: place.root, limit: limit) { piece in
        hash.update(piece)
        return text.take(piece, line, refusal: refusal)
      }
      text.finish(line, refusal: refusal)
      if let problem = text.problem {
        diagnostics.add(problem, in: place, line: text.lineCount + 1)
        return nil
      }
      return Facts(
        file: facts, hash: hash.digest.bytes, lines: text.lineCount, unpackedBytes: text.length)
    } catch {
      diagnostics.add(error, reading: place.path, limit: limit)
      return nil
    }
  }

  private func finish(
    _ list: inout ListFile, _ facts: Facts?, _ own: Diagnostics, _ diagnostics: inout Diagnostics
  ) -> ListFile? {
    var own = own
    if let facts {
      list.lines = facts.lines
      list.storedBytes = facts.file.size
      list.unpackedBytes = facts.unpackedBytes
      list.modified = facts.file.modified
      list.hash = facts.hash
      if list.entries == 0, list.badLines == 0 { own.reportEmpty(list) }
    }
    diagnostics.merge(own)
    return own.hasErrors ? nil : list
  }
}

extension Diagnostics {
  fileprivate mutating func reportEmpty(_ list: ListFile) {
    let what = list.selfEntries > 0 ? "the list names nothing but this machine" : "the list has no entries"
    error(
      .emptyList, at: SourceLocation(file: list.path), what,
      hint: "was it downloaded whole? a rule that is not needed is better removed")
  }

  /// Reports why the text was not read to its end; `line` is the line it came to.
  fileprivate mutating func add(_ problem: ListTextProblem, in place: ListPlace, line: Int) {
    let here = SourceLocation(file: place.path, line: line)
    let start = SourceLocation(file: place.path)
    switch problem {
    case .gzip(let problem, let byte):
      error(.badGzip, at: here, "\(problem.words) at byte \(byte.grouped) of the file", hint: problem.hint)
    case .tooLarge:
      error(
        .listTooLarge, at: here, "the text has more than the \(ListLimits.maximumBytes.grouped) bytes allowed")
    case .utf16: error(.utf16, at: start, "file is encoded in UTF-16", hint: "save the file as UTF-8")
    case .packed(let program):
      error(
        .wrongPacking, at: start, "the file is packed with \(program)",
        hint: "unpack it, or pack it with gzip, once")
    case .refused(let reason): error(.listTooLarge, at: here, "\(reason); the rest is not read")
    }
  }
}

extension GzipProblem {
  fileprivate var words: String {
    switch self {
    case .damaged: "the gzip data are damaged"
    case .truncated: "the gzip data break off"
    case .trailingBytes: "something stands behind the gzip data"
    case .noMemory: "there is not enough memory to unpack the file"
    }
  }

  fileprivate var hint: String? {
    switch self {
    case .damaged, .truncated: "fetch the file again; `gzip --test` checks it"
    case .trailingBytes: "pack the file again"
    case .noMemory: nil
    }
  }
}

/// Reads the lines of a list of URL filters. The caller knows the syntax of a filter.
struct FilterListLines {
  private(set) var file: ListFile
  private var bad: BadListLines

  init(_ file: ListFile) {
    self.file = file
    bad = BadListLines(file: file.path)
  }

  /// Hands the text of one line to `take`, if it has any.
  mutating func read(_ line: Span<UInt8>, _ number: Int, _ take: (String, Int) -> ListLineProblem?) {
    guard let range = ListLine.content(of: line, .urlFilters) else { return }
    guard line.count <= ListLimits.maximumLineLength else { return bad.add(line, number, ListLine.tooLong) }
    if let problem = ListLine.byteProblem(in: line, range) { return bad.add(line, number, problem) }
    guard var problem = take(line.extracting(range).text, number) else {
      file.entries += 1
      return
    }
    problem.offset += range.lowerBound
    bad.add(line, number, problem)
  }

  /// The reason to stop reading; nil to read on.
  var refusal: String? { ListLimits.refusal(entries: file.entries, badLines: bad.count) }

  /// Reports the problems, and returns the list with its counts.
  mutating func finish(into diagnostics: inout Diagnostics) -> ListFile {
    file.badLines = bad.count
    bad.report(goodLines: file.entries, into: &diagnostics)
    return file
  }
}

/// Takes the hosts of one list, and keeps only the place of the longest name that holds the sought host; the first of
/// equal ones.
package struct SoughtHost: ListedHosts {
  private let host: [UInt8]
  /// Line of the entry that is read; set before the entry.
  var line = 0
  private var best = -1
  package private(set) var found: (entry: String, line: Int)?

  package init(_ host: String) { self.host = Array(host.utf8) }

  package mutating func beginList() -> HostListNumber { HostListNumber(0) }

  package mutating func add(_ name: Span<UInt8>) -> Bool {
    guard name.count > best, name.count <= host.count, holds(name) else { return true }
    best = name.count
    found = (name.text, line)
    return true
  }

  /// Whether the name is the host, or above it.
  private func holds(_ name: Span<UInt8>) -> Bool {
    let start = host.count - name.count
    guard start == 0 || host[start - 1] == UInt8(ascii: ".") else { return false }
    for index in name.indices where name[index] != host[start + index] { return false }
    return true
  }
}

extension ListReader {
  /// Reads a list of hosts that was read before, for the place of an entry.
  package func readAgain(_ place: ListPlace, _ format: ListFormat, into sought: inout SoughtHost) {
    var lines = HostListLines(ListFile(name: place.name, path: place.path, format: format), ListChecks())
    var ignored = Diagnostics()
    _ = read(
      place, into: &ignored,
      { line, number in
        sought.line = number
        lines.read(line, number, into: &sought)
      }, refusal: { lines.refusal })
  }
}
