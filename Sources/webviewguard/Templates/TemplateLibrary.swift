internal import Glibc
internal import PolicyFiles
internal import PolicyTools

/// The configurations that `init` can copy.
struct TemplateLibrary {
  let templates: [Template]

  struct Template {
    let name: String
    let path: String
    /// What it is for, in a line; empty when it does not say.
    let summary: String
    /// What of it belongs to the configuration; nil for everything.
    var entries: [String]?
  }

  /// The configuration of the source tree itself; its templates lie in it and are no part of it.
  private static let standardName = "five-viewers"
  private static let standardEntries = ["webviewguard.yaml", "policy.d", "rules", "README.md"]

  static func find() throws(CommandFailure) -> TemplateLibrary {
    if let path = getenv("WEBVIEWGUARD_TEMPLATES").map({ String(cString: $0) }), !path.isEmpty {
      return try TemplateLibrary(directory: path)
    }
    let installed = "/usr/share/webviewguard/templates"
    if SystemFiles().kind(of: installed) == .directory { return try TemplateLibrary(directory: installed) }
    guard let rules = rulesOfSourceTree() else {
      throw CommandFailure("no templates are installed; name their directory in WEBVIEWGUARD_TEMPLATES")
    }
    return try TemplateLibrary(directory: rules + "/templates", standard: rules)
  }

  private init(directory: String, standard: String? = nil) throws(CommandFailure) {
    var found: [Template] = []
    do throws(FileProblem) {
      for entry in try SystemFiles().entries(of: directory) where entry.kind == .directory {
        guard !entry.name.hasPrefix(".") else { continue }
        let path = directory + "/" + entry.name
        found.append(Template(name: entry.name, path: path, summary: Self.summary(of: path)))
      }
    } catch {
      throw CommandFailure("cannot read the templates in `\(directory.escapedForDisplay)`: \(error.words)")
    }
    if let standard, !found.contains(where: { $0.name == Self.standardName }) {
      found.append(
        Template(
          name: Self.standardName, path: standard, summary: Self.summary(of: standard),
          entries: Self.standardEntries))
    }
    templates = found.sorted { $0.name < $1.name }
  }

  /// Walks up from the program to a directory that holds `Rules/templates`; returns that `Rules`.
  private static func rulesOfSourceTree() -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { return nil }
    var parts = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self).split(separator: "/")
    while !parts.isEmpty {
      parts.removeLast()
      let rules = "/" + (parts + ["Rules"]).joined(separator: "/")
      if SystemFiles().kind(of: rules + "/templates") == .directory { return rules }
    }
    return nil
  }

  /// The first line that says something: of `webviewguard.yaml` its first comment, else of `README.md`.
  private static func summary(of path: String) -> String {
    let settings = firstLines(of: path + "/webviewguard.yaml").first { $0.hasPrefix("#") }
    let line = settings ?? firstLines(of: path + "/README.md").first ?? ""
    return String(line.drop { $0 == "#" || $0 == " " }).escapedForDisplay
  }

  private static func firstLines(of path: String) -> [String] {
    guard let bytes = try? SystemFiles().read(path, limit: 1 << 20) else { return [] }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    return lines.filter { line in line.contains { $0 != "#" && $0 != " " } }.map(String.init)
  }
}
