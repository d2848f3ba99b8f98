internal import GuardModel
internal import GuardProtocol
internal import PolicyEngine
internal import URLRules

/// Reads an administrator's request; a doubtful one is refused, with a sentence that says why.
extension TimedException {
  /// For no longer than 30 days: a lasting exception belongs into a rule.
  static let longestSeconds: Int64 = 30 * 86_400
  static let longestCause = 500
  static let longestName = 255

  init(
    _ call: AddExceptionCall, id: String, at now: UInt64, by administrator: Administrator
  ) throws(AdminError) {
    let isDomain = call.domain != nil
    guard let text = call.domain ?? call.host, (call.domain == nil) != (call.host == nil) else {
      throw .exceptionRefused(.noSite, "an exception is for one host or one domain")
    }
    let host = try Self.host(text, isDomain: isDomain)
    guard (1...Self.longestSeconds).contains(call.seconds) else {
      throw .exceptionRefused(.badTime, "an exception is for a second at least, and for 30 days at most")
    }
    guard !call.cause.allSatisfy(\.isWhitespace), call.cause.utf8.count <= Self.longestCause else {
      throw .exceptionRefused(.badReason, "an exception needs a reason, of \(Self.longestCause) bytes at most")
    }
    // Every end is at a whole second: never before the requested time is over.
    let end = (now + 999) / 1000 + UInt64(call.seconds)
    self.init(
      id: id, host: host, takesHostsBelow: isDomain, since: now, until: end * 1000, grantor: administrator,
      cause: call.cause)
    app = call.app
    account = call.account
    if !call.subjects.isEmpty { subjects = call.subjects.reduce(into: Purposes()) { $0.formUnion($1.purposes) } }
    endsWithDaemon = call.untilRestart ?? false
  }

  private static func host(_ text: String, isDomain: Bool) throws(AdminError) -> HostName {
    guard text.utf8.count <= longestName, let host = HostName(text) else {
      throw .exceptionRefused(.badSite, "that is no host")
    }
    guard isDomain else { return host }
    guard !host.isAddress else {
      throw .exceptionRefused(.badSite, "an address has nothing below it: name it as a host")
    }
    guard !suffixes.holds(String(decoding: host.bytes, as: UTF8.self)) else {
      throw .exceptionRefused(.publicSuffix, "anybody can register a name below it: name a domain of one owner")
    }
    return host
  }

  /// Read once, when the first exception is asked for.
  private static let suffixes = PublicSuffixes()
}

extension ListedException {
  init(_ kept: KeptException) {
    self.init()
    let exception = kept.exception
    id = exception.id
    host = exception.hostText
    isDomain = exception.takesHostsBelow
    app = exception.app
    account = exception.account
    subjects = ClassifySubject.allCases.filter { exception.subjects.contains($0.purposes) }
    cause = exception.cause
    since = exception.since
    until = exception.until
    endsWithDaemon = exception.endsWithDaemon
    uid = exception.grantor.uid
    user = exception.grantor.user
    guard let endedAt = kept.endedAt else { return }
    self.endedAt = endedAt
    end = kept.remover == nil ? .over : .removed
    endedBy = kept.remover?.uid
  }
}

extension ClassifySubject {
  /// The same in the engine's terms.
  var purposes: Purposes {
    switch self {
    case .page: .page
    case .frame: .frame
    case .resource: .resource
    case .download: .download
    case .upload: .upload
    case .paste: .paste
    }
  }
}
