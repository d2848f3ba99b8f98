package import JSONText

/// What the extension said that holds until it says something else, to be said again to a daemon that was started anew.
package struct SpokenState {
  /// A call of org.webviewguard.Guard with its parameters.
  package struct Call: Equatable {
    /// The method without its interface.
    package let method: String
    /// An object.
    package let parameters: JSONTree
  }

  private var account: String?
  private var viewers: [(name: String, registration: [JSONTree.Member])] = []

  private static let mostViewers = 4096

  /// Nothing was said yet.
  package init() {}

  /// Whose data the process shows; the call that says so.
  package mutating func setAccount(_ account: String) -> Call {
    self.account = account
    return Self.identity(account)
  }

  /// A viewer is registered where it stood when it is known; what is left out stays as it was.
  package mutating func register(_ viewer: String, _ members: [JSONTree.Member]) -> Call {
    if let index = viewers.firstIndex(where: { $0.name == viewer }) {
      let kept = viewers[index].registration.filter { old in !members.contains { $0.key == old.key } }
      viewers[index].registration = kept + members
    } else if viewers.count < Self.mostViewers {
      viewers.append((viewer, members))
    }
    return Call(method: "RegisterViewer", parameters: .object(members))
  }

  /// What a viewer shows; without a document it is unknown.
  package mutating func setDocument(_ viewer: String, _ members: [JSONTree.Member]) -> Call {
    if let index = viewers.firstIndex(where: { $0.name == viewer }) {
      viewers[index].registration.removeAll { $0.key == "document" }
      viewers[index].registration += members.filter { $0.key == "document" }
    }
    return Call(method: "SetDocument", parameters: .object(members))
  }

  /// The viewer is not said again.
  package mutating func forget(_ viewer: String) -> Call {
    viewers.removeAll { $0.name == viewer }
    return Call(method: "ForgetViewer", parameters: ["viewer": .string(viewer)])
  }

  /// Everything in the order in which it must be said. A viewer whose opener is gone goes without it.
  package var replay: [Call] {
    var known: Set<String> = []
    let identities = account.map { [Self.identity($0)] } ?? []
    return identities
      + viewers.map { viewer in
        defer { known.insert(viewer.name) }
        let members = viewer.registration.filter { $0.key != "opener" || known.contains($0.value.string ?? "") }
        return Call(method: "RegisterViewer", parameters: .object(members))
      }
  }

  private static func identity(_ account: String) -> Call {
    Call(method: "SetIdentity", parameters: ["level": "process", "account": .string(account)])
  }
}
