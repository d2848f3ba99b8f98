private import CICU

/// Versions of the ICU that reads international names here.
package enum UnicodeLibrary {
  /// ICU's version, such as `72.1`.
  package static var version: String { versions.library }
  /// The version of Unicode that it knows, such as `15.0`.
  package static var unicodeVersion: String { versions.unicode }

  private static let versions: (library: String, unicode: String) = {
    var library = [CChar](repeating: 0, count: Int(CICU_VERSION_CAPACITY))
    var unicode = library
    cicu_versions(&library, &unicode)
    return (text(library), text(unicode))
  }()

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
