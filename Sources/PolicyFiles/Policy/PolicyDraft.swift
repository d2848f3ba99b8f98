internal import PolicyEngine
internal import URLRules

/// The content of one file of `policy.d`, or of all together, before names in it are looked up.
struct PolicyDraft: Sendable {
  var apps: [AppDraft] = []
  var accounts: [AccountDraft] = []
  var protections: [ProtectionDraft] = []
  var managedBrowser: ManagedBrowserDraft?
  var unmanagedBrowser: UnmanagedBrowserDraft?
  var exemptLinks: LinkListDraft?
  var managedLinks: LinkListDraft?
  var wipe: Located<WipeSettings>?
  var enrollment: Located<EnrollmentTimes>?
  var escrow: Located<String>?
  var texts: [TextsDraft] = []
  var appConfig: [AppConfigDraft] = []
  var scrubKeys: [Located<String>] = []
  var tests: [PolicyTestDraft] = []
  /// The place of each value.
  var places = PolicyPlaces()
  /// False when a file may define more that could not be read.
  var isWhole = true
}

struct AppDraft: Sendable {
  var name: Located<String>
  /// All settings but classes.
  var app: App
  var classes: [ClassDraft] = []
  /// Whether `account` stands in the file.
  var statesAccount = false

  init(_ name: Located<String>) {
    self.name = name
    app = App(name: name.value)
    app.location = name.location.description
  }
}

struct ClassDraft: Sendable {
  var viewerClass: ViewerClass
  var ruleSet: Located<String>?

  init(_ name: Located<String>) {
    viewerClass = ViewerClass(name: name.value)
    viewerClass.location = name.location.description
  }
}

struct AccountDraft: Sendable {
  var upn: Located<String>?
  var objectID: Located<String>?
  var entry: AccountEntry
  var protection: Located<String>?
}

struct ProtectionDraft: Sendable {
  var name: Located<String>
  var protection: Protection
  /// The keys whose values could not be read, and so stand at their defaults: `save`, `save.exceptions`
  var misread: Set<String> = []

  init(_ name: Located<String>) {
    self.name = name
    protection = Protection(name: name.value)
    protection.location = name.location.description
  }
}

struct ManagedBrowserDraft: Sendable {
  var location: SourceLocation
  var program: Program
  var app: Located<String>?
  var apps: [Located<String>] = []
  var alternatives: [ManagedBrowserDraft] = []
}

struct UnmanagedBrowserDraft: Sendable {
  var location: SourceLocation
  var browser: UnmanagedBrowser
}

struct LinkListDraft: Sendable {
  var location: SourceLocation
  var rules: [Rule]
  var programs: [Program]
  /// The lists that the rules name.
  var lists: [ListUse]
}

extension PolicyDraft {
  /// Adds the content of another file. A key that both define is reported with both places, and the first one stays.
  ///
  /// Accounts are a list of independent entries; the assembler looks for one account in two entries.
  mutating func add(_ other: PolicyDraft, into diagnostics: inout Diagnostics) {
    for app in other.apps {
      if let first = apps.first(where: { $0.name.value == app.name.value }) {
        diagnostics.definedTwice("app", app.name, first: first.name.location)
      } else {
        apps.append(app)
      }
    }
    for protection in other.protections {
      if let first = protections.first(where: { $0.name.value == protection.name.value }) {
        diagnostics.definedTwice("protection", protection.name, first: first.name.location)
      } else {
        protections.append(protection)
      }
    }
    for texts in other.texts { add(texts, into: &diagnostics) }
    places.add(other.places, before: ["accounts": accounts.count, "appConfig": appConfig.count])
    accounts += other.accounts
    appConfig += other.appConfig
    scrubKeys += other.scrubKeys
    tests += other.tests
    isWhole = isWhole && other.isWhole
    Self.merge(&managedBrowser, other.managedBrowser, "browsers.managed", \.location, &diagnostics)
    Self.merge(&unmanagedBrowser, other.unmanagedBrowser, "browsers.unmanaged", \.location, &diagnostics)
    Self.merge(&exemptLinks, other.exemptLinks, "links.exempt", \.location, &diagnostics)
    Self.merge(&wipe, other.wipe, "wipe", \.location, &diagnostics)
    Self.merge(&escrow, other.escrow, "escrow", \.location, &diagnostics)
    Self.merge(&enrollment, other.enrollment, "enrolment", \.location, &diagnostics)
    Self.merge(&managedLinks, other.managedLinks, "links.managed", \.location, &diagnostics)
  }

  /// One language is stated once, however it is spelled.
  private mutating func add(_ language: TextsDraft, into diagnostics: inout Diagnostics) {
    if let first = texts.first(where: { $0.tag == language.tag }) {
      diagnostics.definedTwice("language", language.name, first: first.name.location)
    } else {
      texts.append(language)
    }
  }

  private static func merge<Value>(
    _ value: inout Value?, _ other: Value?, _ key: String, _ location: KeyPath<Value, SourceLocation>,
    _ diagnostics: inout Diagnostics
  ) {
    guard let other else { return }
    guard let first = value else {
      value = other
      return
    }
    diagnostics.definedTwice("key", Located(key, at: other[keyPath: location]), first: first[keyPath: location])
  }
}
