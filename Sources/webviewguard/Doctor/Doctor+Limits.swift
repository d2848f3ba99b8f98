internal import Glibc
internal import GuardService
internal import JSONText
internal import PolicyFiles
internal import PolicyTools

/// How many files the daemon may open, beside how many connections it may take.
extension Doctor {
  var limitFindings: [Finding] {
    guard let process, let limit = Self.openFiles(of: process) else { return [] }
    // Log, state, sockets, the event loop's own, administrators, and what a load reads.
    let needed = settings.limits.connections + Self.reserve
    guard limit < needed else {
      return [
        .ok("limits", "the daemon may open \(limit) files, for at most \(settings.limits.connections) connections")
      ]
    }
    return [
      .problem(
        "limits",
        "the daemon may open \(limit) files, and `limits.connections` promises \(settings.limits.connections)",
        "set `LimitNOFILE=` of the unit to \(needed) or more, or lower `limits.connections`")
    ]
  }

  private static let reserve = 192

  /// The limit that holds, of another process.
  private static func openFiles(of process: pid_t) -> Int? {
    guard let bytes = try? FileBytes.read("/proc/\(process)/limits", limit: 1 << 16) else { return nil }
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("Max open files") }
    return line?.split(separator: " ").dropFirst(3).first.flatMap { Int($0) }
  }
}
