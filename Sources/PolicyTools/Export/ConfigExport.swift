internal import GuardModel
package import JSONText
internal import PolicyEngine
package import PolicyFiles

/// The place that a program which cannot ask reads its configuration from.
package enum ConfigExportFormat: String, Sendable, Hashable, CaseIterable {
  /// A managed policy of Chromium, Chrome or Edge: `/etc/chromium/policies/managed/NAME.json`.
  case chromiumStorage = "chromium-storage"
  /// A manifest of Firefox: `/usr/lib/mozilla/managed-storage/ID.json`.
  case firefoxStorage = "firefox-storage"
  /// A keyfile of dconf: `/etc/dconf/db/local.d/NAME`.
  case dconf
  /// The list that keeps users from changing those keys: `/etc/dconf/db/local.d/locks/NAME`.
  case dconfLocks = "dconf-locks"

  /// The reader is an extension of a browser, else GSettings.
  package var isForExtension: Bool { self == .chromiumStorage || self == .firefoxStorage }
}

/// The merged configuration of one account in one app as a file that another program reads.
///
/// Such a file holds one value for each key, for everybody on the machine and without a sign-in: it is for machines of one
/// account, or for an app's default.
package struct ConfigExport {
  /// The file, with a line end.
  package private(set) var document: [UInt8] = []
  package private(set) var notes: [Note] = []

  package struct Note: Sendable, Hashable {
    /// `file:line:column` of the entry whose value is exported, or left out.
    package let location: String
    package let code: Code
    package let message: String

    package enum Code: String, Sendable, Hashable {
      /// Several values count, and the file holds the first.
      case conflict
      /// The reader knows no key of such a name, so that the value is left out.
      case notExpressible = "not-expressible"
      /// Everybody who can read the file reads a value that no log may hold.
      case scrubbed

      /// The program reads something else than an app that asks.
      package var isGap: Bool { self != .scrubbed }
    }

    /// `policy.d/a.yaml:3:5: note: ... [conflict]`, as diagnostics look.
    package var line: String { "\(location): note: \(message.escapedForDisplay) [\(code.rawValue)]" }
  }

  /// - Parameters:
  ///   - names: the account's names in lower case; empty for an account that no entry targets.
  ///   - place: the id of an extension; for dconf the path: `/org/contoso/portal/`
  package init(
    _ policy: LoadedPolicy, app: String, names: [String], groups: Set<UInt32>, as format: ConfigExportFormat,
    at place: String, layout: JSONWriter.Layout = .compact
  ) {
    let directory = policy.appConfig
    let merged = directory.configuration(of: app, names: names, groups: groups)
    var values: [(key: String, value: AppConfigValue)] = []
    for key in merged.keys {
      guard let first = merged[key].layers.first else { continue }
      values.append((key, first.value))
      addNotes(key, merged[key], directory)
    }
    switch format {
    case .chromiumStorage, .firefoxStorage: writeStorage(values, for: format, of: place, layout)
    case .dconf, .dconfLocks: writeKeys(expressible(values, merged, directory), for: format, at: place)
    }
  }

  private mutating func addNotes(_ key: String, _ values: AppConfigValues, _ directory: AppConfigDirectory) {
    guard let first = values.layers.first else { return }
    let location = directory.location(of: first.entry)
    if values.hasConflict {
      let others = values.layers.dropFirst().filter { $0.value != first.value }.map(\.entry.quoted)
      notes.append(
        Note(
          location: location, code: .conflict,
          message: "\(key.quoted) has several values: exported is that of \(first.entry.quoted), and not those of "
            + others.joined(separator: ", ")))
    }
    if directory.scrubKeys.contains(key) {
      notes.append(
        Note(
          location: location, code: .scrubbed,
          message: "\(key.quoted) stands in `scrubKeys`, and in the exported file: everybody who can read that reads it"
        ))
    }
  }

  // MARK: Managed storage of browsers

  private mutating func writeStorage(
    _ values: [(key: String, value: AppConfigValue)], for format: ConfigExportFormat, of id: String,
    _ layout: JSONWriter.Layout
  ) {
    let members = JSONTree.object(values.map { JSONTree.Member($0.key, $0.value.json) })
    let tree: JSONTree =
      format == .chromiumStorage
      ? ["3rdparty": ["extensions": .object([JSONTree.Member(id, members)])]]
      : [
        "name": .string(id), "description": .string("configuration by webviewguard"), "type": .string("storage"),
        "data": members,
      ]
    document = Array(tree.text(layout: layout).utf8) + [UInt8(ascii: "\n")]
  }

  // MARK: dconf

  /// The values under the names that GSettings knows; those without one are noted.
  private mutating func expressible(
    _ values: [(key: String, value: AppConfigValue)], _ merged: AppConfiguration, _ directory: AppConfigDirectory
  ) -> [(key: String, value: AppConfigValue)] {
    var owners: [String: [String]] = [:]
    for (key, _) in values { if let name = SettingsKey.name(for: key) { owners[name, default: []].append(key) } }
    return values.compactMap { key, value in
      let name = SettingsKey.name(for: key)
      if let name, owners[name]?.count == 1 { return (name, value) }
      let others = (name.flatMap { owners[$0] } ?? []).filter { $0 != key }.map(\.quoted)
      let why =
        others.isEmpty
        ? "GSettings has no such names" : "it and \(others.joined(separator: ", ")) would be one key of GSettings"
      let entry = merged[key].layers.first.map { directory.location(of: $0.entry) } ?? ""
      notes.append(Note(location: entry, code: .notExpressible, message: "\(key.quoted) is left out: \(why)"))
      return nil
    }
  }

  private mutating func writeKeys(
    _ values: [(key: String, value: AppConfigValue)], for format: ConfigExportFormat, at path: String
  ) {
    var lines: [String]
    if format == .dconf {
      // A group is a path without its outer slashes.
      lines = ["[\(path.dropFirst().dropLast())]"] + values.map { "\($0.key)=\($0.value.variant)" }
    } else {
      lines = values.map { path + $0.key }
    }
    lines.append("")
    document = Array(lines.joined(separator: "\n").utf8)
  }
}

