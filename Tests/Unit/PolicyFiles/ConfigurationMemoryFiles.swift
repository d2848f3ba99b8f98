import PolicyFiles

/// A tree of files in memory: paths and texts.
struct MemoryFiles: FileSource {
  var files: [String: [UInt8]] = [:]
  /// Names that are there and are no files.
  var others: Set<String> = []
  var unreadable: Set<String> = []
  var emptyDirectories: Set<String> = []
  var workingDirectory = "/home/admin"

  init(_ texts: [String: String]) { files = texts.mapValues { Array($0.utf8) } }

  private var paths: [String] { Array(files.keys) + Array(others) + Array(unreadable) }

  func entries(of directory: String) throws(FileProblem) -> [FileEntry] {
    guard kind(of: directory) == .directory else { throw .missing }
    let below = paths.filter { $0.hasPrefix(directory + "/") }.map { $0.dropFirst(directory.count + 1) }
    let names = Set(below.compactMap { $0.split(separator: "/").first.map(String.init) })
    return names.map { FileEntry(name: $0, kind: kind(of: directory + "/" + $0) ?? .other) }
  }

  func kind(of path: String) -> FileEntry.Kind? {
    if files[path] != nil || unreadable.contains(path) { return .regular }
    if others.contains(path) { return .other }
    let isDirectory = emptyDirectories.contains(path) || paths.contains { $0.hasPrefix(path + "/") }
    return isDirectory ? .directory : nil
  }

  func read(_ path: String, limit: Int) throws(FileProblem) -> [UInt8] {
    if unreadable.contains(path) { throw .system("Permission denied") }
    guard let bytes = files[path] else { throw kind(of: path) == nil ? .missing : .notARegularFile }
    guard bytes.count <= limit else { throw .tooLarge }
    return bytes
  }
}

/// The users and groups of the tests.
struct FixedNames: NameResolver {
  func userID(named name: String) -> UInt32? { name == "kiosk" ? 990 : nil }
  func groupID(named name: String) -> UInt32? { ["staff": 50, "sales": 51][name] }
}

/// Loads one root called `c`, with the given files below it.
func load(_ files: [String: String]) -> LoadResult {
  load(MemoryFiles(Dictionary(uniqueKeysWithValues: files.map { ("c/" + $0.key, $0.value) })))
}

func load(_ files: MemoryFiles, roots: [String] = ["c"]) -> LoadResult {
  ConfigurationLoader(roots: roots, files: files, resolver: FixedNames()).load()
}

/// A configuration without a mistake: one app, one protection, one rule set and a fragment.
enum GoodConfiguration {
  static let settings = """
    policyRequired: true
    log: { directory: /var/log/webviewguard, durability: written, accounts: pseudonym, onLogFailure: block }
    contract: { startMs: 1000, answerMs: 250, navigation: closed, clipboard: open, other: closed }
    """

  static let policy = """
    apps:
      com.contoso.portal:
        peers: [{ group: staff }, { unit: contoso-kiosk.service }, { user: kiosk }]
        identityMode: multi
        account: null
        untilIdentity: block
        handledSchemes: [Contoso-Portal]
        popups: block
        record: notAllowed
        classes:
          documents: { policy: currentIdentity, externalURLs: contoso-documents, rulesApply: always, subFrames: true }
          news: { policy: unmanaged }
    accounts:
      - { upn: Work@Contoso.com, objectId: 6d5c-0001, protection: contoso-standard }
      - { objectId: 6d5c-0002, state: blocked }
    protections:
      contoso-standard:
        accounts: ["*@Contoso.com", { group: sales }]
        webTransfer: managedBrowser
        clipboard: { level: managedWithPasteIn, exceptionLength: 12, exceptionPerMinute: 60, replacement: "no" }
        send: managed
        telecommunication: none
        messaging: any
        exemptSchemes: [Skype]
        managedSchemes: [msteams]
    browsers:
      managed: { desktopId: com.microsoft.Edge.desktop, template: "microsoft-edge:{url}", app: com.contoso.portal }
      unmanaged: { command: [xdg-open, "{url}"], scheme: mybrowser }
    links:
      exempt: [{ match: { domain: maps.example }, id: maps, desktopId: org.gnome.Maps.desktop }]
      managed: [{ match: { host: meet.example }, command: [teams, "--open={url}"] }]
    """

  static let rules = """
    ruleSet: contoso-documents
    default: external
    rules:
      - include: common/sign-in.yaml
      - { id: the-document-itself, internal: { same: document } }
      - { id: tenant, internal: { domain: Contoso.com., scheme: HTTPS } }
      - id: legacy-cdn
        internal: { regex: '^https://[a-z]+[.]cdn[.]contoso[.]net/v[0-9]+/' }
        for: [page, resource]
      - id: file-sharing
        external: { domain: [drop.example, share.example] }
        then: block
        message: "{host} is not ours"
    tests:
      - { url: "https://mail.contoso.com/inbox", expect: internal, rule: tenant }
      - { url: "https://contoso.com.evil.example/", expect: external, rule: default }
    """

  static let fragment = """
    rules:
      - { id: sso, internal: { host: login.example, from: { domain: contoso.com } } }
    """

  static let files = [
    "webviewguard.yaml": settings, "policy.d/contoso.yaml": policy, "rules/contoso-documents.yaml": rules,
    "rules/common/sign-in.yaml": fragment,
  ]
}
