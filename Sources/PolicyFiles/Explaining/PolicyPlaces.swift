package import PolicyEngine

/// The place of each value of a policy: keys by the path of keys that leads to them, items of lists by their number.
///
///     let places = result.policy?.places
///     places?["apps", "portal", "classes", "documents", "policy"]?.description   // policy.d/apps.yaml:9:20
///     places?["protections", "standard", "webTransfer"]                          // nil: nothing is stated
///
/// Kept beside the policy and never in it: no decision depends on where a value stood.
package struct PolicyPlaces: Sendable {
  private var locations: [[String]: SourceLocation] = [:]

  package init() {}

  /// The places of everything that stands in a file.
  init(of root: YAMLNode) { add(root, below: []) }

  /// The place of a key, or of an item of a list; nil when nothing is stated there.
  package subscript(path: String...) -> SourceLocation? { locations[path] }

  package subscript(path: [String]) -> SourceLocation? { locations[path] }

  /// The keys right below a path, by the alphabet.
  package func keys(below path: [String]) -> [String] {
    locations.keys.filter { $0.count == path.count + 1 && $0.starts(with: path) }.map { $0[path.count] }.sorted()
  }

  /// Adds the values of another file. Accounts of several files are one list, in the order of the files.
  mutating func add(_ other: PolicyPlaces, accountsBefore count: Int) {
    for (path, location) in other.locations {
      var path = path
      if path.count > 1, path[0] == "accounts", let number = Int(path[1]) { path[1] = String(number + count) }
      if locations[path] == nil { locations[path] = location }
    }
  }

  private mutating func add(_ node: YAMLNode, below path: [String]) {
    for entry in node.mapping?.entries ?? [] {
      locations[path + [entry.key]] = entry.keyLocation
      add(entry.value, below: path + [entry.key])
    }
    for (number, item) in (node.sequence ?? []).enumerated() {
      locations[path + [String(number)]] = item.location
      add(item, below: path + [String(number)])
    }
  }

  /// The place of a setting of a protection: `save.allowed`.
  ///
  /// Only in the protection's own file: a second one of its name elsewhere is an error, and gives no places for the
  /// first.
  package func setting(_ key: String, of protection: Protection) -> SourceLocation? {
    let place = self[["protections", protection.name] + key.split(separator: ".").map(String.init)]
    let own = self["protections", protection.name]
    return place.flatMap { $0.file == own?.file ? $0 : nil }
  }
}
