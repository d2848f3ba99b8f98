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
    .mapping { reader in
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
      return draft
    }
  }

  private var apps: YAMLDecoder<[AppDraft]> {
    .named({ name in .mapping { reader in app(name, &reader) } }, placeholder: AppDraft.init)
  }

  private var accounts: YAMLDecoder<[AccountDraft]> {
    .goodItems(of: .mapping { reader in account(&reader) })
  }

  private var protections: YAMLDecoder<[ProtectionDraft]> {
    .named(
      { name in .mapping(refusing: laterKeys) { reader in protection(name, &reader) } },
      placeholder: ProtectionDraft.init)
  }

  /// Keys of the design that do nothing yet. Who writes them counts on them, so they are no silent ones.
  private var laterKeys: [String: String] {
    ["receive", "save", "monitorOnly"].reduce(into: [:]) { hints, key in
      hints[key] = "`\(key)` is not supported yet"
    }
  }
}
