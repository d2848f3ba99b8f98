internal import GuardModel

import JSONText

/// Reads lines of a log as records. It looks at no hash: `LogVerifier` does.
package struct LogRecordReader: ~Copyable {
  private var parser = JSONParser(maximumLength: LogLimits.recordBytes)

  package init() {}

  /// The record in a line, without its newline; nil when it holds none of a known version.
  package mutating func read(_ line: Span<UInt8>) -> LogRecord? {
    guard let root = try? parser.parse(line), root["v"]?.uint == UInt64(LogEncoder.version) else { return nil }
    guard let seq = root["seq"]?.uint, let type = root["type"]?.string, let time = root["time"]?.string,
      let milliseconds = RFC3339.milliseconds(time)
    else { return nil }
    return LogRecord(seq: seq, milliseconds: milliseconds, type: type, members: Self.members(of: root))
  }

  private static let chainNames: Set<String> = ["v", "seq", "time", "type", "prev"]

  private static func members(of root: JSONValue) -> [LogRecord.Member] {
    var kept: [LogRecord.Member] = []
    var members = root.members
    while let member = members.next() {
      let name = member.key.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
      guard !chainNames.contains(name) else { continue }
      if name == "advised", member.value.kind == .object {
        kept += advice(member.value)
      } else {
        kept.append(LogRecord.Member(name: name, text: text(of: member.value)))
      }
    }
    return kept
  }

  /// The advice as members of the record; those of later versions are left out.
  private static func advice(_ advice: JSONValue) -> [LogRecord.Member] {
    adviceNames.compactMap { name, member in
      guard let value = advice[name] else { return nil }
      return LogRecord.Member(name: member, text: text(of: value))
    }
  }

  private static let adviceNames: [(StaticString, String)] = [
    ("outcome", "advised"), ("reason", "advisedReason"), ("cause", "advisedBy"), ("ruleSet", "advisedRuleSet"),
    ("rule", "advisedRule"), ("ruleLocation", "advisedRuleLocation"),
  ]

  private static func text(of value: JSONValue) -> String {
    if let string = value.string { return string }
    if let bool = value.bool { return bool ? "true" : "false" }
    if let number = value.uint { return String(number) }
    if let number = value.int { return String(number) }
    if let number = value.double { return String(number) }
    if let uid = value["uid"]?.uint, let bytes = value["bytes"]?.uint { return "\(uid):\(bytes)" }
    return value.kind == .array ? list(of: value) : value.isNull ? "null" : "{…}"
  }

  private static func list(of array: JSONValue) -> String {
    var parts: [String] = []
    var elements = array.elements
    while let element = elements.next() { parts.append(text(of: element)) }
    return parts.joined(separator: ",")
  }
}
