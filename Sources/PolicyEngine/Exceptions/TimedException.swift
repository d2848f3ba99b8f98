package import GuardModel
package import URLRules

/// A site that an administrator lets in for a limited time: a URL of it counts as internal although a rule set calls it
/// external.
///
/// It lifts nothing else. Accounts that may not work, URLs with credentials, unregistered viewers, and the settings for
/// clips, files and programs hold as before.
package struct TimedException: Sendable, Hashable {
  /// Unlike that of any other exception: `k7m2q9xw`
  package var id: String
  package var host: HostName
  /// The hosts below it are included.
  package var takesHostsBelow: Bool
  /// Nil: of every app.
  package var app: String?
  /// As the administrator spelled it; nil: every account, and no account.
  package var account: String?
  /// The purposes that the URL may serve.
  package var subjects: Purposes
  /// The time of the grant, in milliseconds since 1970.
  package var since: UInt64
  /// The first moment in which it no longer holds, likewise: a whole second.
  package var until: UInt64
  package var grantor: Administrator
  /// In the grantor's words.
  package var cause: String
  /// It ends with the daemon, too, and is kept nowhere.
  package var endsWithDaemon = false

  package init(
    id: String, host: HostName, takesHostsBelow: Bool, subjects: Purposes = .excepted, since: UInt64, until: UInt64,
    grantor: Administrator, cause: String
  ) {
    self.id = id
    self.host = host
    self.takesHostsBelow = takesHostsBelow
    self.subjects = subjects
    self.since = since
    self.until = until
    self.grantor = grantor
    self.cause = cause
  }

  /// The host as text: `files.example`
  package var hostText: String { String(decoding: host.bytes, as: UTF8.self) }

  package var report: ExceptionReport {
    let site = "\(takesHostsBelow ? "domain" : "host") `\(hostText)`"
    return ExceptionReport(id: id, site: site, grantor: grantor.words, cause: cause, until: until)
  }
}

/// A person at the admin socket.
package struct Administrator: Sendable, Hashable {
  package var uid: UInt32
  /// The name that the system had for the number; nil when it had none.
  package var user: String?

  package init(uid: UInt32, user: String?) {
    self.uid = uid
    self.user = user
  }

  /// `alice (uid 1000)`
  package var words: String { user.map { "\($0) (uid \(uid))" } ?? "uid \(uid)" }
}

extension Purposes {
  /// The purposes of an exception that names none: the parts that make up a page. Files only if they are named.
  package static let excepted: Purposes = [.page, .frame, .resource]
}
