internal import GuardModel
internal import PolicyEngine
internal import URLRules

/// Reads `browsers`, and the keys of programs that decisions offer.
extension PolicyFileReader {
  /// The value of `browsers`.
  struct BrowserDrafts {
    var managed: ManagedBrowserDraft?
    var unmanaged: UnmanagedBrowserDraft?
  }

  var browsers: YAMLDecoder<BrowserDrafts> {
    .mapping { reader in
      let managed = reader.optional("managed", managedBrowser(at: reader.location(of: "managed")))
      let unmanaged = reader.optional("unmanaged", unmanagedBrowser(at: reader.location(of: "unmanaged")))
      return BrowserDrafts(managed: managed, unmanaged: unmanaged)
    }
  }

  private func managedBrowser(at location: SourceLocation) -> YAMLDecoder<ManagedBrowserDraft> {
    .mapping { reader in
      var browser = managedBrowser(at: location, &reader)
      let alternative = YAMLDecoder<ManagedBrowserDraft>.mapping { reader in
        managedBrowser(at: reader.location, &reader)
      }
      browser.alternatives = reader.value("alternatives", .list(of: alternative), default: [])
      return browser
    }
  }

  private func managedBrowser(at location: SourceLocation, _ reader: inout MappingReader) -> ManagedBrowserDraft {
    let program = program(&reader)
    let app = reader.optional("app", .located(.nonEmptyString))
    let apps = reader.value("apps", .list(of: .located(.nonEmptyString)), default: [])
    return ManagedBrowserDraft(location: location, program: program, app: app, apps: apps)
  }

  private func unmanagedBrowser(at location: SourceLocation) -> YAMLDecoder<UnmanagedBrowserDraft> {
    .mapping { reader in
      let program = program(&reader)
      let scheme = reader.optional("scheme", .scheme)
      return UnmanagedBrowserDraft(location: location, browser: UnmanagedBrowser(program: program, scheme: scheme))
    }
  }

  /// The keys for starting a program: `desktopId` or `command`, and `template`.
  func program(_ reader: inout MappingReader) -> Program {
    var program = Program()
    _ = reader.atMostOne(of: ["desktopId", "command"])
    program.desktopID = reader.optional("desktopId", .nonEmptyString)
    program.command = reader.optional("command", command)
    reader.read("template", template, into: &program.template)
    return program
  }

  /// The text that the URL is put into. Without its placeholder the program would open without the URL.
  private var template: YAMLDecoder<String> {
    .checked(
      .nonEmptyString, .missingPlaceholder, hint: "write `{url}` where the URL belongs, as in `microsoft-edge:{url}`"
    ) { $0.contains("{url}") ? nil : "the template holds no `{url}`" }
  }

  /// Program and arguments; there is no shell between.
  ///
  /// The attack: in `["{url}"]` the page would name the program to run.
  private var command: YAMLDecoder<[String]> {
    YAMLDecoder("a list") { node, diagnostics in
      guard let words = node.decode(.list(of: .nonEmptyString, atLeast: 1), into: &diagnostics) else { return nil }
      guard let name = words.first, !name.contains("{url}") else {
        diagnostics.error(
          .openCommand, at: node.location, "the URL may not name the program", hint: "put the program first")
        return nil
      }
      guard words.contains(where: { $0.contains("{url}") }) else {
        diagnostics.error(
          .missingPlaceholder, at: node.location, "the command holds no `{url}`",
          hint: "add an argument `{url}` where the URL belongs")
        return nil
      }
      return words
    }
  }
}
