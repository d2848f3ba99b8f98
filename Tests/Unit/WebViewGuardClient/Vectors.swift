import Foundation
import TestSupport
import WebViewGuardClient

/// The cases that the clients of all languages share: `clients/vectors`.
enum Vectors {
  static let root = URL(filePath: Repository.root)

  static func cases(_ name: String) throws -> [GuardValue] { try list(name, "cases") }

  /// A list of one of the files.
  static func list(_ name: String, _ member: String) throws -> [GuardValue] {
    guard let cases = try value(name)[member]?.array else { throw TestFailure("`\(name)` has no list `\(member)`") }
    return cases
  }

  /// An object of one of the files.
  static func object(_ name: String, _ member: String) throws -> [String: GuardValue] {
    guard let members = try value(name)[member]?.object else {
      throw TestFailure("`\(name)` has no object `\(member)`")
    }
    return members
  }

  private static func value(_ name: String) throws -> GuardValue {
    let file = root.appending(path: "clients/vectors/\(name).json")
    guard let value = ValueReader.read(Array(try Data(contentsOf: file))[...]) else {
      throw TestFailure("`\(file.path)` cannot be read")
    }
    return value
  }
}
