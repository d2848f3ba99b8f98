import PolicyFiles
internal import PolicyTools
import TestSupport
import Testing

/// `diff` names whatever is changed, and nothing that is only written otherwise (review of November 2026, section 3, 1).
@Suite struct ComparisonPropertyTests {
  /// Files of a configuration by their names, each with the schema that it keeps to.
  private static func schemas() throws -> [String: SchemaKeys] {
    try ["webviewguard", "policy", "rules"].reduce(into: [:]) { found, name in
      let path = "\(Repository.root)/docs/schema/\(name).schema.json"
      let bytes = try SystemFiles().read(path, limit: 1 << 20)
      var diagnostics = Diagnostics()
      let root = YAMLReader.read(bytes.span, file: path, into: &diagnostics)
      found[name] = SchemaKeys(try #require(root?.mapping))
    }
  }

  private static func schema(of file: String) -> String {
    file == "webviewguard.yaml" ? "webviewguard" : file.hasPrefix("rules/") ? "rules" : "policy"
  }

  /// Values that may stand in the place of one; of texts whatever one of the places wants. A port of a pattern ends where its
  /// digits end.
  private static func others(_ value: TextTree, words: [String], isPort: Bool) -> [TextTree] {
    switch value {
    case .plain("true"): return [.plain("false")]
    case .plain("false"): return [.plain("true")]
    case .plain(let text):
      return Int(text).map { [.plain(String($0 + 1)), .plain(String($0 - 1))] } ?? [.plain("2032-05-06")]
    case .text(let text):
      let free = isPort ? ["2", "3"] : [text + "x", "x" + text] + texts
      return (words.isEmpty ? free : words).filter { $0 != text }.map(TextTree.text)
    case .map, .list: return []
    }
  }

  private static let texts = [
    "2032-05-06", "192.168.0.0/16", "s2", "p2", "y", "common/g.yaml", "lists/b.txt", "https://b.example/", "{url}y",
    "/b", "sales", "de-AT", "5d", "30d",
    "wvg-escrow-public-1.3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d.95bf3211",
  ]

  /// Every key of every schema, but those of tests: changed, or taken away, it is named.
  @Test func everyKeyOfTheSchemasIsNamed() throws {
    let schemas = try Self.schemas()
    let names = ComparedNames(FixedNames())
    var named: [String: Set<String>] = [:]
    for world in ComparisonWorld.whole {
      let old = try #require(world.load(names))
      for (file, path) in world.places {
        let schema = Self.schema(of: file)
        let general = schemas[schema]?.general(path) ?? []
        let value = world.files[file]?[path[...]] ?? .plain("")
        let others = Self.others(
          value, words: schemas[schema]?.words(at: general) ?? [], isPort: path.last == "port")
        // Of each the first that loads, and what is left without it.
        let changed = others.lazy.compactMap { other in Self.load(world, file, path, other, names) }.first
        let without = Self.load(world, file, path, nil, names)
        for new in [changed, without].compactMap(\.self) {
          let differences = ConfigurationComparison.differences(old, new)
          #expect(
            differences.contains { $0.names(path) },
            "\(file) \(path.joined(separator: ".")): \(differences.map { "\($0.subject): \($0.key) \($0.change)" })")
          named[schema, default: []].formUnion(Self.keys(of: general))
        }
      }
    }
    for (schema, keys) in schemas {
      let wanted = keys.keys.keys.map { Self.key(of: $0.split(separator: ".").map(String.init)) }
        .filter { !$0.isEmpty && $0 != "tests" && !$0.hasPrefix("tests.") && $0 != "links.exempt.id" }
        // An entry is the default or targeted, so that alone it cannot change.
        .filter { $0 != "appConfig.default" }
      #expect(Set(wanted).subtracting(named[schema] ?? []).sorted() == [], "keys of \(schema) that no change reached")
    }
  }

  private static func load(
    _ world: ComparisonWorld, _ file: String, _ path: [String], _ value: TextTree?, _ names: ComparedNames
  ) -> ComparedConfiguration? {
    var changed = world
    changed.files[file]?[path[...]] = value
    return changed.load(names)
  }

  /// A path of a schema, and those of what it stands in.
  private static func keys(of path: [String]) -> [String] { path.indices.map { key(of: Array(path[...$0])) } }

  /// A path as a key: with or without a list around it, internal or external, exempt or managed, the same is stated.
  private static func key(of path: [String]) -> String {
    path.filter { $0 != "*" }.map { ["external": "internal", "managed": "exempt"][$0] ?? $0 }.joined(separator: ".")
  }

