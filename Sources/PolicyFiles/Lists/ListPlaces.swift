/// The place of one list file.
package struct ListPlace: Sendable, Hashable {
  /// The name below `rules`: `lists/file-sharing.txt`.
  package let name: String
  /// The directory that the name begins at and that the file has to be in; with `/` at its end, or empty for the
  /// working directory.
  let root: String

  /// The name as the user would write it.
  package var path: String { root + name }

  package init(below root: String, name: String) {
    self.root = root
    self.name = name
  }
}

/// The places of the lists that rules name.
///
///     ConfigurationTree.read(…).lists               // those of all roots; a later root masks an earlier one
///     ListPlaces.below("Rules/rules/")              // for one rule file: below `rules`, or beside the file
package enum ListPlaces: Sendable {
  /// Files that were found, by their names below `rules`.
  case found([String: ListPlace])
  /// Any file below this directory, which ends in `/` or is empty.
  case below(String)

  /// The place of the list `name`; nil when there is none.
  func place(of name: String, in files: any FileSource) -> ListPlace? {
    switch self {
    case .found(let places): return places[name]
    case .below(let root):
      let place = ListPlace(below: root, name: name)
      return files.kind(of: place.path) == nil ? nil : place
    }
  }

  /// Names that the author of `name` may have meant.
  func names(near name: String, in files: any FileSource) -> [String] {
    switch self {
    case .found(let places): return places.keys.sorted()
    case .below(let root):
      let directory = name.split(separator: "/").dropLast().joined(separator: "/")
      let entries = (try? files.entries(of: root + directory)) ?? []
      return entries.filter { $0.kind == .regular }.map { directory + "/" + $0.name }.sorted()
    }
  }
}
