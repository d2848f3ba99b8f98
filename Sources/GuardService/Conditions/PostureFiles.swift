internal import GuardModel
internal import JSONText
internal import Platform
internal import PolicyEngine

/// The facts about the machine that others find out: JSON files of root, in the form that custom compliance scripts for
/// Intune print, with an end.
///
///     { "validUntil": "2026-11-30T00:00:00Z", "DiskEncrypted": true, "AntivirusVersion": "1.4.2" }
///
/// The attack: a user who may write such a file, or put another one in its place, says what he likes of the machine. So
/// every directory on the way has to be root's, or the daemon's own user's, as with a policy.
struct PostureFiles: Sendable {
  let directory: String
  /// A script prints a few lines.
  static let longest = 65_536
  static let mostFiles = 64
  static let mostFacts = 256
  /// The longest time for which a word may hold (design, accounts, section 5).
  static let longestWord: UInt64 = 7 * 86_400_000

  /// What the files say, and what is wrong with them.
  struct Reading: Sendable, Hashable {
    var facts: [String: Fact] = [:]
    /// One line each, for people.
    var problems: [String] = []
  }

  /// Reads all files. It blocks: not for the event loop.
  ///
  /// - Parameter time: now, in milliseconds since 1970.
  func read(at time: UInt64) -> Reading {
    var reading = Reading()
    guard FileStatus(directory) != nil else { return reading }
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
    if names.count > Self.mostFiles { reading.problems.append("`\(directory)` has more than \(Self.mostFiles) files") }
    for name in names.prefix(Self.mostFiles) { read(name, check, at: time, into: &reading) }
    return reading
  }

  private static func isFact(_ name: String) -> Bool { name.hasSuffix(".json") && !name.hasPrefix(".") }

  private func read(_ name: String, _ check: PlaceCheck, at time: UInt64, into reading: inout Reading) {
    let path = directory + "/" + name
    if let fault = fault(of: path, check) { return reading.problems.append(fault) }
    guard let bytes = bytes(of: path) else { return reading.problems.append("`\(path)` cannot be read") }
    guard bytes.count <= Self.longest else {
      return reading.problems.append("`\(path)` is longer than \(Self.longest) bytes")
    }
    guard let tree = try? JSONTree(parsing: bytes.span), case .object(let members) = tree else {
      return reading.problems.append("`\(path)` is no JSON object")
    }
    guard case .string(let text)? = tree["validUntil"], let until = RFC3339.milliseconds(text) else {
      return reading.problems.append("`\(path)` does not say until when it holds: write `validUntil` as in RFC 3339")
    }
    guard until <= time + Self.longestWord else {
      return reading.problems.append("`\(path)` wants to hold for more than seven days")
    }
    take(members, until: until, path, into: &reading)
  }

  private func fault(of path: String, _ check: PlaceCheck) -> String? {
    guard let entry = FileStatus(entry: path) else { return "`\(path)` cannot be read" }
    guard entry.kind == .regular else { return "`\(path)` is no regular file" }
    return check.finding(at: path, .file)?.description
  }

  /// One byte more than is allowed, so that a longer file shows.
  private func bytes(of path: String) -> [UInt8]? {
    guard let file = try? OpenFile.reading(path, followsLink: false) else { return nil }
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
    _ members: [JSONTree.Member], until: UInt64, _ path: String, into reading: inout Reading
  ) {
    for member in members where member.key != "validUntil" {
      guard reading.facts.count < Self.mostFacts else {
        return reading.problems.append("`\(directory)` states more than \(Self.mostFacts) facts")
      }
      guard OwnFact(rawValue: member.key) == nil else {
        reading.problems.append("`\(path)` states `\(member.key)`, which the daemon finds out itself")
        continue
      }
      guard let value = FactValue(member.value) else {
        reading.problems.append("`\(path)` states `\(member.key.prefix(64))`, which is no text, number or truth value")
        continue
      }
      // Two files that speak of one fact: the one that ends sooner counts, since a word too many frees nobody.
      if let known = reading.facts[member.key], known.until ?? .max <= until, known.value != value {
        reading.problems.append("`\(path)` contradicts another file about `\(member.key)`")
        continue
      }
      reading.facts[member.key] = Fact(value, until: until)
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
