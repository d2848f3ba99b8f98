internal import Bus
internal import Glibc
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import Platform

/// Shows a person the daemon's notices, by the notification service of the person's session.
///
/// The daemon knows nothing of desktops, and a session without a notification service is none the worse: what nobody
/// shows is kept for when somebody does.
///
/// Source: design accounts.md section 4 and 5; Desktop Notifications Specification 1.2.
struct DesktopNotices {
  private let path: String
  private let languages: [String]
  private var shown: ShownNotices
  private var bus: Bus?

  private static let name = "org.freedesktop.Notifications"
  /// A service that hangs costs this much, once in each look.
  private static let patience = 3_000
  /// More cannot hold for one person; the daemon is asked for what is new.
  private static let most = 64

  /// - Parameter path: the daemon's socket for apps.
  init(askingAt path: String) {
    self.path = path
    func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
    languages = SessionLanguages.tags(variable)
    shown = ShownNotices(file: ShownNotices.file(variable))
  }

  /// Asks the daemon, and shows what the person has not seen. Throws the words for a problem.
  mutating func look() throws(NoticeProblem) {
    var problem: NoticeProblem?
    for notice in try ask() where shown.mayShow(notice.id, at: SystemClock.milliseconds) {
      // Where the file cannot be written, this process remembers alone.
      do throws(SystemError) { try shown.note(notice.id, at: SystemClock.milliseconds) } catch {
        problem = .file(error)
      }
      do throws(BusError) { try show(notice) } catch {
        try? shown.forget(notice.id)
        bus = nil
        throw .bus(error)
      }
    }
    if let problem { throw problem }
  }

  private func ask() throws(NoticeProblem) -> [PersonNotice] {
    do throws(ClientError) {
      let deadline = Deadline(after: Self.patience)
      var client = try VarlinkClient(connectingTo: path, patience: Self.patience)
      let parameters = JSONTree.object([JSONTree.Member("languages", .array(languages.map { .string($0) }))])
      try client.send("org.webviewguard.Accounts.Notices", try CallText(parameters))
      let reply = try client.receive(until: deadline)
      // An older daemon has no such method, and no notices.
      guard reply.error == nil else { return [] }
      return (reply.parameters["notices"]?.array ?? []).prefix(Self.most).compactMap(Self.notice)
    } catch {
      throw .daemon(error)
    }
  }

  private static func notice(_ tree: JSONTree) -> PersonNotice? {
    guard let id = tree["id"]?.string, let text = tree["text"]?.string else { return nil }
    return PersonNotice(id: id, title: tree["title"]?.string, text: text)
  }

  private mutating func show(_ notice: PersonNotice) throws(BusError) {
    let bus: Bus
    if let open = self.bus { bus = open } else { bus = try Bus(.session) }
    self.bus = bus
    let capabilities = try bus.call(Self.call("GetCapabilities"), milliseconds: Self.patience)
    let words = capabilities.first?.members?.compactMap(\.text) ?? []
    let body = NotificationText(notice.text, hasMarkup: words.contains("body-markup")).text
    // The title is plain text for every service.
    let title = NotificationText(notice.title ?? "webviewguard", hasMarkup: false).text
    let arguments: [BusValue] = [
      .string("webviewguard"), .uint32(0), .string("dialog-information"),
      .string(title), .string(body), .array(of: "s", []), .options([:]), .int32(-1),
    ]
    _ = try bus.call(Self.call("Notify", arguments), milliseconds: Self.patience)
  }

  private static func call(_ member: String, _ arguments: [BusValue] = []) -> BusCall {
    BusCall(to: name, at: "/org/freedesktop/Notifications", name, member, arguments)
  }
}

/// Why nothing was shown. It is tried again.
enum NoticeProblem: Error, CustomStringConvertible {
  case daemon(ClientError)
  case bus(BusError)
  case file(SystemError)

  var description: String {
    switch self {
    case .daemon(let error): error.description
    case .bus(.refused("org.freedesktop.DBus.Error.ServiceUnknown", _)): "no notification service runs in this session"
    case .bus(let error): "the notification service shows nothing: \(error)"
    case .file(let error): "cannot remember which notices were shown: \(error.description)"
    }
  }
}

/// A text as the title or body of a notification.
///
///     NotificationText("a <b>b</b>", hasMarkup: true).text     // "a &lt;b&gt;b&lt;/b&gt;"
///
/// The attack: an account or an app with a name such as `<a href="…">` becomes a link, or a picture that is loaded, in a
/// notice that speaks for the organisation. A service without `body-markup` would show the entities themselves. It goes by
/// Unicode scalars: a character of Swift may be a `<` with an accent on it, which equals no `<`. What a person cannot see,
/// or what turns the text around, is U+FFFD; marks that languages need stay (`isHiddenInWords`).
struct NotificationText {
  let text: String

  init(_ text: String, hasMarkup: Bool) {
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&" where hasMarkup: shown.append(contentsOf: "&amp;".unicodeScalars)
      case "<" where hasMarkup: shown.append(contentsOf: "&lt;".unicodeScalars)
      case ">" where hasMarkup: shown.append(contentsOf: "&gt;".unicodeScalars)
      case "\"" where hasMarkup: shown.append(contentsOf: "&quot;".unicodeScalars)
      case "'" where hasMarkup: shown.append(contentsOf: "&apos;".unicodeScalars)
      default: shown.append(scalar.isHiddenInWords ? "\u{FFFD}" : scalar)
      }
    }
    self.text = String(shown)
  }
}
