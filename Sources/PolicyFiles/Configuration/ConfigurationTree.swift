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
