internal import GuardModel
internal import TestSupport
package import URLRules
package import URLStandard

extension IndexKey {
  /// Whether the key holds of a judged URL, in the most obvious way. Lists are not asked.
  package func holds(of record: URLRecord) -> Bool {
    switch self {
    case .host(let name, let below, let path):
      return hasHost(record, String(decoding: name, as: UTF8.self), orBelow: below)
        && record.pathname.utf8.starts(with: path)
    case .url(let href): return record.bytes == href
    case .network(let network): return ReferenceAddress(record.hostname)?.isIn(network) ?? false
    case .text(let pattern): return found(pattern, in: record)
    case .list: return false
    }
  }

  /// What is below a name is no address.
  private func hasHost(_ record: URLRecord, _ name: String, orBelow: Bool) -> Bool {
    if record.hostname == name { return true }
    let isAddress = record.hostKind == .ipv4 || record.hostKind == .ipv6
    return orBelow && !isAddress && record.hostname.hasSuffix("." + name)
  }

  /// A text that is no pattern is found nowhere, and one whose search fails may be anywhere.
  private func found(_ pattern: String, in record: URLRecord) -> Bool {
    guard let regex = try? Regex(pattern) else { return false }
    let runner = RegexRunner()
    runner.beginDecision(subjectBytes: record.bytes.count)
    return regex.matches(record.bytes.span, runner) != .no
  }
}

extension URLSubject {
  /// The judged URL of a text; nil when there is none.
  package static func judged(_ text: String) -> URLRecord? {
    var subject = URLSubject()
    subject.read(text)
    return subject.kind == .url ? subject.judged : nil
  }
}
