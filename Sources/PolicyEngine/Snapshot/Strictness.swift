package import GuardModel

/// A value of a setting that stands at one place in a row from loose to strict.
///
/// This file is the one place that says which of two values is the stricter: protections that bind one account are merged
/// by it, several identities are compared by it, and `diff` tells by it which way a setting moved.
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
  /// For data of the account, which may go to its own pages and not to nobody's.
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
  /// Everything may come in where it is tagged, too; but then it is the organisation's.
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
  /// Of a condition: what must hold is stricter.
  package var strictness: UInt8 { self ? 1 : 0 }
}

extension Outcome: Ranked {
  /// What happens less is stricter. Where several identities count, the strictest outcome of all is the answer.
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
