internal import Glibc
internal import Logging
internal import NIOCore
internal import Platform
internal import PolicyEngine

/// A socket that connections come through.
struct Listener: Sendable {
  let servedSocket: ServedSocket
  /// The file to make it from; nil for a service manager's, which is not ours to make.
  let file: SocketFile?
  /// Where clients find it; nil for one without a file.
  let path: String?
  /// Which file that was before the first connection; nil when there was none.
  var identity: FileIdentity?
  var channel: any Channel

  /// A socket of our own.
  init(_ servedSocket: ServedSocket, _ file: SocketFile, _ made: MadeSocket, channel: any Channel) {
    self.servedSocket = servedSocket
    self.file = file
    self.channel = channel
    path = file.path
    identity = made.identity
  }

  /// A service manager's socket.
  init(_ servedSocket: ServedSocket, adopted: AdoptedSocket, channel: any Channel) {
    self.servedSocket = servedSocket
    file = nil
    self.channel = channel
    // An abstract name is no file.
    path = adopted.path.flatMap { $0.hasPrefix("/") ? $0 : nil }
    identity = path.flatMap(FileIdentity.init(path:))
  }

  /// Apps that look for it find nothing, or another file. True as well when there was no file from the beginning.
  var isGone: Bool {
    guard let path else { return false }
    return identity == nil || FileIdentity(path: path) != identity
  }
}

/// Looks every second whether the sockets are still where apps look for them. Lives on the event loop.
///
/// The fault: a user clears `/run`, or a script removes unknown files. Apps would then be blocked, without an answer,
/// until an administrator starts the daemon anew. Connections that are open go on in any case.
final class SocketWatch {
  private var listeners: [Listener]
  private var lock: FileLock
  private let place: SocketPlace
  private let core: NIOLoopBound<GuardCore>
  private var isMending = false
  /// Why a socket is not where it should be; nil when all are.
  private(set) var failure: String?

  init(_ listeners: [Listener], lock: FileLock, at place: SocketPlace, _ core: NIOLoopBound<GuardCore>) {
    self.listeners = listeners
    self.lock = lock
    self.place = place
    self.core = core
  }

  /// The names of the apps' own sockets.
  var names: Set<String> { Set(listeners.compactMap(\.servedSocket.socket)) }

  /// Takes no more connections.
  func close() -> EventLoopFuture<Void> {
    let closed = listeners.map { $0.channel.close() }
    listeners = []
    return EventLoopFuture.andAllComplete(closed, on: core.eventLoop)
  }

  /// Takes away the sockets that the daemon made, and lets go of the lock.
  func clear() { place.clear(lock) }

  func check() {
    guard !isMending else { return }
    let gone = listeners.indices.filter { listeners[$0].isGone }
    guard let first = gone.first else { return note(nil) }
    let mendable = gone.first { listeners[$0].file != nil }
    if let mendable { return mend(mendable) }
    note("the service manager's socket `\(listeners[first].path ?? "")` is gone; restart its unit")
  }

  /// Makes one socket again; the next is seen to a second later.
  private func mend(_ index: Int) {
    guard let file = listeners[index].file else { return }
    let made: MadeSocket
    do throws(StartError) {
      if !lock.isInPlace { lock = try place.lock() }
      made = try file.listen()
    } catch {
      return note("the socket `\(file.path)` is gone: \(error)")
    }
    isMending = true
    let bound = NIOLoopBound(self, eventLoop: core.eventLoop)
    GuardServer.listen(at: made.descriptor, listeners[index].servedSocket, core).whenComplete { result in
      bound.value.isMending = false
      bound.value.replace(index, by: made, result)
    }
  }

  private func replace(_ index: Int, by made: MadeSocket, _ result: Result<any Channel, any Error>) {
    let channel: any Channel
    switch result {
    case .failure(let error): return note("nobody can be let in again: \(error)")
    case .success(let made): channel = made
    }
    guard listeners.indices.contains(index), let file = listeners[index].file else {
      return channel.close(promise: nil)
    }
    listeners[index].channel.close(promise: nil)
    listeners[index].channel = channel
    listeners[index].identity = made.identity
    core.value.logger.warning("a socket was gone and is there again", metadata: ["socket": "\(file.path)"])
  }

  /// Reports a failure once, and once its end.
  private func note(_ failure: String?) {
    guard failure != self.failure else { return }
    self.failure = failure
    if let failure {
      core.value.logger.critical("\(failure)")
    } else {
      core.value.logger.notice("all sockets are in their places")
    }
  }
}
