internal import ArgumentParser
internal import Glibc
internal import Platform
internal import PolicyFiles
internal import PolicyTools

/// `init`: a starting configuration.
struct InitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Make a configuration directory from a template.",
    discussion: """
      Templates are looked for in $WEBVIEWGUARD_TEMPLATES, then in /usr/share/webviewguard/templates, then in the \
      source tree that this program was built in. `init --list` names them.
      """)

  @Flag(help: "Name the templates, each with a line of what it is for.")
  var list = false

  @Argument(help: "The template.")
  var template: String?

  @Argument(help: "The directory to make; it must be empty when it exists.", completion: .directory)
  var directory: String?

  func validate() throws {
    if list {
      guard template == nil else { throw ValidationError("--list takes no template") }
    } else if template == nil || directory == nil {
      throw ValidationError("name a template and a directory, or say --list")
    }
  }

  func run() throws {
    let output = Output()
    let library = try TemplateLibrary.find()
    if list {
      for template in library.templates { try output.line("\(output.shown(template.name))\t\(template.summary)") }
    } else if let template, let directory {
      try make(directory, from: template, library)
      try output.line("made `\(output.shown(directory))` from `\(output.shown(template))`")
    }
    try output.flush()
  }

  private func make(_ directory: String, from name: String, _ library: TemplateLibrary) throws(CommandFailure) {
    guard let template = library.templates.first(where: { $0.name == name }) else {
      let names = library.templates.map(\.name).joined(separator: ", ")
      throw CommandFailure("there is no template `\(name.escapedForDisplay)`; there are \(names)")
    }
    try TemplateFiles.requireFree(directory)
    try TemplateFiles.copy(template.path, to: directory, entries: template.entries)
  }
}

/// Copying a directory of small files.
enum TemplateFiles {
  /// The largest file of a template, in bytes.
  private static let maximumFile = 64 << 20
  /// Maximum depth of a template; without it a link to a directory above would never end.
  private static let maximumDepth = 16

  /// Throws when the directory exists and is not empty.
  static func requireFree(_ directory: String) throws(CommandFailure) {
    let shown = directory.escapedForDisplay
    switch SystemFiles().kind(of: directory) {
    case nil: return
    case .directory: break
    default: throw CommandFailure("`\(shown)` exists and is no directory")
    }
    guard try list(directory).isEmpty else {
      throw CommandFailure("`\(shown)` is not empty; nothing was copied")
    }
  }

  /// Copies a directory; of its own entries only the named ones, when any are named.
  static func copy(_ source: String, to target: String, entries: [String]? = nil) throws(CommandFailure) {
    try copy(source, to: target, entries: entries, depth: 0)
  }

  private static func copy(
    _ source: String, to target: String, entries: [String]?, depth: Int
  ) throws(CommandFailure) {
    guard depth < maximumDepth else { throw CommandFailure("the template is nested too deep") }
    guard mkdir(target, 0o755) == 0 || errno == EEXIST else {
      throw CommandFailure("make", target)
    }
    for entry in try list(source) where entries?.contains(entry.name) ?? true {
      let (from, to) = (source + "/" + entry.name, target + "/" + entry.name)
      switch entry.kind {
      case .directory: try copy(from, to: to, entries: nil, depth: depth + 1)
      case .regular: try copyFile(from, to: to)
      case .other: break
      }
    }
  }

  private static func copyFile(_ source: String, to target: String) throws(CommandFailure) {
    let bytes = try FileBytes.read(source, limit: maximumFile)
    do throws(SystemError) {
      try OpenFile.creating(target, mode: 0o644).write(bytes.span)
    } catch {
      throw CommandFailure(error.call == "open" ? "make" : error.call, target, error.words)
    }
  }

  private static func list(_ directory: String) throws(CommandFailure) -> [FileEntry] {
    do throws(FileProblem) {
      return try SystemFiles().entries(of: directory)
    } catch {
      throw CommandFailure("read", directory, error.words)
    }
  }
}

/// The configurations that `init` can copy.
struct TemplateLibrary {
  let templates: [Template]

  struct Template {
    let name: String
    let path: String
    /// The purpose, in a line; empty when the template does not say.
    let summary: String
    /// The entries that belong to the configuration; nil for everything.
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

  /// The first meaningful line: the first comment of `webviewguard.yaml`, else a line of `README.md`.
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
