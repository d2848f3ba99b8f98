internal import GuardModel
internal import JSONText
internal import Platform
package import PolicyEngine

/// Facts about the machine from other programs: JSON files of root, in the form that custom compliance scripts for
/// Intune print, with an end.
///
///     { "validUntil": "2026-11-30T00:00:00Z", "DiskEncrypted": true, "AntivirusVersion": "1.4.2" }
///
/// The attack: a user who may write such a file, or replace it, can say anything about the machine. Therefore
/// every directory on the way has to be root's, or the daemon's own user's, as with a policy.
package struct PostureFiles: Sendable {
  private let directory: String
  /// Maximum bytes of a file; a script prints a few lines.
  static let longest = 65_536
  static let mostFiles = 64
  static let mostFacts = 256
  /// Everyday corrections of a clock are smaller than this; a file from further in the future comes from a wrong clock.
  static let clockTolerance: UInt64 = 300_000

  package init(directory: String) { self.directory = directory }

  /// The facts of the files, and their problems.
  package struct Reading: Sendable, Hashable {
    package var facts: [String: Fact] = [:]
    /// One line each, for people.
    package var problems: [String] = []

    package init() {}
  }

  /// The word of one file about a fact.
  private struct Word {
    var value: FactValue
    var until: UInt64
    var path: String
  }

  private typealias Words = [String: [Word]]

  /// Reads all files. It blocks: not for the event loop.
  ///
  /// - Parameter time: now, in milliseconds since 1970.
  package func read(at time: UInt64) -> Reading {
    var reading = Reading()
    guard FileStatus(entry: directory) != nil else { return reading }
    let check = PlaceCheck()
    let ways = check.parentFindings(of: directory) + [check.finding(at: directory, .directory)].compactMap(\.self)
    guard ways.isEmpty else {
      reading.problems = ways.map(\.description)
      return reading
    }
    let names: [String]
    do throws(SystemError) { names = try Directory.names(in: directory).filter(Self.isFact).sorted() } catch {
      reading.problems = [error.description]
      return reading
    }
    if names.count > Self.mostFiles {
      reading.problems.append("`\(directory)` has more than \(Self.mostFiles) files; the others are not read")
    }
    var words: Words = [:]
    for name in names.prefix(Self.mostFiles) {
      if let problem = read(directory + "/" + name, check, at: time, into: &words) { reading.problems += problem }
    }
    settle(words, at: time, into: &reading)
    return reading
  }

  private static func isFact(_ name: String) -> Bool { name.hasSuffix(".json") && !name.hasPrefix(".") }

  /// Adds the words of one file; returns its problem, if it has one.
  private func read(_ path: String, _ check: PlaceCheck, at time: UInt64, into words: inout Words) -> [String]? {
    guard FileStatus(entry: path)?.kind == .regular else { return ["`\(path)` is no regular file"] }
    guard let file = try? OpenFile.reading(path, followsLink: false) else { return ["`\(path)` cannot be read"] }
    // The open file is judged, since another one may lie in its place by now.
    guard let status = file.status, status.kind == .regular else { return ["`\(path)` is no regular file"] }
    if let finding = check.finding(at: path, status) { return [finding.description] }
    guard let bytes = Self.bytes(of: file) else { return ["`\(path)` cannot be read"] }
    guard bytes.count <= Self.longest else { return ["`\(path)` is longer than \(Self.longest) bytes"] }
    guard let tree = try? JSONTree(parsing: bytes.span), case .object(let members) = tree else {
      return ["`\(path)` is no JSON object"]
    }
    guard case .string(let text)? = tree["validUntil"], let until = RFC3339.milliseconds(text) else {
      return ["`\(path)` does not say until when it holds: write `validUntil` as in RFC 3339"]
    }
    if let fault = Self.fault(until, status, at: time) { return ["`\(path)` \(fault)"] }
    return take(members, until: until, path, into: &words)
  }

  /// The problem with the times of a file; nil when they can be believed.
  private static func fault(_ until: UInt64, _ status: FileStatus, at time: UInt64) -> String? {
    let modified = UInt64(max(0, status.modified / 1_000_000))
    guard modified <= time + clockTolerance else { return "was changed in the future" }
    // A word from long ago for a later time is no newer when that time comes near.
    guard until <= min(modified, time) + Fact.longestWord else { return "wants to hold for more than seven days" }
    return nil
  }

  /// One byte more than is allowed, so that a longer file shows.
  private static func bytes(of file: borrowing OpenFile) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while bytes.count <= Self.longest {
      guard let count = try? file.read(into: &buffer) else { return nil }
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
    return bytes
  }

  private func take(
    _ members: [JSONTree.Member], until: UInt64, _ path: String, into words: inout Words
  ) -> [String] {
    var problems: [String] = []
    for member in members where member.key != "validUntil" {
      let name = LaunchCondition.isFactName(member.key) ? "`\(member.key)`" : "a fact"
      guard LaunchCondition.isFactName(member.key) else {
        problems.append("`\(path)` states \(name) whose name no condition can ask for")
        continue
      }
      guard OwnFact(rawValue: member.key) == nil else {
        problems.append("`\(path)` states \(name), which the daemon finds out itself")
        continue
      }
      guard let value = FactValue(member.value) else {
        problems.append("`\(path)` states \(name), which is no text, number or truth value")
        continue
      }
      guard words[member.key] != nil || words.count < Self.mostFacts else {
        problems.append("`\(directory)` states more than \(Self.mostFacts) facts")
        break
      }
      words[member.key, default: []].append(Word(value: value, until: until, path: path))
    }
    return problems
  }

  /// Makes facts of the words. Expired words count only where there are no others. Where several words hold, each
  /// of them counts: no file can hide the bad word of another.
  private func settle(_ words: Words, at time: UInt64, into reading: inout Reading) {
    for (name, all) in words.sorted(by: { $0.key < $1.key }) {
      let valid = all.filter { $0.until > time }
      guard let first = valid.first ?? all.max(by: { $0.until < $1.until }) else { continue }
      var fact = Fact(first.value, until: first.until)
      for word in valid.dropFirst() where word.value != fact.value && !fact.others.contains(word.value) {
        fact.others.append(word.value)
        reading.problems.append("`\(word.path)` contradicts `\(first.path)` about `\(name)`")
      }
      let ends = valid.map(\.until)
      // When one of two different words expires, the other counts alone.
      if let end = fact.others.isEmpty ? ends.max() : ends.min() { fact.until = end }
      reading.facts[name] = fact
    }
  }
}

extension FactValue {
  /// Nil for null, lists and objects, and for texts longer than a fact.
  fileprivate init?(_ tree: JSONTree) {
    switch tree {
    case .bool(let truth): self = .truth(truth)
    case .int(let number): self = .number(Double(number))
    case .uint(let number): self = .number(Double(number))
    case .double(let number): self = .number(number)
    case .string(let text) where text.utf8.count <= 256: self = .text(text)
    case .string, .null, .array, .object: return nil
    }
  }
}
