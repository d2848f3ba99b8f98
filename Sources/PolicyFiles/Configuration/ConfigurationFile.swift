/// One file of the configuration, read.
package struct ConfigurationFile: Sendable {
  /// The use of a file, by its place below the root.
  package enum Kind: Sendable {
    /// `webviewguard.yaml`
    case settings
    /// `policy.d/*.yaml`
    case policy
    /// `rules/**/*.yaml`
    case rules

    /// Maximum bytes of such a file: some thousand times as many as a person writes.
    package var limit: Int {
      switch self {
      case .settings: 64 << 10
      case .policy: 1 << 20
      case .rules: YAMLReader.maximumFileSize
      }
    }
  }

  /// The one file that holds the daemon's own settings.
  static let settingsName = "webviewguard.yaml"

  let kind: Kind
  /// The name below its root: `rules/common/sign-in.yaml`.
  let name: String
  /// The name as the user would write it: root and name.
  let path: String
  let bytes: [UInt8]

  /// Every line is empty or a comment, and one is a comment. A rule file says at least its default.
  private var holdsOnlyComments: Bool {
    let lines = bytes.split(separator: UInt8(ascii: "\n")).map { line in
      line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") }
    }
    let said = lines.filter { !$0.isEmpty }
    return !said.isEmpty && said.allSatisfy { $0.first == UInt8(ascii: "#") }
  }

  /// The root value of the file, and whether it is the whole file; nil when nothing could be read.
  ///
  /// Another file may refer to names in the unread rest.
  func root(into diagnostics: inout Diagnostics) -> (node: YAMLNode, isWhole: Bool)? {
    var own = Diagnostics()
    // A file of comments states nothing; it was not cut off.
    if kind != .rules, holdsOnlyComments {
      return YAMLReader.read(Array("{}".utf8).span, file: path, into: &own).map { ($0, true) }
    }
    let node = YAMLReader.read(bytes.span, file: path, limit: kind.limit, into: &own)
    diagnostics.merge(own)
    return node.map { ($0, !own.hasErrors) }
  }
}
