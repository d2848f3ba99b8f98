/// The files of one configuration: those of all roots, less those that a later root masks.
///
///     /usr/share/webviewguard/policy.d/browser.yaml
///     /etc/webviewguard/policy.d/browser.yaml          // this one is read, the other is not
///
/// Each file is read once; the loader and the digest use the same bytes.
struct ConfigurationTree: Sendable {
  /// Most files and directories that are looked at. A link to a directory above would else go on forever.
  static let maximumEntries = 4096
  /// Deepest directory below `rules`.
  static let maximumDepth = 8

  /// The files in the order of their names.
  private(set) var files: [ConfigurationFile] = []
  /// Names of files that are there and could not be read.
  private(set) var unread: Set<String> = []
  /// The places of possible lists below `rules/lists`.
  private(set) var lists = ListPlaces.found([:])

  /// Reads the tree of `roots`; problems go to `diagnostics`.
  static func read(roots: [String], from source: any FileSource, into diagnostics: inout Diagnostics) -> Self {
    var listing = ConfigurationListing(source: source)
    for (index, root) in roots.enumerated() {
      listing.add(root, isLast: index == roots.count - 1, into: &diagnostics)
    }
    var tree = ConfigurationTree()
    tree.unread = listing.notFiles
    tree.lists = .found(listing.lists)
    for (name, place) in listing.places.sorted(by: { $0.key < $1.key }) {
      do throws(FileProblem) {
        let bytes = try source.read(place.path, limit: place.kind.limit)
        tree.files.append(ConfigurationFile(kind: place.kind, name: name, path: place.path, bytes: bytes))
      } catch {
        diagnostics.add(error, reading: place.path, limit: place.kind.limit)
        tree.unread.insert(name)
      }
    }
    return tree
  }

  func files(_ kind: ConfigurationFile.Kind) -> [ConfigurationFile] { files.filter { $0.kind == kind } }
}

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

/// Finds the files, by name, before any is read.
struct ConfigurationListing {
  struct Place {
    var kind: ConfigurationFile.Kind
    var path: String
  }

  private let source: any FileSource
  /// The place of each named file; the last root wins.
  private(set) var places: [String: Place] = [:]
  /// Names of entries that are no files, though they are called like one.
  private(set) var notFiles: Set<String> = []
  /// Possible list files by their names below `rules`; the last root wins. A list is read when a rule names it.
  private(set) var lists: [String: ListPlace] = [:]
  private var entryCount = 0

  init(source: any FileSource) { self.source = source }

  /// Adds the files of `root`. Only the last root has to exist: it is the administrator's, the others are packages'.
  mutating func add(_ root: String, isLast: Bool, into diagnostics: inout Diagnostics) {
    let base = root.hasSuffix("/") ? String(root.dropLast()) : root
    switch source.kind(of: base.isEmpty ? "/" : base) {
    case .directory: break
    case nil where !isLast: return
    case nil:
      diagnostics.error(
        .missingDirectory, at: SourceLocation(file: root), "the configuration directory does not exist",
        hint: "make it, for instance with `webviewguard init`, or name another with `--config DIR`")
      return
    default:
      diagnostics.error(
        .missingDirectory, at: SourceLocation(file: root), "the configuration directory is not a directory",
        hint: "name the directory that holds `policy.d`, not a file in it")
      return
    }
    entryCount = 0
    addSettings(base, into: &diagnostics)
    addDirectory("policy.d", .policy, in: base, depth: 0, into: &diagnostics)
    addDirectory("rules", .rules, in: base, depth: 0, into: &diagnostics)
  }

  private mutating func addSettings(_ base: String, into diagnostics: inout Diagnostics) {
    let name = ConfigurationFile.settingsName
    if let kind = source.kind(of: base + "/" + name) {
      addFile(name, kind, .settings, in: base, into: &diagnostics)
    }
    if source.kind(of: base + "/webviewguard.yml") != nil {
      diagnostics.refuseName(base + "/webviewguard.yml")
    }
  }