/// Names of keys in GSettings: lower-case letters, digits and single hyphens, a letter first
/// (GLib reference, GSettings).
package enum SettingsKey {
  /// The name for a key of app configuration; nil when there is none.
  ///
  ///     SettingsKey.name(for: "startPage")    // start-page
  ///     SettingsKey.name(for: "max_tabs.v2")  // max-tabs-v2
  ///     SettingsKey.name(for: "2nd")          // nil
  package static func name(for key: String) -> String? {
    var name = ""
    var wasLower = false
    for letter in key.unicodeScalars {
      switch letter {
      case "a"..."z", "0"..."9":
        name.unicodeScalars.append(letter)
        wasLower = true
      case "A"..."Z":
        if wasLower { name += "-" }
        name += String(letter).lowercased()
        wasLower = false
      case "-", "_", ".":
        name += "-"
        wasLower = false
      default: return nil
      }
    }
    guard let first = name.unicodeScalars.first, ("a"..."z").contains(first), !name.hasSuffix("-"),
      !name.contains("--")
    else { return nil }
    return name
  }

  /// Whether a text is a path of dconf: `/org/contoso/portal/`
  package static func isPath(_ text: String) -> Bool {
    let steps = text.split(separator: "/", omittingEmptySubsequences: false)
    guard steps.count >= 3, steps.first == "", steps.last == "" else { return false }
    return steps.dropFirst().dropLast().allSatisfy { step in
      !step.isEmpty && step.utf8.allSatisfy { byte in byte > 0x20 && byte < 0x7F && !"[]=".utf8.contains(byte) }
    }
  }
}

extension AppConfigDirectory {
  fileprivate func location(of entry: String) -> String { entries.first { $0.name == entry }?.location ?? "" }
}

extension AppConfigValue {
  fileprivate var json: JSONTree {
    switch self {
    case .bool(let truth): .bool(truth)
    case .number(let number): wholeNumber.map { .int(Int64($0)) } ?? .double(number)
    case .string(let text): .string(text)
    }
  }

  /// As GVariant writes it: `true`, `5`, `int64 5000000000`, `0.5`, `'blue'` (GLib reference, GVariant Text Format).
  fileprivate var variant: String {
    switch self {
    case .bool(let truth): return String(truth)
    case .number(let number):
      guard let whole = wholeNumber else { return String(number) }
      return Int32(exactly: whole) == nil ? "int64 \(whole)" : String(whole)
    case .string(let text): return "'" + text.unicodeScalars.map(Self.escaped).joined() + "'"
    }
  }

  private static func escaped(_ letter: Unicode.Scalar) -> String {
    switch letter {
    case "'": "\\'"
    case "\\": "\\\\"
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: String(letter)
    }
  }
}
