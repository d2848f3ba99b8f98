internal import Glibc
internal import JSONText
internal import Platform
internal import PolicyFiles
internal import PolicyTools

/// The strength of the browser extension against the user of the browser.
extension Doctor {
  var browserFindings: [Finding] { BrowserCheck(root: "").findings }
}

/// Looks where browsers look for host manifests and policies.
///
/// A manifest in a user's profile goes before the system's, and its program may answer anything. Chromium and its kin
/// look there unless `NativeMessagingUserLevelHosts` is false ("Enterprise policy list: Native messaging"). Firefox has
/// no such policy.
///
///     BrowserCheck(root: "").findings.filter { $0.level != .ok }
package struct BrowserCheck {
  /// The prefix of `/etc` and `/usr`: empty except in tests.
  private let root: String

  package init(root: String) { self.root = root }

  private static let host = "org.webviewguard.host"
  private static let area = "browsers"
  private static let limit = 1 << 20
  /// Chromium, Chrome and Edge, as the package has files for them.
  private static let places = [("Chromium", "/etc/chromium"), ("Chrome", "/etc/opt/chrome"), ("Edge", "/etc/opt/edge")]
  private static let firefoxManifest = "/usr/lib/mozilla/native-messaging-hosts/\(host).json"
  private static let firefoxPolicies = [
    "/etc/firefox/policies/policies.json", "/etc/firefox-esr/policies/policies.json",
  ]

  var findings: [Finding] {
    let found = Self.places.flatMap { name, place in chromiumFindings(name, place) } + firefoxFindings
    let isThere = Self.places.contains { access(root + Self.manifest($0.1), F_OK) == 0 }
    guard found.isEmpty, isThere else { return found }
    return [.ok(Self.area, "only root can say which native host the extension talks to")]
  }

  private static func manifest(_ place: String) -> String { "\(place)/native-messaging-hosts/\(host).json" }

  /// The levels and words, for tests.
  package var told: [String] { findings.map { "\($0.level.rawValue): \($0.text)" } }

  private func chromiumFindings(_ name: String, _ place: String) -> [Finding] {
    let manifest = Self.manifest(place)
    guard access(root + manifest, F_OK) == 0 else { return [] }
    let directory = "\(place)/policies/managed"
    let policies = files(in: directory)
    var found = [programFinding(name, manifest), userLevelFinding(name, directory, policies)]
    found.append(listFinding(name, directory, policies))
    found += policies.filter { $0.tree == nil }.map { file in
      .warning(
        Self.area, "\(name) may not be able to read its policy `\(file.path)`", "correct it: it must be one JSON object"
      )
    }
    return found.compactMap(\.self)
  }

  private func userLevelFinding(_ name: String, _ directory: String, _ policies: [PolicyFile]) -> Finding? {
    let said = policies.compactMap { $0.tree?["NativeMessagingUserLevelHosts"]?.bool }
    guard said.isEmpty || said.contains(true) else { return nil }
    let why = said.contains(false) ? "one policy forbids it, and another allows it" : "no policy forbids it"
    return .problem(
      Self.area, "a user of \(name) can put a native host of his own before the system's: \(why)",
      "put `{\"NativeMessagingUserLevelHosts\": false}` into `\(directory)/webviewguard.json`, as the package does, and "
        + "nothing else about it into other files there")
  }

  private func listFinding(_ name: String, _ directory: String, _ policies: [PolicyFile]) -> Finding? {
    func names(_ policy: String) -> [String] {
      policies.flatMap { $0.tree?[policy]?.array?.compactMap(\.string) ?? [] }
    }
    let isBlocked = names("NativeMessagingBlocklist").contains { $0 == "*" || $0 == Self.host }
    guard isBlocked, !names("NativeMessagingAllowlist").contains(Self.host) else { return nil }
    return .problem(
      Self.area, "\(name) may not start the native host: `NativeMessagingBlocklist` in `\(directory)` names it",
      "name `\(Self.host)` in `NativeMessagingAllowlist`")
  }

  /// The manifest and the program that it names are root's alone.
  private func programFinding(_ name: String, _ manifest: String) -> Finding? {
    guard let program = PolicyFile(root, manifest, Self.limit).tree?["path"]?.string else {
      return .problem(Self.area, "\(name) cannot read `\(manifest)`", "install the package again")
    }
    for path in [manifest, program] {
      guard let status = FileStatus(root + path) else {
        return .problem(
          Self.area, "there is no `\(path)`, which \(name) starts for the extension", "install the package again")
      }
      guard status.isOnly(of: 0) else {
        return .problem(
          Self.area, "others than root can write `\(path)`, which \(name) goes by",
          "run `chown root:root \(path); chmod go-w \(path)`")
      }
    }
    return nil
  }

  private var firefoxFindings: [Finding] {
    guard access(root + Self.firefoxManifest, F_OK) == 0 else { return [] }
    let isInstalled = Self.firefoxPolicies.contains { path in
      PolicyFile(root, path, Self.limit).tree?["policies"]?["ExtensionSettings"]?["guard@webviewguard.org"] != nil
    }
    guard isInstalled else { return [programFinding("Firefox", Self.firefoxManifest)].compactMap(\.self) }
    return [
      .warning(
        Self.area,
        "a user of Firefox can put a native host of his own before the system's: Firefox has no policy for it",
        "export the rules as Firefox's own `WebsiteFilter`, which no host changes, or use Chromium; see the extension's "
          + "README")
    ]
  }

  private func files(in directory: String) -> [PolicyFile] {
    // Chromium reads every file but hidden ones.
    let names = ((try? Directory.names(in: root + directory)) ?? []).filter { !$0.hasPrefix(".") }
    return names.sorted().map { PolicyFile(root, "\(directory)/\($0)", Self.limit) }
  }

  /// One file of JSON.
  private struct PolicyFile {
    let path: String
    /// Nil when it cannot be read, or is no object.
    let tree: JSONTree?

    init(_ root: String, _ path: String, _ limit: Int) {
      self.path = path
      let text = try? FileBytes.read(root + path, limit: limit)
      let read = text.flatMap { try? JSONTree(parsing: $0.span, maximumLength: limit) }
      if case .object = read { tree = read } else { tree = nil }
    }
  }
}
