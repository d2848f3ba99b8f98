internal import GuardModel
package import PolicyEngine

/// A protection's settings as text, by their keys in a file.
extension Protection {
  /// Every setting with its own value, as it would be written; nil for one that goes with another.
  package var writtenSettings: [(key: String, value: String?)] {
    let transfer: [(String, String?)] = [
      ("webTransfer", webTransfer.name), ("externalInPlace", externalInPlace.rawValue),
      ("clipboard.level", clipboard.level.rawValue),
      ("clipboard.exceptionLength", String(clipboard.exceptionLength)),
      ("clipboard.exceptionPerMinute", clipboard.exceptionPerMinute.map(String.init) ?? "no budget"),
      ("clipboard.replacement", clipboard.replacement ?? ClipboardSettings.standardReplacement),
      ("send", send.rawValue), ("receive", receive.rawValue),
      ("save.allowed", String(save.allowed)), ("save.exceptions", save.writtenExceptions),
      ("open.allowed", String(open.allowed)), ("open.exceptions", open.writtenExceptions),
      ("managedApps", Self.list(managedApps)), ("telecommunication", telecommunication.written),
      ("messaging", messaging.written), ("exemptSchemes", Self.list(exemptSchemes)),
      ("managedSchemes", Self.list(managedSchemes)),
    ]
    let permissions = Self.permissions.map { key, path in (key, self[keyPath: path].rawValue as String?) }
    let more: [(String, String?)] = [
      ("automation", automation?.rawValue), ("notifications", notifications.rawValue),
      ("inspection.required", String(requiresInspection)), ("encrypt", String(encrypt)),
      ("encryption.by", encryptBy.rawValue), ("unlock", unlock.rawValue),
      ("recheckAfter", "\(recheckAfter / 1000)s"),
      ("warn", "[\(warn.kinds.map(\.name).joined(separator: ", "))]"),
      ("monitorOnly.until", monitoredUntil.map(MonitoredPart.day) ?? "not monitored"),
    ]
    return transfer + permissions + more
  }

  package func writtenValue(of key: String) -> String { writtenSettings.first { $0.key == key }?.value ?? "" }

  private static func list(_ names: [[UInt8]]) -> String {
    "[\(names.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ", "))]"
  }
}

extension LaunchCondition {
  /// In one line: `osVersion atLeast 12.4: block after 14d`
  package var written: String {
    let time = grace > 0 && action != .warn ? " after \(Self.duration(grace))" : ""
    return "\(check) \(comparison.rawValue) \(value.text): \(action.name)\(time)"
  }

  /// As a file has it: `14d`, `36h`, `90m`, `5s`
  static func duration(_ milliseconds: UInt64) -> String {
    guard milliseconds.isMultiple(of: 1000) else { return "\(milliseconds)ms" }
    let seconds = milliseconds / 1000
    for (unit, letter) in [(86_400, "d"), (3600, "h"), (60, "m")] as [(UInt64, String)] {
      if seconds >= unit, seconds.isMultiple(of: unit) { return "\(seconds / unit)\(letter)" }
    }
    return "\(seconds)s"
  }
}

extension Protection {
  package var writtenNotCheckedAfter: String { LaunchCondition.duration(notCheckedAfter) }
}

extension SchemeClassSetting {
  /// As it would be written: `any`, `none`, `{ desktopId: org.gnome.Calls.desktop }`
  package var written: String {
    switch self {
    case .any: "any"
    case .none: "none"
    case .program(let program): "{ \(program.written.joined(separator: ", ")) }"
    }
  }
}

extension Program {
  fileprivate var written: [String] {
    let command = command.map { "command: [\($0.joined(separator: ", "))]" }
    let rewriting = template == "{url}" ? nil : "template: \(template)"
    return [desktopID.map { "desktopId: \($0)" }, command, rewriting].compactMap(\.self)
  }
}

extension LocationSettings {
  fileprivate var writtenExceptions: String { "[\(exceptions.locations.map(\.name).joined(separator: ", "))]" }
}
