internal import DecisionLog
internal import Glibc
internal import GuardModel
internal import GuardService
internal import Platform
internal import PolicyFiles
internal import PolicyTools

/// The decision log: is its newest file whole, and is there room for more?
extension Doctor {
  var logFindings: [Finding] {
    let area = "log"
    let directory = options.logPlace(settings)
    let file = directory + "/" + LogNames.active
    guard access(file, R_OK) == 0 else {
      let words = SystemWords.last
      guard errno == ENOENT else {
        return [.warning(area, "`\(file)` cannot be read: \(words)", "run this as root or as the daemon's user")]
      }
      return [
        status == nil
          ? .ok(area, "there is no log at `\(file)` yet")
          : .problem(
            area, "the daemon runs, and there is no log at `\(file)`",
            "look at `log` in `webviewguard status`, and give the same `--log-dir` as `serve`")
      ]
    }
    return [verification(of: file), spaceFinding(directory, file)].compactMap(\.self)
  }

  private func verification(of file: String) -> Finding {
    var verifier = LogVerifier(isPart: true)
    verifier.beginFile()
    do throws(CommandFailure) {
      let open = try FileBytes.open(file)
      try LogFiles.forEachChunk(of: file, open.descriptor) { chunk in verifier.read(chunk) }
    } catch {
      return .warning("log", error.message, "run this as root or as the daemon's user")
    }
    let result = verifier.finish()
    guard let problem = result.problem else {
      return .ok("log", "\(file): \(result.count) records are whole, head \(result.head.seq)")
    }
    // A line that a running daemon is about to finish is no damage.
    if status != nil, problem.line > result.count, result.count > 0, isGrowing(file) {
      return .ok("log", "\(file): \(result.count) records are whole, and more are being written")
    }
    return .problem(
      "log", "\(file):\(problem.line): \(problem.text)",
      "keep a copy of the file, and compare with the heads in the journal: `webviewguard log verify --head`")
  }

  /// A program is writing the file now.
  private func isGrowing(_ file: String) -> Bool {
    guard let before = Self.size(file) else { return false }
    usleep(300_000)
    return Self.size(file) != before
  }

  private static func size(_ file: String) -> Int? { FileStatus(file)?.size }

  /// The free bytes, compared with the growth of the log in the time that its newest file covers.
  private func spaceFinding(_ directory: String, _ file: String) -> Finding? {
    var system = statvfs()
    guard statvfs(directory, &system) == 0, let size = Self.size(file) else { return nil }
    let free = Int(clamping: system.f_bavail) * Int(clamping: system.f_frsize)
    let aDay = bytesADay(file, size)
    let remedy = "free some, give the log a larger place (`log.directory`), or keep less of it"
    let text = "\(Self.megabytes(free)) are free" + (aDay.map { ", and a day takes \(Self.megabytes($0))" } ?? "")
    if free < Self.leastFree { return .problem("log", "\(directory): only \(text)", remedy) }
    if let aDay, free / Self.daysAhead < aDay { return .warning("log", "\(directory): \(text)", remedy) }
    return .ok("log", "\(directory): \(text)")
  }

  private static let leastFree = 64 << 20
  /// The number of days that the disk should last.
  private static let daysAhead = 7
  private static let dayMilliseconds: UInt64 = 86_400_000

  /// The bytes written per day, from the newest file; nil when that covers less than an hour.
  private func bytesADay(_ file: String, _ size: Int) -> Int? {
    guard let first = firstTime(of: file), let last = try? LogFiles.tail(of: file).time,
      last >= first + Self.dayMilliseconds / 24
    else { return nil }
    return Int(clamping: UInt64(size) / (last - first + 1) * Self.dayMilliseconds)
  }

  private func firstTime(of file: String) -> UInt64? {
    var reader = LogRecordReader()
    var time: UInt64?
    try? LogFiles.forEachLine(of: file, beforeWaiting: {}) { line throws(CommandFailure) in
      time = reader.read(line)?.milliseconds
      throw CommandFailure("one line is enough")
    }
    return time
  }

  /// The time of the newest record, in milliseconds since 1970; nil without a readable one.
  var latestRecordTime: UInt64? {
    let file = options.logPlace(settings) + "/" + LogNames.active
    guard access(file, R_OK) == 0, let time = try? LogFiles.tail(of: file).time, time > 0 else { return nil }
    return time
  }

  static func megabytes(_ bytes: Int) -> String {
    bytes >= 10 << 20 ? "\(bytes >> 20) MiB" : "\(bytes >> 10) KiB"
  }
}
