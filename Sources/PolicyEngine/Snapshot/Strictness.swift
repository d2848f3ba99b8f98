package import GuardModel

/// A value of a setting with a place in an order from loose to strict.
///
/// This file is the only one that defines the stricter of two values: it merges protections that bind one account,
/// compares several identities, and tells `diff` in which direction a setting moved.
package protocol Ranked: Sendable, Equatable {
  /// How strict it is; 0 restricts nothing.
  var strictness: UInt8 { get }
}

extension Ranked {
  package func isStricter(than other: Self) -> Bool { strictness > other.strictness }
}

extension WebTransfer: Ranked {
  package var strictness: UInt8 {
    switch self {
    case .any: 0
    case .unmanagedBrowser: 1
    case .managedBrowser: 2
    case .block: 3
    }
  }
}

extension ExternalInPlace: Ranked {
  /// Data of the account may go to its own pages and not to unmanaged ones.
  package var strictness: UInt8 { self == .unmanaged ? 1 : 0 }
}

extension ClipboardLevel: Ranked {
  package var strictness: UInt8 {
    switch self {
    case .any: 0
    case .managedWithPasteIn: 1
    case .managed: 2
    case .blocked: 3
    }
  }
}

extension SendLevel: Ranked {
  package var strictness: UInt8 {
    switch self {
    case .any: 0
    case .managedOsSharing: 1
    case .managed: 2
    case .managedFiltered: 3
    case .none: 4
    }
  }
}

extension ReceiveLevel: Ranked {
  /// With tagging everything may come in as well, but then it belongs to the organisation.
  package var strictness: UInt8 {
    switch self {
    case .any: 0
    case .anyTagOrg: 1
    case .managed: 2
    case .none: 3
    }
  }
}

extension Permission: Ranked {
  package var strictness: UInt8 { self == .block ? 1 : 0 }
}

extension NotificationLevel: Ranked {
  package var strictness: UInt8 {
    switch self {
    case .allow: 0
    case .blockOrgData: 1
    case .block: 2
    }
  }
}

extension Unlock: Ranked {
  package var strictness: UInt8 { self == .app ? 1 : 0 }
}

extension SchemeClassSetting: Ranked {
  /// Two programs are as strict as each other, and no link may go to both.
  package var strictness: UInt8 {
    switch self {
    case .any: 0
    case .program: 1
    case .none: 2
    }
  }
}

extension Bool: Ranked {
  /// For a condition: the one that must hold is stricter.
  package var strictness: UInt8 { self ? 1 : 0 }
}

extension Outcome: Ranked {
  /// The outcome that permits less is stricter. If several identities count, the strictest outcome of all is the
  /// answer.
  package var strictness: UInt8 {
    switch self {
    case .allow: 0
    case .handOff: 1
    case .redact: 2
    case .warn: 3
    case .redirect: 4
    case .switchIdentity: 5
    case .block: 6
    }
  }
}
