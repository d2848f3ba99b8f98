import PolicyFiles
import TestSupport
import Testing

/// The schemas in `docs/schema` and the loader refuse the same documents.
///
/// Only what one file alone can have wrong in its shape: names, hosts and patterns are the loader's to judge.
@Suite struct ConfigurationSchemaTests {
  enum Kind: String, CaseIterable, Sendable {
    case webviewguard
    case policy
    case rules

    /// Where the loader finds such a file.
    var place: String {
      switch self {
      case .webviewguard: "webviewguard.yaml"
      case .policy: "policy.d/a.yaml"
      case .rules: "rules/a.yaml"
      }
    }
  }

  private static func schema(_ kind: Kind) throws -> YAMLMapping {
    let path = "\(Repository.root)/docs/schema/\(kind.rawValue).schema.json"
    let bytes = try SystemFiles().read(path, limit: 1 << 20)
    var diagnostics = Diagnostics()
    let root = YAMLReader.read(bytes.span, file: path, into: &diagnostics)
    #expect(diagnostics.description == "")
    return try #require(root?.mapping)
  }

  private static func read(_ yaml: String) throws -> YAMLNode {
    let bytes = Array(yaml.utf8)
    var diagnostics = Diagnostics()
    let root = YAMLReader.read(bytes.span, file: "f", into: &diagnostics)
    #expect(diagnostics.description == "")
    return try #require(root)
  }

  /// What the shape of a file can have wrong.
  private static let structural: Set<Diagnostic.Code> = [
    .missingKey, .unknownKey, .conflictingKeys, .wrongType, .unknownValue, .outOfRange, .invalidPath,
    .invalidName, .invalidScheme, .browserScheme, .emptyMatcher, .emptyPeer, .actionOnInternal, .credentialsOnExternal,
    .reservedName, .accountWithoutLocation, .accountOnExternal,
    .testsInFragment, .accountPattern, .invalidAccount, .invalidEscrowKey, .missingPlaceholder, .openCommand,
    .invalidDesktopFile, .invalidRequest, .unknownReason, .invalidLanguage, .invalidText, .dataDirectory,
  ]

  private static func loaderAccepts(_ yaml: String, _ kind: Kind) -> Bool {
    let errors = load([kind.place: yaml]).diagnostics.sorted.filter { $0.severity == .error }
    return !errors.contains { structural.contains($0.code) }
  }

  @Test(arguments: Kind.allCases)
  func schemaAndLoaderAgree(_ kind: Kind) throws {
    let schema = ConfigurationSchema(try Self.schema(kind))
    var judged = 0
    for (isGood, documents) in [(true, SchemaDocuments.good(kind)), (false, SchemaDocuments.bad(kind))] {
      for document in documents {
        let isAccepted = try schema.accepts(try Self.read(document))
        #expect(isAccepted == isGood, "schema on \(document)")
        #expect(Self.loaderAccepts(document, kind) == isGood, "loader on \(document)")
        judged += 1
      }
    }
    #expect(judged >= 30)
  }

  /// Every key of every schema stands in some good document: none was forgotten in the table.
  @Test(arguments: Kind.allCases)
  func goodDocumentsUseEveryKey(_ kind: Kind) throws {
    var used: Set<String> = []
    for document in SchemaDocuments.good(kind) { Self.collectKeys(try Self.read(document), into: &used) }
    var declared: Set<String> = []
    for entry in try Self.schema(kind).entries { Self.collectProperties(entry, into: &declared) }
    #expect(declared.subtracting(used) == [])
    #expect(declared.count > 15)
  }

  private static func collectKeys(_ node: YAMLNode, into keys: inout Set<String>) {
    for entry in node.mapping?.entries ?? [] {
      keys.insert(entry.key)
      collectKeys(entry.value, into: &keys)
    }
    for item in node.sequence ?? [] { collectKeys(item, into: &keys) }
  }

  private static func collectProperties(_ entry: YAMLMapping.Entry, into names: inout Set<String>) {
    if entry.key == "properties" { names.formUnion(entry.value.mapping?.entries.map(\.key) ?? []) }
    for child in entry.value.mapping?.entries ?? [] { collectProperties(child, into: &names) }
    for child in entry.value.sequence?.flatMap({ $0.mapping?.entries ?? [] }) ?? [] {
      collectProperties(child, into: &names)
    }
  }

  @Test func keywordsThatAreNotKnownStopTheTest() throws {
    let schema = ConfigurationSchema(try #require(try Self.read("{ maxItems: 1 }").mapping))
    let node = try Self.read("[1]")
    #expect(throws: ConfigurationSchema.UnknownKeyword.self) { try schema.accepts(node) }
  }
}
