internal import GuardModel

/// The place that an event names, as it is judged.
struct Place {
  let location: Location
  let account: NamedAccount
  let notes: DecisionNotes

  enum Direction {
    case save
    case open
  }

  /// Reads location, account and path: what cannot be trusted is `other`, and what belongs to no account has none.
  init(_ event: borrowing Event, _ named: NamedAccount, _ direction: Direction, shows party: Party) {
    var location = event.location
    var account = named
    var notes = event.notes
    if direction == .save ? location == .camera : location == .dropbox || location == .googleDrive {
      location = .other
      notes.insert(.otherLocation)
    }
    if let path = event.path, !Self.isPlain(event.bytes(path)) {
      location = .other
      notes.insert(.unreadablePath)
    }
    if !location.takesAccount, named.isSaid {
      account = NamedAccount()
      notes.insert(.accountIgnored)
    }
    if account.isUnknown { notes.insert(.unknownLocationAccount) }
    if location == .localStorage, !named.isSaid, party != .unmanaged { notes.insert(.localWithoutAccount) }
    self.location = location
    self.account = account
    self.notes = notes
  }

  /// Whether a path means one file only: absolute, without `..`, `.`, `//` or control characters (amendments, paths).
  ///
  ///     "/home/ada/Documents/plan.odt"    // true
  ///     "/srv/org/../../home/ada/x"       // false: it leaves the place it seems to be in
  static func isPlain(_ path: Span<UInt8>) -> Bool {
    guard path.count > 0, path[0] == UInt8(ascii: "/") else { return false }
    var start = 1
    for index in 1...path.count where index == path.count || path[index] == UInt8(ascii: "/") {
      let part = path.extracting(start..<index)
      if part.isEmpty, index < path.count { return false }
      if part.count <= 2, part.count > 0, part.indices.allSatisfy({ part[$0] == UInt8(ascii: ".") }) { return false }
      start = index + 1
    }
    return !path.indices.contains { path[$0] < 0x20 || path[$0] == 0x7F }
  }
}

extension Question {
  /// Why the owner's settings keep the data out of the place, and whether the place is excepted; `.open` asks the
  /// receiver's. Unmanaged sides never refuse.
  func refusal(of party: Party, _ direction: Place.Direction, _ location: Location) -> Refusal? {
    switch party {
    case .unmanaged: return nil
    case .managed(_, let protection):
      let settings = settings(of: protection, direction)
      if settings.allowed || settings.exceptions.contains(location) { return nil }
      let stated = snapshot.protections[Int(protection)]
      switch direction {
      case .save: return Refusal(stated.send == .none ? .outgoingDisallowed : .saveLocationNotListed, protection)
      case .open: return Refusal(stated.receive == .none ? .incomingDisallowed : .openLocationNotListed, protection)
      }
    }
  }

  /// Only the list of exceptions lets the data through.
  func isExcepted(_ party: Party, _ direction: Place.Direction) -> Bool {
    party.protection.map { !settings(of: $0, direction).allowed } ?? false
  }

  private func settings(of protection: Int32, _ direction: Place.Direction) -> LocationSettings {
    let effective = snapshot.effective[Int(protection)]
    return direction == .save ? effective.save : effective.open
  }
}
