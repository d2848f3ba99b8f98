import Foundation
import TestSupport
import WebViewGuardClient

/// The cases that the clients of all languages share: `clients/vectors`.
enum Vectors {
  static let root = URL(filePath: Repository.root)

  static func cases(_ name: String) throws -> [GuardValue] { try list(name, "cases") }

  /// A list of one of the files.
  static func list(_ name: String, _ member: String) throws -> [GuardValue] {
    let file = root.appending(path: "clients/vectors/\(name).json")
    guard let value = ValueReader.read(Array(try Data(contentsOf: file))[...]), let cases = value[member]?.array else {
      throw TestFailure("`\(file.path)` cannot be read")
    }
    return cases
  }
}
