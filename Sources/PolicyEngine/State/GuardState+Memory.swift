package import GuardModel
internal import URLRules
internal import URLStandard

/// How much memory instances take: what a user's programs register is bounded by it.
extension GuardState {
  /// Bytes that an instance takes, about: never far less than the truth; 0 when it is gone.
  package func byteCount(of id: InstanceID) -> Int {
    guard let instance = instance(id) else { return 0 }
    let windows = instance.windows.count * (Self.windowBytes + limits.nameBytes)
    let left = instance.left.byteCount
    let mixed = instance.mixedWindows.count * limits.accountsPerWindow * MemoryLayout<Identity>.stride
    return Self.emptyBytes + instance.viewers.byteCount + instance.nameBytes + windows + mixed + left + instance.scopes
      .count
      * Self.scopeBytes
  }

  /// Bytes that registering a viewer would add; negative when it becomes smaller.
  ///
  /// A document counts as the text it is sent as; the URL read from it is about as long.
  package func growth(by call: ViewerDescription, in id: InstanceID) -> Int {
    guard let viewers = instance(id)?.viewers else { return 0 }
    let existing = viewers.index(of: call.name).map { viewers[$0] }
    let old = existing?.byteCount ?? 0
    let window = call.window?.utf8.count ?? existing?.window?.count ?? 0
    let document = call.document?.utf8.count ?? existing?.pages.shown.byteCount ?? 0
    return Viewer.emptyBytes + 2 * call.name.utf8.count + window + document - old
  }

  /// Bytes that another document of a viewer would add. One that is only not known any more is still accepted again.
  package func growth(bySetting document: String?, of viewer: String, in id: InstanceID) -> Int {
    guard let viewers = instance(id)?.viewers, let index = viewers.index(of: viewer) else { return 0 }
    guard let document else { return 0 }
    return document.utf8.count - viewers[index].pages.shown.byteCount
  }

  /// What an instance takes with nothing registered in it, what the service keeps of it included.
  package static let emptyBytes = 16_384
  private static let windowBytes = 256
  private static let scopeBytes = 64
}