  /// One value anywhere in a configuration that was changed at random before.
  @Test func oneChangedValueOfARandomConfigurationIsNamed() throws {
    var generator = SeededGenerator()
    let schemas = try Self.schemas()
    let names = ComparedNames(FixedNames())
    var judged = 0
    for _ in 0..<Effort.scaled(300) {
      var world = generator.one(of: ComparisonWorld.whole)
      for _ in 0..<generator.below(6) { Self.change(&world, schemas, names, mayRemove: true, &generator) }
      let old = try #require(world.load(names))
      guard let path = Self.change(&world, schemas, names, mayRemove: false, &generator) else { continue }
      let new = try #require(world.load(names))
      let differences = ConfigurationComparison.differences(old, new)
      #expect(
        differences.contains { $0.names(path) },
        "\(path.joined(separator: ".")): \(differences.map { "\($0.subject): \($0.key)" }); \(generator.note)")
      judged += 1
    }
    #expect(judged > Effort.scaled(300) / 2)
  }

  /// Changes one value so that the configuration still loads; nil when none of some tries did.
  @discardableResult
  private static func change(
    _ world: inout ComparisonWorld, _ schemas: [String: SchemaKeys], _ names: ComparedNames, mayRemove: Bool,
    _ generator: inout SeededGenerator
  ) -> [String]? {
    for _ in 0..<10 {
      let (file, path) = generator.one(of: world.places)
      let schema = schemas[schema(of: file)]
      guard let value = world.files[file]?[path[...]] else { continue }
      var others = others(
        value, words: schema?.words(at: schema?.general(path) ?? []) ?? [], isPort: path.last == "port"
      )
      .map(Optional.some)
      if mayRemove { others.append(nil) }
      guard !others.isEmpty else { continue }
      var changed = world
      changed.files[file]?[path[...]] = generator.one(of: others)
      guard changed.load(names) != nil else { continue }
      world = changed
      return path
    }
    return nil
  }

  /// The same configuration with its keys in another order, other quotes, other files, and defaults that are written out.
  @Test func aConfigurationDoesNotDifferFromItselfRewritten() throws {
    var generator = SeededGenerator()
    let schemas = try Self.schemas()
    let names = ComparedNames(FixedNames())
    var stated = 0
    for _ in 0..<Effort.scaled(300) {
      var world = generator.one(of: ComparisonWorld.whole)
      for _ in 0..<generator.below(6) { Self.change(&world, schemas, names, mayRemove: true, &generator) }
      let old = try #require(world.load(names))
      for _ in 0..<3 { stated += Self.stateDefault(in: &world, schemas, names, &generator) ? 1 : 0 }
      world.shuffleSets(&generator)
      world.split(&generator)
      let seed = generator.next()
      let rewritten = world.load(names) { tree in
        var style = SeededGenerator(seed: seed)
        return tree.written(&style)
      }
      let new = try #require(rewritten, "\(generator.note)")
      let told = ConfigurationComparison.differences(old, new).map { "\($0.subject): \($0.key) \($0.change)" }
      #expect(told == [], "\(generator.note)")
    }
    #expect(stated > Effort.scaled(300))
  }

  /// Writes one default out where nothing is stated.
  private static func stateDefault(
    in world: inout ComparisonWorld, _ schemas: [String: SchemaKeys], _ names: ComparedNames,
    _ generator: inout SeededGenerator
  ) -> Bool {
    for _ in 0..<10 {
      let (file, path) = generator.one(of: world.places)
      guard let keys = schemas[schema(of: file)], case .map(let entries)? = world.files[file]?[path[...]] else {
        continue
      }
      let general = keys.general(path)
      let candidates = keys.keys.keys.filter { key in
        let steps = key.split(separator: ".").map(String.init)
        return steps.count == general.count + 1 && steps.starts(with: general) && keys.standard(at: steps) != nil
          && !entries.contains { $0.key == steps[general.count] }
      }.sorted()
      guard !candidates.isEmpty else { continue }
      let steps = generator.one(of: candidates).split(separator: ".").map(String.init)
      guard let key = steps.last, key != "*", let standard = keys.standard(at: steps) else { continue }
      var changed = world
      changed.files[file]?[path[...]] = .map(entries + [.init(key: key, value: standard)])
      guard changed.load(names) != nil else { continue }
      world = changed
      return true
    }
    return false
  }
}

extension ComparisonWorld {
  /// Lists whose order means something, or that are no sets.
  private static let ordered: Set<String> = ["command", "rules", "exempt", "managed", "tests"]

  /// Puts the items of sets in another order, and writes single values as lists.
  fileprivate mutating func shuffleSets(_ generator: inout SeededGenerator) {
    for file in files.keys.sorted() { files[file] = files[file].map { Self.shuffled($0, key: "", &generator) } }
  }

  private static func shuffled(_ tree: TextTree, key: String, _ generator: inout SeededGenerator)
    -> TextTree
  {
    switch tree {
    case .map(let entries):
      return .map(entries.map { .init(key: $0.key, value: shuffled($0.value, key: $0.key, &generator)) })
    case .list(let items):
      let items = items.map { shuffled($0, key: "", &generator) }
      return .list(ordered.contains(key) ? items : items.shuffled(using: &generator))
    case .text(let text) where ["domain", "host", "for"].contains(key) && generator.oneIn(2):
      return .list([.text(text), .text(text)])
    case .text(let text) where ["domain", "upn", "objectId"].contains(key) && generator.oneIn(2):
      return .text(text.uppercased())
    case .plain, .text: return tree
    }
  }

  /// Spreads the policy over several files.
  fileprivate mutating func split(_ generator: inout SeededGenerator) {
    guard case .map(let sections)? = files["policy.d/a.yaml"] else { return }
    files["policy.d/a.yaml"] = nil
    for section in sections {
      let parts: [TextTree]
      switch section.value {
      // These stand in one file.
      case .map where ["enrolment", "escrow", "wipe"].contains(section.key): parts = [section.value]
      case .map(let entries): parts = entries.map { .map([$0]) }
      case .list(let items) where section.key == "accounts": parts = items.map { .list([$0]) }
      default: parts = [section.value]
      }
      for (number, part) in parts.enumerated() {
        let name = "policy.d/\(generator.below(90) + 10)-\(section.key)-\(number).yaml"
        files[name] = .map([.init(key: section.key, value: part)])
      }
    }
  }
}
