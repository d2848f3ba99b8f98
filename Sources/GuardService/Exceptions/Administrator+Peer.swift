internal import PolicyEngine

extension Administrator {
  /// Who speaks at the other end, by the kernel's word and the system's list of users.
  init(_ peer: Peer) { self.init(uid: peer.uid, user: UserNames.name(ofUser: peer.uid)) }
}
