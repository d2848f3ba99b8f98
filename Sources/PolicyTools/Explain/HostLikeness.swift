internal import GuardModel
internal import URLRules
internal import URLStandard

/// The likeness of a rule's host to the host of a URL that the rule does not take.
///
///     HostProbe(of contoso.com.evil.example).likeness(to: contoso.com)   // .begins
enum HostLikeness {
  case none
  /// The very host; something else keeps the rule from taking the URL.
  case same
  /// The rule names a host below this one.
  case below
  /// The rule names a host above this one.
  case above
  /// The host begins with the rule's: `contoso.com.evil.example`.
  case begins
  /// It ends with the rule's, but not at a label border: `evilcontoso.com`.
  case ends
  /// It differs in one letter as people see it: `cont0so.com`, or a Cyrillic `о`.
  case looksAlike
  /// The rule's host stands before the `@`.
  case userName

  /// To stand behind "the host is …".
  var words: String? {
    switch self {
    case .none, .same: nil
    case .below: "which is above that"
    case .above: "which is below that"
    case .begins: "which only begins with that"
    case .ends: "which ends so, but not behind a dot"
    case .looksAlike: "which only looks like that"
    case .userName: "and what stands before `@` is a user name"
    }
  }
}

/// A URL's host, prepared for comparing it with the hosts of many rules.
struct HostProbe {
  private let host: [UInt8]
  /// The host and its parts after each dot, as people see them.
  private let seen: [[Unicode.Scalar]]
  private let userName: [UInt8]

  init(_ subject: borrowing URLSubject) {
    let record = subject.judged
    host = Array(record.bytes[record.hostRange])
    userName = Array(URLExplanation.userName(in: subject).utf8)
    let text = domainToUnicode(record.hostname) ?? record.hostname
    let scalars = Array(text.unicodeScalars)
    let starts = scalars.indices.suffix(Self.maximumSeen).filter { $0 == 0 || scalars[$0 - 1] == "." }
    seen = starts.map { Array(scalars[$0...]) }
  }

  func likeness(to name: [UInt8]) -> HostLikeness {
    if name == host { return .same }
    if Self.stands(name, below: host) { return .below }
    if Self.stands(host, below: name) { return .above }
    if !userName.isEmpty, name == userName { return .userName }
    // A name of a few letters, or of one label, is in many others by chance.
    guard name.count >= 5, name.contains(Self.dot) else { return .none }
    if host.count > name.count {
      if host[name.count] == Self.dot, host.starts(with: name) { return .begins }
      if host[host.count - name.count - 1] != Self.dot, host.suffix(name.count).elementsEqual(name) { return .ends }
    }
    return seen.contains { Self.differInOne($0, name) } ? .looksAlike : .none
  }

  /// No name that leads anywhere is longer (RFC 1035, section 2.3.4), and a URL may hold thirty thousand dots.
  private static let maximumSeen = 253

  private static let dot = UInt8(ascii: ".")

  /// At a label border; a name of one label has everything below it.
  private static func stands(_ name: [UInt8], below host: [UInt8]) -> Bool {
    let border = name.count - host.count - 1
    return border > 0 && name[border] == dot && host.contains(dot) && name.suffix(host.count).elementsEqual(host)
  }

  /// Whether one letter was changed, added or left out.
  private static func differInOne(_ seen: [Unicode.Scalar], _ name: [UInt8]) -> Bool {
    guard abs(seen.count - name.count) <= 1 else { return false }
    var start = 0
    let shorter = min(seen.count, name.count)
    while start < shorter, seen[start].value == UInt32(name[start]) { start += 1 }
    var end = 0
    while end < shorter - start, seen[seen.count - 1 - end].value == UInt32(name[name.count - 1 - end]) { end += 1 }
    let rest = max(seen.count, name.count) - start - end
    return rest == 1
  }
}
