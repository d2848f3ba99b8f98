internal import GuardModel
package import URLRules

/// The browsers that a protection may send external pages to.
package struct Browsers: Sendable {
  package var managed: ManagedBrowser?
  package var unmanaged: UnmanagedBrowser?

  package init(managed: ManagedBrowser? = nil, unmanaged: UnmanagedBrowser? = nil) {
    self.managed = managed
    self.unmanaged = unmanaged
  }
}

package struct ManagedBrowser: Sendable, Hashable {
  /// The program to start.
  package var program: Program
  /// The app that is this browser; it is never redirected to itself.
  package var app: String?
  /// The apps whose pages open in it; none are all.
  package var apps: [String] = []
  /// Other managed browsers, in the order in which they are tried (ledger WT-07).
  package var alternatives: [ManagedBrowser] = []

  package init(program: Program, app: String? = nil) {
    self.program = program
    self.app = app
  }

  /// The app is one of these browsers.
  func isApp(_ name: String) -> Bool { app == name || alternatives.contains { $0.app == name } }

  /// Some of these browsers opens the app's pages.
  func serves(_ name: String) -> Bool { opens(name) || alternatives.contains { $0.opens(name) } }

  /// The programs in which the app's pages open, the first one to try before the others.
  package func programs(for name: String) -> [Program] {
    ([self] + alternatives).filter { $0.opens(name) }.map(\.program)
  }

  private func opens(_ name: String) -> Bool { apps.isEmpty || apps.contains(name) }
}

/// A browser that takes URLs under a scheme of its own (ledger WT-04):
/// with `scheme` `mybrowser`, `https://x/` becomes `mybrowsers://x/`.
package struct UnmanagedBrowser: Sendable, Hashable {
  package var program: Program
  package var scheme: String?

  package init(program: Program, scheme: String? = nil) {
    self.program = program
    self.scheme = scheme
  }
}

/// The way the app starts another program: a desktop file, or a command; neither leaves it to the desktop.
package struct Program: Sendable, Hashable {
  package var desktopID: String?
  /// The command; `{url}` in it stands for the URL.
  package var command: [String]?
  /// The form of the URL for this program; `{url}` is the unchanged URL.
  package var template = "{url}"

  package init(desktopID: String? = nil, command: [String]? = nil, template: String = "{url}") {
    self.desktopID = desktopID
    self.command = command
    self.template = template
  }
}

/// External links that belong elsewhere than in a browser (ledger WT-08 to WT-10).
package struct Links: Sendable {
  /// Links that may leave for an unmanaged program.
  package var exempt: LinkList
  /// Links that belong to a managed program, with the protected browser as fallback.
  package var managed: LinkList

  package init(exempt: LinkList = LinkList(), managed: LinkList = LinkList()) {
    self.exempt = exempt
    self.managed = managed
  }
}

/// Links by condition, each with the program it belongs to. Unknown conditions do not match, and every frame counts.
package struct LinkList: Sendable {
  package let rules: RuleSet
  /// The program of each entry, in the order of the rules.
  package let programs: [Program]

  package init(rules: [Rule] = [], programs: [Program] = [], lists: HostLists = .empty) {
    self.rules = RuleSet(name: "links", default: .external, rules: rules.map(Self.link), lists: lists)
    self.programs = programs
  }

  /// An `internal` rule needs certainty; an `external` one would take an unreadable link.
  private static func link(_ rule: Rule) -> Rule {
    var link = rule
    link.verdict = .internal
    link.takesCredentials = false
    link.monitoredUntil = nil
    link.purposes = [.page, .frame]
    return link
  }
}
