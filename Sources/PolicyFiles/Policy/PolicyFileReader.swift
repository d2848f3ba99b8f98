internal import URLRules

/// Reads one file of `policy.d`: what it says, and what is wrong with it. What other files say does not matter here.
struct PolicyFileReader {
  let names: any NameResolver
  /// The file that is read, for errors inside a pattern.
  private(set) var source = RuleSource(bytes: [])
  let suffixes: PublicSuffixes

  init(names: any NameResolver, suffixes: PublicSuffixes) {
    self.names = names
    self.suffixes = suffixes
  }

  /// Nil when the file could not be read at all.
  func read(_ file: ConfigurationFile, into diagnostics: inout Diagnostics) -> PolicyDraft? {
    var reader = self
    reader.source = RuleSource(bytes: file.bytes)
    guard let root = file.root(into: &diagnostics) else { return nil }
    var draft = root.node.decode(reader.draft, into: &diagnostics)
    draft?.isWhole = root.isWhole
    draft?.places = PolicyPlaces(of: root.node)
    return draft
  }

  private var draft: YAMLDecoder<PolicyDraft> {
    .mapping(refusing: SDKSettings.hints) { reader in
      var draft = PolicyDraft()
      reader.read("apps", apps, into: &draft.apps)
      reader.read("accounts", accounts, into: &draft.accounts)
      reader.read("protections", protections, into: &draft.protections)
      let browsers = reader.optional("browsers", browsers)
      draft.managedBrowser = browsers?.managed
      draft.unmanagedBrowser = browsers?.unmanaged
      let links = reader.optional("links", links)
      draft.exemptLinks = links?.exempt
      draft.managedLinks = links?.managed
      draft.texts = reader.value("texts", texts, default: [])
      draft.tests = reader.value("tests", tests, default: [])
      return draft
    }
  }

  private var apps: YAMLDecoder<[AppDraft]> {
    .named(
      { name in .mapping(refusing: SDKSettings.hints) { reader in app(name, &reader) } }, placeholder: AppDraft.init)
  }

  private var accounts: YAMLDecoder<[AccountDraft]> {
    .goodItems(of: .mapping { reader in account(&reader) })
  }

  private var protections: YAMLDecoder<[ProtectionDraft]> {
    .named({ name in protection(name) }, placeholder: ProtectionDraft.init)
  }
}
