internal import CTrial
internal import Glibc
internal import Platform

/// All that a trial's program started, also what left its session: such as crash handlers and daemons that it launched.
///
///     let family = Descendants()        // before the program starts
///     family.end()                      // now nothing of it runs
///
/// A process whose parent ends becomes our child, so that each one descends from us until it has ended. Only descendants are
/// ended, each by a descriptor of its own: its number may mean another process a moment later.
final class Descendants {
  private struct Process {
    let id: Int32
    let parent: Int32
    let hasEnded: Bool
    /// When it started, in ticks: with its number that is one process of all that ever ran.
    let start: String
  }

  /// Ours, and not the program's: what was there before, and the daemon of the trial. What they start is spared, too.
  private var spared: Set<Int32> = []

  /// How often somebody is looked for who starts others faster than they end.
  private static let mostTurns = 400

  init() {
    _ = adopt_orphans()
    spared = Set(Self.running().filter { $0.parent == getpid() }.map(\.id))
  }

  func spare(_ process: Int32) { spared.insert(process) }

  /// Sends a signal to all of them.
  func signal(_ number: Int32) {
    for process in living() where !process.hasEnded { Self.send(number, to: process) }
  }

  /// Ends them all. Two looks in a row must find nobody: one may miss a process that is started meanwhile.
  func end() {
    var quiet = 0
    for _ in 0..<Self.mostTurns {
      let living = living()
      quiet = living.isEmpty ? quiet + 1 : 0
      if quiet == 2 { return }
      for process in living {
        if !process.hasEnded { Self.send(SIGKILL, to: process) }
        if process.parent == getpid() { _ = ChildProgram.status(of: process.id) }
      }
      if !living.isEmpty { usleep(5_000) }
    }
  }

  private static func send(_ number: Int32, to process: Process) {
    let descriptor = open_process(process.id)
    defer { if descriptor >= 0 { close(descriptor) } }
    guard look(at: String(process.id))?.start == process.start else { return }
    // A kernel without such descriptors takes the number.
    if descriptor < 0 || signal_process(descriptor, number) != 0 && errno == ENOSYS { kill(process.id, number) }
  }

  private func living() -> [Process] {
    let children = Dictionary(grouping: Self.running(), by: \.parent)
    var found: [Process] = []
    var parents = [getpid()]
    while let parent = parents.popLast() {
      for child in children[parent] ?? [] where !spared.contains(child.id) {
        found.append(child)
        parents.append(child.id)
      }
    }
    return found
  }

  private static func running() -> [Process] {
    ((try? Directory.names(in: "/proc")) ?? []).filter { Int32($0) != nil }.compactMap(look)
  }

  /// `pid (name) state parent group …`; the name may hold anything.
  private static func look(at name: String) -> Process? {
    let text = SmallFile.text(at: "/proc/\(name)/stat", maximum: 4096) ?? ""
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 19, let id = Int32(name), let parent = Int32(fields[1]) else { return nil }
    return Process(id: id, parent: parent, hasEnded: fields[0] == "Z" || fields[0] == "X", start: String(fields[19]))
  }
}
