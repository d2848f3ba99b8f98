internal import Synchronization
internal import WebViewGuardClient
internal import WebViewGuardSealing

/// The downloads that a browser has written into their places: one after the other is labelled, and sealed or taken into the
/// account's directory, as the policy wants it. Questions do not wait for that.
///
/// A host that ends meanwhile leaves each file as it was, and the extension asks for it again.
final class ArrivedDownloads: Sendable {
  private let output: NativeMessageOutput
  /// The end of the last download that was begun.
  private let last = Mutex(Task<Void, Never> {})

  init(output: NativeMessageOutput) { self.output = output }

  /// Begins; the reply to the call with that id is sent when the file lies as it should.
  func begin(_ id: GuardValue, _ file: ArrivedDownload, _ guardian: GuardClient) {
    last.withLock { last in
      last = Task { [output, before = last] in
        await before.value
        // A failed send is ignored: such a browser ends the input.
        try? output.send(["id": id, "reply": await Self.take(file, guardian)])
      }
    }
  }

  private static func take(_ file: ArrivedDownload, _ guardian: GuardClient) async -> GuardValue {
    do throws(FileProtectionError) {
      switch try await guardian.files.arrived(file.path, account: file.account, since: file.since) {
      case .unmanaged: return ["result": "stored", "path": .string(file.path), "isSealed": false]
      case .stored(let path, let isSealed):
        return ["result": "stored", "path": .string(path), "isSealed": .bool(isSealed)]
      case .gone: return ["result": "gone"]
      case .busy: return ["result": "later", "text": "a program writes the file"]
      }
    } catch {
      // An account that may not work now may work later, and so may a daemon that is away; nothing else is for good.
      let isForGood = error.code == .encryptFailed && !error.isPassing
      return ["result": isForGood ? "refused" : "later", "text": .string(error.description)]
    }
  }
}

/// A file that a browser has written.
package struct ArrivedDownload: Equatable, Sendable {
  /// Absolute.
  package var path: String
  /// The account that it belongs to, as the decision about the download named it; nil for the directory's owner.
  package var account: String?
  /// When the download began, in milliseconds since 1970: a file of which nothing changed since is another one.
  package var since: Int64?

  /// Reads the members of a call; nil for a path that is not absolute, or leads upwards.
  init?(_ members: [String: GuardValue]) {
    guard let path = members["path"]?.string, path.hasPrefix("/"), !path.utf8.contains(0),
      !path.split(separator: "/").contains("..")
    else { return nil }
    self.path = path
    account = members["account"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    since = members["since"]?.integer.map(Int64.init)
  }
}
