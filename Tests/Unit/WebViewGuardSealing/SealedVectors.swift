import Digests
import Foundation
import JSONText
import TestSupport
import WebViewGuardSealing

/// The vectors that all clients share: clients/vectors/sealed.json.
struct SealedVectors: Sendable {
  private let tree: JSONTree
  private let keys: [String: JSONTree]
  /// The sealed ones by name, as this implementation makes them.
  private(set) var made: [String: [UInt8]] = [:]

  init() async throws {
    let file = URL(filePath: Repository.root).appending(path: "clients/vectors/sealed.json")
    tree = try JSONTree(parsing: Array(try Data(contentsOf: file)).span, maximumLength: 1 << 24)
    keys = Dictionary(
      uniqueKeysWithValues: (tree["keys"]?.array ?? []).map { ($0["object"]?.string ?? "", $0) })
    for row in rows("sealed") { made[try row.text("name")] = try await seal(row) }
  }

  func rows(_ name: String) -> [JSONTree] { tree[name]?.array ?? [] }

  /// Answers as the daemon would; there is no key for an object that is not in the file.
  var sealing: Sealing {
    let keys = keys
    return Sealing { request in
      guard let row = keys[request.objectID], let key = row["key"]?.string, let id = row["keyId"]?.string,
        let account = row["accountId"]?.string
      else { return nil }
      return ObjectKey(key: key, keyID: id, accountID: account)
    }
  }

  /// The envelope of a row, written in steps of so many bytes.
  func seal(_ row: JSONTree, step: Int = .max) async throws -> [UInt8] {
    try await sealing.sealed(
      try plain(row), "work@contoso.com", object: try bytes(row.text("object")),
      exponent: UInt8(row["exponent"]?.int ?? 0), step: step)
  }

  func plain(_ row: JSONTree) throws -> [UInt8] {
    guard let plain = row["plain"] else { throw TestFailure("no plain data") }
    let (seed, length) = (Array(try plain.text("seed").utf8), Int(plain["length"]?.int ?? 0))
    var data: [UInt8] = []
    var block: UInt64 = 0
    while data.count < length {
      let number = (0..<8).map { UInt8(truncatingIfNeeded: block >> UInt64(56 - 8 * $0)) }
      data += SHA256.digest(of: (seed + number).span).bytes
      block += 1
    }
    return Array(data.prefix(length))
  }

  /// The pieces of a damaged row, joined and changed.
  func damaged(_ row: JSONTree) throws -> [UInt8] {
    var data: [UInt8] = []
    for piece in row["pieces"]?.array ?? [] {
      if let digits = piece.string {
        data += try bytes(digits)
      } else {
        let whole = made[try piece.text("of")] ?? []
        data += whole[Int(piece["from"]?.int ?? 0)..<Int(piece["to"]?.int ?? 0)]
      }
    }
    for change in row["xor"]?.array ?? [] {
      data[Int(change.array?[0].int ?? 0)] ^= UInt8(change.array?[1].int ?? 0)
    }
    return data
  }

  func bytes(_ digits: String) throws -> [UInt8] {
    let digits = Array(digits.utf8)
    return stride(from: 0, to: digits.count, by: 2).map {
      UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16) ?? 0
    }
  }
}

extension JSONTree {
  func text(_ name: String) throws -> String {
    guard let text = self[name]?.string else { throw TestFailure("no text `\(name)` in \(self)") }
    return text
  }
}

/// The ways to read an envelope, and what came of one.
enum Reading: CaseIterable {
  case unprotect, stream, file

  /// The data, or the error's number and reason: `103 damaged`.
  func result(of data: [UInt8], _ sealing: Sealing) async -> Result {
    do {
      switch self {
      case .unprotect: return .data(try await sealing.unprotect(data))
      case .stream:
        var found: [UInt8] = []
        let file = try MemoryFile(data)
        try await sealing.stream(descriptor: file.descriptor) { piece in piece.withUnsafeBufferPointer { found += $0 } }
        return .data(found)
      case .file:
        let file = try MemoryFile(data)
        let reader = try await sealing.reader(descriptor: file.descriptor)
        var found: [UInt8] = []
        try reader.readAll { piece in piece.withUnsafeBufferPointer { found += $0 } }
        return .data(found)
      }
    } catch {
      return .error(Self.text(error))
    }
  }

  enum Result: Equatable {
    case data([UInt8])
    case error(String)
  }

  static func text(_ error: any Error) -> String {
    guard let error = error as? SealingError else { return "\(error)" }
    return "\(error.code.rawValue) \(error.reason?.rawValue ?? "")"
  }
}

/// A file without a name.
final class MemoryFile {
  let descriptor: Int32

  init(_ bytes: [UInt8]) throws {
    var template = Array((NSTemporaryDirectory() + "/wvg-sealed-XXXXXX").utf8CString)
    descriptor = mkstemp(&template)
    unlink(template)
    guard descriptor >= 0, write(descriptor, bytes, bytes.count) == bytes.count,
      lseek(descriptor, 0, SEEK_SET) == 0
    else { throw TestFailure("no temporary file") }
  }

  deinit { close(descriptor) }
}
