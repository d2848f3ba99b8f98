/// Why an account's data is to be removed (ledger WP-05).
package enum WipeCause: String, Sendable, Hashable, CaseIterable {
  /// The app ended its access, and asked for it.
  case deregister
  case admin
  /// The policy marks the account, by its object id.
  case marker
  /// A condition whose action is `wipe` fails.
  case conditionalLaunch
  /// The machine was not checked in for too long.
  case offlineGrace
  /// The policy says that the account does not comply.
  case nonCompliant

  /// Time, a reload or a fact brings it about, and it ends when they say otherwise.
  package var isAutomatic: Bool { self != .deregister && self != .admin }
}

/// Whether data is destroyed at all.
package enum WipeMode: String, Sendable, Hashable, CaseIterable {
  /// Accounts are locked, and a record says what would have been removed.
  case off
  /// As `off`, for administrators who try it out.
  case dryRun
  case on
}

/// The step of a wipe. Nothing is destroyed before `asking`.
package enum WipePhase: UInt8, Sendable, Hashable, CaseIterable {
  /// The account is locked, and nothing will be removed.
  case locked
  /// The account is locked, and the delay runs.
  case pending
  /// The apps are asked, and what they leave is removed.
  case asking

  /// The word of the wire.
  package var name: String {
    switch self {
    case .locked: "locked"
    case .pending: "pending"
    case .asking: "asking"
    }
  }
}

/// An app's part in a wipe.
package enum WipeStep: UInt8, Sendable, Hashable, CaseIterable {
  /// It does not run: it is asked when it attaches.
  case notAsked
  case asked
  /// It removed the account and its data.
  case done
  case refused
  case failed
  /// It did not answer in time.
  case silent
  /// The helper removed the files.
  case cleaned

  /// The word of the wire.
  package var name: String {
    switch self {
    case .notAsked: "notAsked"
    case .asked: "asked"
    case .done: "done"
    case .refused: "refused"
    case .failed: "failed"
    case .silent: "silent"
    case .cleaned: "cleaned"
    }
  }

  /// The app answered, and is not asked again.
  package var isAnswered: Bool { self != .notAsked && self != .asked }
}

/// An app's answer to a request of the daemon.
package enum RequestResult: String, Sendable, Hashable, CaseIterable {
  case done
  case refused
  case failed
}

/// A wipe as administrators see it. Times are milliseconds since 1970.
package struct ListedWipe: Sendable, Hashable {
  package var id: String
  package var person: UInt32
  /// Nil: all apps of the person.
  package var app: String?
  package var account: String
  package var cause: WipeCause
  package var phase: WipePhase
  package var beganAt: UInt64
  /// Milliseconds of running time until the data is removed; nil when nothing will be.
  package var remaining: UInt64?
  package var approvals: Int
  package var neededApprovals: Int
  package var apps: [Part]

  package init(
    id: String, person: UInt32, app: String?, account: String, cause: WipeCause, phase: WipePhase, beganAt: UInt64,
    remaining: UInt64?, approvals: Int, neededApprovals: Int, apps: [Part]
  ) {
    self.id = id
    self.person = person
    self.app = app
    self.account = account
    self.cause = cause
    self.phase = phase
    self.beganAt = beganAt
    self.remaining = remaining
    self.approvals = approvals
    self.neededApprovals = neededApprovals
    self.apps = apps
  }

  package struct Part: Sendable, Hashable {
    package var app: String
    package var step: WipeStep

    package init(app: String, step: WipeStep) {
      self.app = app
      self.step = step
    }
  }
}
