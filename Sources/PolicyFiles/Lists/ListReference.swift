internal import URLRules

/// The value of `list`: the file, and the format of its lines.
///
///     list: { file: lists/file-sharing.txt, format: domains }
package struct ListReference: Sendable, Hashable {
  /// The name of the file below `rules`; it has been checked to be one.
  package let file: Located<String>
  package let format: Located<ListFormat>

  package init(file: Located<String>, format: Located<ListFormat>) {
    self.file = file
    self.format = format
  }

  /// Reads it, or reports the problem.
  package static var decoder: YAMLDecoder<ListReference> {
    YAMLDecoder(expectation) { node, diagnostics in
      guard let mapping = node.mapping else {
        diagnostics.wrongType(node, expected: expectation, hint: node.scalar.flatMap { hint($0.text) })
        return nil
      }
      let hasFormat = mapping["format"] != nil || !mapping.isComplete
      if !hasFormat {
        diagnostics.error(
          .missingKey, at: node.location, "missing key `format`",
          hint: "say which format: `domains`, `hosts` or `urlFilters`")
      }
      return node.decode(.mapping(read), into: &diagnostics)
    }
  }

  private static let expectation = "a mapping with `file` and `format`"

  private static func hint(_ text: String) -> String? {
    guard !text.isEmpty else { return nil }
    return "write \("{ file: \(text), format: domains }".quoted), with `domains`, `hosts` or `urlFilters`"
  }

  private static func read(_ reader: inout MappingReader) -> ListReference? {
    let file = reader.required("file", .located(name))
    let format = reader.optional("format", .located(.choice(of: ListFormat.self)))
    guard let file, let format else { return nil }
    return ListReference(file: file, format: format)
  }

  private static var name: YAMLDecoder<String> {
    YAMLDecoder("the name of a file below `rules`") { node, diagnostics in
      guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      guard let problem = ListName.problem(text) else { return text }
      diagnostics.error(.invalidListName, at: node.location, problem.message, hint: problem.hint)
      return nil
    }
  }
}

/// One mention of a list in a file of rules or policy.
struct ListUse: Sendable {
  var reference: ListReference
  /// The side for which URL filters of the list are read there.
  var side: FilterSide
}

/// Takes the mentions of lists while one file is read.
///
/// A condition must say which list it means before any list is read. Until then it says which mention it is.
final class ListUses {
  private(set) var all: [ListUse] = []

  /// The condition that stands for the list until `LoadedLists` puts in its real condition.
  func add(_ reference: ListReference, side: FilterSide) -> Condition {
    all.append(ListUse(reference: reference, side: side))
    return .list(HostListNumber(all.count - 1))
  }
}

/// Names that a list file may have in a rule.
enum ListName {
  /// The place of lists below the root of the configuration.
  static let directory = "rules/lists/"
  /// The same as rules write it.
  private static let prefix = "lists/"

  /// The problem with `name`; nil when it is a name below `lists`, written in the one way its file is known by.
  ///
  ///     lists/file-sharing.txt, lists/ut1/ads.gz    // nil
  ///     ../x, /etc/hosts, lists/.hidden             // problems
  static func problem(_ name: String) -> (message: String, hint: String)? {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    if name.hasSuffix(".yaml") || name.hasSuffix(".yml") {
      return ("\(name.quoted) is the name of a rule file", "list files may have any other name")
    }
    if name.hasPrefix(directory) {
      let rest = String(name.dropFirst("rules/".utf8.count))
      return ("\(name.quoted) is not a name below the directory `rules`", "write \(rest.quoted)")
    }
    let isPlain = parts.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") } && !name.utf8.contains(0)
    guard isPlain else {
      return (
        "\(name.quoted) is not a name below the directory `rules/lists`",
        "write it as in `lists/file-sharing.txt`, without `..`, hidden names and `/` in front"
      )
    }
    guard name.hasPrefix(prefix) else {
      let last = parts.last.map(String.init) ?? name
      let message = "\(name.quoted) is not below the directory `rules/lists`"
      return (message, "put it there and write \((prefix + last).quoted)")
    }
    return nil
  }
}

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
