internal import Glibc
internal import Platform
internal import PolicyFiles
internal import PolicyTools
internal import WebViewGuardClient

/// The directory of a trial: a runtime directory of its own with the guard's socket in it.
///
/// Clients without a system's daemon look for the socket below `XDG_RUNTIME_DIR`. The directory therefore leads to everything
/// else of the real one, so that a program finds its display and its sound.
struct TrialPlace {
  let root: String
  /// The directory of the socket.
  let directory: String
  private let isOwn: Bool

  var socket: String { directory + "/guard.sock" }

  init(stated: String?) throws(CommandFailure) {
    if let stated {
      (root, directory, isOwn) = (stated, stated, false)
      return
    }
    var template = Array("/tmp/webviewguard-trial-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw CommandFailure("no directory can be made: \(SystemWords.last)") }
    root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    directory = root + "/runtime/webviewguard"
    isOwn = true
    for path in [root + "/runtime", directory] where mkdir(path, 0o700) != 0 {
      throw CommandFailure("cannot make `\(path)`: \(SystemWords.last)")
    }
    linkRuntime()
  }

  /// Clients believe nobody but root and the daemon's user on a machine with a daemon of its own, whatever path they are given:
  /// a user could put another policy in the place of the organisation's. In a user namespace its person is root.
  static func warnWhereNobodyBelievesIt(_ verb: String) {
    guard geteuid() != 0, DaemonPlace.hasSystemDaemon else { return }
    StandardError.say(
      """
      webviewguard: this machine has a daemon of its own, and clients believe only that one and root: if they ask nothing here, \
      start `unshare --map-root-user webviewguard \(verb) …`, and hand the program `{socket}`
      """)
  }

  private func linkRuntime() {
    guard let real = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }), !real.isEmpty else { return }
    for name in (try? Directory.names(in: real)) ?? [] where name != "webviewguard" {
      symlink(real + "/" + name, root + "/runtime/" + name)
    }
  }

  /// Leads programs that are started from now on to the socket.
  func lead() { if isOwn { setenv("XDG_RUNTIME_DIR", root + "/runtime", 1) } }

  func remove() { if isOwn { Self.remove(root) } }

  private static func remove(_ path: String) {
    for name in (try? Directory.names(in: path)) ?? [] {
      let inner = path + "/" + name
      if unlink(inner) != 0, errno == EISDIR || errno == EPERM { remove(inner) }
    }
    rmdir(path)
  }
}

/// The program of a trial, in a session of its own. All that it starts ends with it.
final class TrialProgram {
  private let process: Int32
  private let family: Descendants
  private(set) var status: Int32?

  private init(_ process: Int32, _ family: Descendants) { (self.process, self.family) = (process, family) }

  /// - Parameter url: stands for `{url}` among the arguments; an argument of its own at the end when none has it.
  ///   - family: made before; its processes end with the program.
  ///   - showsOutput: what it prints appears among our own errors, as a test's has to.
  static func start(
    _ command: [String], at place: TrialPlace, url: String, family: Descendants, showsOutput: Bool = false
  ) throws(CommandFailure) -> TrialProgram {
    place.lead()
    let names = command.contains { $0.contains("{url}") }
    let arguments = command.map { $0.replacing("{url}", with: url).replacing("{socket}", with: place.socket) }
    let whole = arguments + (names || url.isEmpty ? [] : [url])
    let started =
      showsOutput
      ? ChildProgram.startTelling(["/bin/sh", "-c", #"exec "$@" >&2"#, "sh"] + whole, "")
      : ChildProgram.startApart(whole)
    guard let process = started else {
      throw CommandFailure("cannot start `\((command.first ?? "").escapedForDisplay)`: \(SystemWords.last)")
    }
    return TrialProgram(process, family)
  }

  /// It has ended, by itself or by `stop`.
  var hasEnded: Bool {
    if status == nil { status = ChildProgram.status(of: process) }
    return status != nil
  }

  /// Nothing of it goes on: a program may leave its work to others that it started, and end.
  var isGone: Bool { hasEnded && (kill(-process, 0) != 0 || !Self.hasLiving(process)) }

  /// Whether a process of a group runs. One that has ended stays in its group until its parent asks about it, which may be
  /// never in a container.
  private static func hasLiving(_ group: Int32) -> Bool {
    for name in (try? Directory.names(in: "/proc")) ?? [] where Int32(name) != nil {
      // `pid (name) state parent group …`; the name may hold anything.
      let text = SmallFile.text(at: "/proc/\(name)/stat", maximum: 4096) ?? ""
      let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
      if fields.count > 2, fields[0] != "Z", fields[2] == String(group) { return true }
    }
    return false
  }

  /// Ends it and everything that it started: kindly, then not.
  func stop() {
    family.signal(SIGTERM)
    for _ in 0..<100 where !hasEnded { usleep(10_000) }
    family.end()
  }
}
