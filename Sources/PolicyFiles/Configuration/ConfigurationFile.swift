/// One file of the configuration, read.
package struct ConfigurationFile: Sendable {
  /// What a file is for, by its place below the root.
  package enum Kind: Sendable {
    /// `webviewguard.yaml`
    case settings
    /// `policy.d/*.yaml`
    case policy
    /// `rules/**/*.yaml`
    case rules

    /// Most bytes of such a file: some thousand times what a person writes.
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

  /// The root value of the file, and whether it is all that the file says; nil when nothing could be read.
  ///
  /// What stands in the unread rest may be what another file refers to.
  func root(into diagnostics: inout Diagnostics) -> (node: YAMLNode, isWhole: Bool)? {
    var own = Diagnostics()
    // A file of comments says nothing, which is something else than a file that was cut off.
    if kind != .rules, holdsOnlyComments {
      return YAMLReader.read(Array("{}".utf8).span, file: path, into: &own).map { ($0, true) }
    }
    let node = YAMLReader.read(bytes.span, file: path, limit: kind.limit, into: &own)
    diagnostics.merge(own)
    return node.map { ($0, !own.hasErrors) }
  }
}
