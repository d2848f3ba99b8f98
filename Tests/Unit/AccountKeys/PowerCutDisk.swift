import AccountKeys
import Platform
import TestSupport

/// A disk in memory whose power can be cut between any two steps, and which remembers everything that ever stood on it.
///
/// The kernel's view and the disk's differ until a sync. At a cut each file that was not synced has its old bytes, its new
/// ones or a torn mixture; each directory has gone some part of the way from its last sync, in the order of its changes.
final class PowerCutDisk: KeyDisk, @unchecked Sendable {
  /// A file or a directory.
  final class Node {
    let isDirectory: Bool
    var bytes: [UInt8] = []
    var durable: [UInt8] = []
    var entries: [String: Node] = [:]
    /// The entries as they were after each change since the last sync; the first are those of the disk.
    var history: [[String: Node]] = [[:]]

    init(isDirectory: Bool) { self.isDirectory = isDirectory }

    func change(_ body: (inout [String: Node]) -> Void) {
      body(&entries)
      history.append(entries)
    }
  }

  private(set) var root = Node(isDirectory: true)
  /// Every file that there ever was: what was removed still lies in free blocks.
  private var files: [Node] = []
  private(set) var steps = 0
  /// The number of the step at which everything ends; nil never.
  var end: Int?
  /// Calls from this one on fail with an error of the system, and nothing happens.
  var failing: ClosedRange<Int>?

  private static let cut = KeyStoreError.system(SystemError("reach", "the disk", 5))

  /// The program is dead, whatever it does with the errors that it gets from now on.
  var isEnded: Bool { end.map { steps >= $0 } ?? false }

  private func step() throws(KeyStoreError) {
    steps += 1
    if let end, steps >= end { throw Self.cut }
    if let failing, failing.contains(steps) { throw .system(SystemError("write", "the disk", 28)) }
  }

  /// The program ends here, and another one starts. Without power the kernel's view is lost.
  func restart(withoutPower: Bool, _ random: inout SeededGenerator) {
    (end, failing, steps) = (nil, nil, 0)
    guard withoutPower else { return }
    lose(root, &random)
    for file in files where file.bytes != file.durable {
      file.durable = torn(file.durable, file.bytes, &random)
      file.bytes = file.durable
    }
  }

  private func lose(_ directory: Node, _ random: inout SeededGenerator) {
    directory.entries = directory.history[random.below(directory.history.count)]
    directory.history = [directory.entries]
    for entry in directory.entries.values where entry.isDirectory { lose(entry, &random) }
  }

  private func torn(_ old: [UInt8], _ new: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    switch random.below(3) {
    case 0: return old
    case 1: return new
    default:
      let place = random.below(new.count + 1)
      return Array(new.prefix(place)) + Array(old.dropFirst(place))
    }
  }

  /// The bytes of every file that there ever was, as they stand on the disk.
  var image: [[UInt8]] { files.map(\.durable) }

  // MARK: Looking and tampering

  func node(_ path: String) -> Node? {
    path.split(separator: "/").reduce(Optional(root)) { $0?.entries[String($1)] }
  }

  /// A copy of everything below a path, as a backup takes it.
  func backup(of path: String) -> Node? { node(path).map(copy) }

  private func copy(_ node: Node) -> Node {
    let copied = Node(isDirectory: node.isDirectory)
    (copied.bytes, copied.durable) = (node.bytes, node.bytes)
    for (name, entry) in node.entries { copied.entries[name] = copy(entry) }
    copied.history = [copied.entries]
    return copied
  }

  /// Puts a copy in the place of what is there. The backup is no part of the disk's image: that it has the old bytes is
  /// what this is about.
  func restore(_ backup: Node?, to path: String) {
    let (directory, name) = Self.split(path)
    guard let directory = node(directory) else { return }
    directory.entries[name] = backup.map(copy)
    directory.history = [directory.entries]
  }

  private static func split(_ path: String) -> (directory: String, name: String) {
    let parts = path.split(separator: "/")
    return (parts.dropLast().joined(separator: "/"), parts.last.map(String.init) ?? "")
  }

  private func entry(_ path: String) throws(KeyStoreError) -> Node {
    guard let found = node(path) else { throw .system(SystemError("open", path, 2)) }
    return found
  }

  private func around(_ path: String) throws(KeyStoreError) -> (directory: Node, name: String) {
    let (directory, name) = Self.split(path)
    return (try entry(directory), name)
  }

  // MARK: The steps

  func names(in directory: String) throws(KeyStoreError) -> [String]? {
    try step()
    return node(directory).map { Array($0.entries.keys) }
  }

  func bytes(at path: String, maximum: Int) throws(KeyStoreError) -> [UInt8]? {
    try step()
    guard let file = node(path) else { return nil }
    guard file.bytes.count <= maximum else { throw .damaged(path: path, reason: "it is too long") }
    return file.bytes
  }

  func makeDirectory(_ path: String) throws(KeyStoreError) {
    try step()
    let (directory, name) = try around(path)
    if directory.entries[name] == nil { directory.change { $0[name] = Node(isDirectory: true) } }
  }

  func create(_ path: String, _ bytes: [UInt8]) throws(KeyStoreError) {
    try step()
    let (directory, name) = try around(path)
    guard directory.entries[name] == nil else { throw .system(SystemError("open", path, 17)) }
    let file = Node(isDirectory: false)
    files.append(file)
    directory.change { $0[name] = file }
    try step()
    file.bytes = bytes
    try step()
    file.durable = bytes
  }

  func move(_ path: String, to other: String) throws(KeyStoreError) {
    try step()
    let (directory, name) = try around(path)
    let moved = try entry(path)
    directory.change { entries in
      entries[name] = nil
      entries[Self.split(other).name] = moved
    }
  }

  func sync(_ path: String) throws(KeyStoreError) {
    try step()
    let directory = try entry(path)
    directory.history = [directory.entries]
  }

  func overwrite(_ path: String) throws(KeyStoreError) {
    try step()
    let file = try entry(path)
    file.bytes = [UInt8](repeating: 0, count: file.bytes.count)
    try step()
    file.durable = file.bytes
  }

  func remove(_ path: String) throws(KeyStoreError) {
    try step()
    let (directory, name) = try around(path)
    let removed = try entry(path)
    guard removed.entries.isEmpty else { throw .system(SystemError("remove", path, 39)) }
    directory.change { $0[name] = nil }
  }
}

extension PowerCutDisk {
  /// A machine whose state directory is there.
  static func machine() -> PowerCutDisk {
    let disk = PowerCutDisk()
    let state = Node(isDirectory: true)
    disk.root.entries["state"] = state
    disk.root.history = [disk.root.entries]
    return disk
  }
}