  private mutating func addDirectory(
    _ name: String, _ kind: ConfigurationFile.Kind, in base: String, depth: Int, into diagnostics: inout Diagnostics
  ) {
    let path = base + "/" + name
    guard source.kind(of: path) != nil || depth > 0 else { return }
    let entries: [FileEntry]
    do throws(FileProblem) {
      entries = try source.entries(of: path)
    } catch {
      diagnostics.error(
        .unreadableDirectory, at: SourceLocation(file: path), "the directory cannot be read: \(error.words)")
      return
    }
    for entry in entries.sorted(by: { $0.name < $1.name }) where !entry.name.hasPrefix(".") {
      entryCount += 1
      guard entryCount <= Self.maximumEntries else {
        diagnostics.error(
          .tooManyFiles, at: SourceLocation(file: base), "more than \(Self.maximumEntries) files and directories",
          hint: "is there a link that leads back to a directory above?")
        return
      }
      add(entry, name + "/" + entry.name, kind, in: base, depth: depth, into: &diagnostics)
    }
  }

  private mutating func add(
    _ entry: FileEntry, _ name: String, _ kind: ConfigurationFile.Kind, in base: String, depth: Int,
    into diagnostics: inout Diagnostics
  ) {
    if entry.name.hasSuffix(".yaml") {
      addFile(name, entry.kind, kind, in: base, into: &diagnostics)
    } else if entry.kind == .directory {
      enter(name, kind, in: base, depth: depth, into: &diagnostics)
    } else if kind == .rules, name.hasPrefix(ListName.directory), !entry.name.hasSuffix(".yml") {
      let list = ListPlace(below: base + "/rules/", name: String(name.dropFirst("rules/".utf8.count)))
      lists[list.name] = list
    } else {
      diagnostics.refuseName(base + "/" + name)
    }
  }

  private mutating func enter(
    _ name: String, _ kind: ConfigurationFile.Kind, in base: String, depth: Int, into diagnostics: inout Diagnostics
  ) {
    let location = SourceLocation(file: base + "/" + name)
    guard kind == .rules else {
      diagnostics.warning(
        .ignoredDirectory, at: location, "directories in `policy.d` are not read", hint: "move its files up")
      return
    }
    guard depth + 1 < Self.maximumDepth else {
      diagnostics.error(
        .tooManyFiles, at: location, "directories are nested deeper than \(Self.maximumDepth)",
        hint: "is there a link that leads back to a directory above?")
      return
    }
    addDirectory(name, kind, in: base, depth: depth + 1, into: &diagnostics)
  }

  private mutating func addFile(
    _ name: String, _ found: FileEntry.Kind, _ kind: ConfigurationFile.Kind, in base: String,
    into diagnostics: inout Diagnostics
  ) {
    let path = base + "/" + name
    guard found == .regular else {
      diagnostics.add(.notARegularFile, reading: path, limit: kind.limit)
      notFiles.insert(name)
      return
    }
    places[name] = Place(kind: kind, path: path)
  }

  private static var maximumEntries: Int { ConfigurationTree.maximumEntries }
  private static var maximumDepth: Int { ConfigurationTree.maximumDepth }
}

extension FileProblem {
  fileprivate var words: String {
    switch self {
    case .missing: "it does not exist"
    case .tooLarge: "it is too large"
    case .notARegularFile: "it is something else"
    case .outside: "it lies elsewhere"
    case .changed: "it changed meanwhile"
    case .system(let words): words
    }
  }
}

extension Diagnostics {
  /// An administrator counts on a skipped file: with a protection in it nothing would be restricted.
  fileprivate mutating func refuseName(_ path: String) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let hint =
      name.hasSuffix(".yml")
      ? "did you mean \("\(name.dropLast(4)).yaml".quoted)?"
      : "let its name end in `.yaml`, begin it with a dot so that it is skipped, or move it away"
    error(
      .wrongExtension, at: SourceLocation(file: path),
      "the name does not end in `.yaml`, so that it would not be read", hint: hint)
  }
}
