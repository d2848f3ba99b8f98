internal import CLinux
internal import Glibc
package import GuardProtocol
package import Platform

/// Orders on disk: `DIRECTORY/UID/REQUEST.json`.
///
/// Only the person of an order, the daemon and root may read it: it names an account and its organisation.
/// `DIRECTORY/UID` belongs to the daemon and has an access list for that person. `DIRECTORY` may be listed by
/// everybody, since the service manager watches it; it has nothing but numbers of users.
extension WipeOrder {
  /// The directory in which the daemon of a system writes orders.
  package static let systemDirectory = "/run/webviewguard/wipe"

  /// Writes the order, in place of an earlier one of the same request. Readers see the old or the new, never half of one.
  ///
  /// The service manager notices every writing (`webviewguard-wipe@.path`); writing an order again that was not reported
  /// on therefore asks again. It blocks: not for the event loop.
  ///
  /// - Parameter directory: `WipeOrder.systemDirectory`, but for tests.
  /// - Throws: also when the file system has no access lists (`EOPNOTSUPP`): then only the daemon could read it.
  package func write(in directory: String) throws(SystemError) {
    let own = Self.place(of: uid, in: directory)
    try Self.make(directory, mode: 0o755)
    try Self.make(own, mode: 0o700)
    guard let status = FileStatus(entry: own), status.kind == .directory, status.owner == geteuid() else {
      throw SystemError("write into", own, EPERM)
    }
    guard let_user_read_directory(own, uid) == 0 else { throw SystemError("set the access list of", own) }
    // The directory keeps all other users out.
    try SmallFile.replace(own + "/" + fileName, with: text, mode: 0o644)
  }

  /// Removes an order that was carried out or taken back; it is well when there is none. It blocks.
  package static func remove(_ request: String, of uid: UInt32, in directory: String) throws(SystemError) {
    guard isRequest(request) else { throw SystemError("remove the order", request, EINVAL) }
    let path = place(of: uid, in: directory) + "/" + request + ".json"
    guard unlink(path) == 0 || errno == ENOENT else { throw SystemError("remove", path) }
  }

  /// Removes the orders of all users but these; files that are no orders stay. It blocks.
  ///
  ///     WipeOrder.sweep("/run/webviewguard/wipe", keeping: [1000: ["w-7f3k-1"]])    // ["1001/w-2-1"]
  ///
  /// - Returns: those that it removed, each by its user and its name.
  package static func sweep(_ directory: String, keeping open: [UInt32: Set<String>]) -> [String] {
    var removed: [String] = []
    for uid in ((try? Directory.names(in: directory)) ?? []).compactMap({ UInt32($0) }) {
      for name in (try? Directory.names(in: place(of: uid, in: directory))) ?? [] where name.hasSuffix(".json") {
        let request = String(name.dropLast(5))
        guard isRequest(request), open[uid]?.contains(request) != true else { continue }
        if (try? remove(request, of: uid, in: directory)) != nil { removed.append("\(uid)/\(request)") }
      }
    }
    return removed.sorted()
  }

  /// Those of these orders that are not there, by user. It blocks.
  ///
  ///     WipeOrder.missing([1000: ["w-7f3k-1"]], in: "/run/webviewguard/wipe")    // [:]
  package static func missing(_ open: [UInt32: Set<String>], in directory: String) -> [UInt32: Set<String>] {
    var missing: [UInt32: Set<String>] = [:]
    for (uid, requests) in open {
      let gone = requests.filter { FileStatus(entry: place(of: uid, in: directory) + "/" + $0 + ".json") == nil }
      if !gone.isEmpty { missing[uid] = gone }
    }
    return missing
  }

  static func place(of uid: UInt32, in directory: String) -> String { directory + "/\(uid)" }

  private static func make(_ path: String, mode: UInt32) throws(SystemError) {
    guard FileStatus(entry: path) == nil else { return }
    try Directory.make(path)
    guard chmod(path, mode) == 0 else { throw SystemError("change the mode of", path) }
  }
}

/// The orders for one person, read from their directory.
///
///     WipeOrders(directory: WipeOrder.systemDirectory, daemon: 990).read(for: 1000)
package struct WipeOrders: Sendable, Hashable {
  package var directory: String
  /// The uid of the daemon. Only it and root may write orders.
  package var daemon: UInt32

  package init(directory: String, daemon: UInt32) {
    self.directory = directory
    self.daemon = daemon
  }

  /// Maximum orders of a person that are read. Fewer wipes run at a time: one is pending on a machine (design, accounts,
  /// section 6).
  static let mostOrders = 16

  package struct Reading: Sendable, Hashable {
    /// In the order of their names.
    package var orders: [WipeOrder] = []
    /// One line each, for people.
    package var problems: [String] = []

    package init(orders: [WipeOrder] = [], problems: [String] = []) {
      (self.orders, self.problems) = (orders, problems)
    }
  }

  /// Reads the orders for a person. One that is doubtful in any way is a problem, and left alone.
  ///
  /// The attack: a user who could write an order, or replace a directory on the way to it, would choose
  /// the files that go.
  package func read(for uid: UInt32) -> Reading {
    var reading = Reading()
    let own = WipeOrder.place(of: uid, in: directory)
    guard FileStatus(own) != nil || errno != ENOENT else { return reading }
    // No group counts as the daemon's own.
    let check = PlaceCheck(uid: daemon, gid: .max)
    let faults = check.parentFindings(of: own) + [check.finding(at: own, .directory)].compactMap(\.self)
    guard faults.isEmpty else {
      reading.problems = faults.map { "the order is not believed: `\($0.path)` \($0.problem)" }
      return reading
    }
    let names: [String]
    do throws(SystemError) { names = try Directory.names(in: own).filter { $0.hasSuffix(".json") }.sorted() } catch {
      reading.problems = [error.description]
      return reading
    }
    for name in names.prefix(Self.mostOrders) { read(own + "/" + name, name, uid, check, into: &reading) }
    return reading
  }

  private func read(_ path: String, _ name: String, _ uid: UInt32, _ check: PlaceCheck, into reading: inout Reading) {
    do throws(SystemError) {
      let file = try OpenFile.reading(path, followsLink: false)
      if let fault = fault(of: file, check) { return reading.problems.append("`\(path)` \(fault)") }
      let order = try WipeOrder.read(file)
      switch order {
      case .success(let order) where order.uid == uid && order.fileName == name: reading.orders.append(order)
      case .success: reading.problems.append("`\(path)` is of another user or another request")
      case .failure(let fault): reading.problems.append("`\(path)` \(fault)")
      }
    } catch {
      reading.problems.append(error.description)
    }
  }

  private func fault(of file: borrowing OpenFile, _ check: PlaceCheck) -> String? {
    guard let status = file.status else { return "cannot be read" }
    guard status.kind == .regular, status.names == 1 else { return "is no file with one name" }
    return check.finding(at: file.path, status)?.problem
  }
}

extension WipeOrder {
  fileprivate static func read(_ file: borrowing OpenFile) throws(SystemError) -> Result<WipeOrder, WipeOrderFault> {
    // One byte more than is allowed, so that a longer file shows.
    let text = try file.bytes(maximum: maximumBytes + 1)
    do throws(WipeOrderFault) { return .success(try WipeOrder(parsing: text)) } catch { return .failure(error) }
  }
}
