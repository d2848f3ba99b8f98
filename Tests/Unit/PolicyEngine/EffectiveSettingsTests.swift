import GuardModel
import PolicyEngine
import Testing

/// Ledger SL-12, OL-07, DT-06 and D-32: what settings become that depend on others, and what `check` says of it.
struct EffectiveSettingsTests {
  private func effective(_ change: (inout Protection) -> Void) -> EffectiveSettings {
    var protection = Protection(name: "p")
    change(&protection)
    return EffectiveSettings(protection)
  }

  @Test
  func theDefaultsForceNothing() {
    let settings = effective { _ in }
    #expect(settings.forced.isEmpty)
    #expect(settings.save == LocationSettings(allowed: true))
    #expect(settings.open == LocationSettings(allowed: true))
    #expect([settings.indexing, settings.assistants, settings.automation] == [.allow, .allow, .allow])
  }

  @Test(arguments: [SendLevel.managed, .managedOsSharing, .managedFiltered])
  func managedSendingLeavesTheChoiceOfPlaces(_ send: SendLevel) {
    let listed = LocationSettings(allowed: false, exceptions: LocationSet([.box]))
    let settings = effective {
      $0.send = send
      $0.save = listed
    }
    #expect(settings.save == listed)
    #expect(settings.forced.map(\.key) == ["indexing", "assistants"])
    #expect(settings.forced.map(\.cause) == Array(repeating: "`send` is `\(send.rawValue)`", count: 2))
    #expect([settings.indexing, settings.assistants, settings.automation] == [.block, .block, .block])
  }

  @Test
  func sendingAnywhereForcesSavingAnywhere() {
    let settings = effective { $0.save = LocationSettings(allowed: false, exceptions: LocationSet([.box])) }
    #expect(settings.save == LocationSettings(allowed: true))
    #expect(settings.forced.map(\.key) == ["save.allowed"])
  }

  @Test
  func sendingNowhereForcesSavingNowhere() {
    let settings = effective {
      $0.send = .none
      $0.save.exceptions = LocationSet([.box])
      $0.indexing = .block
      $0.assistants = .block
    }
    #expect(settings.save == LocationSettings(allowed: false))
    #expect(settings.forced.map(\.key) == ["save.allowed", "save.exceptions"])
    #expect(settings.forced.map(\.value) == ["false", "[]"])
  }

  @Test(arguments: [(ReceiveLevel.any, true), (.anyTagOrg, true), (.none, false)])
  func receivingForcesOpening(_ receive: ReceiveLevel, _ allowed: Bool) {
    let settings = effective {
      $0.receive = receive
      $0.open.allowed = !allowed
    }
    #expect(settings.open == LocationSettings(allowed: allowed))
    #expect(settings.forced.first?.key == "open.allowed")
    #expect(settings.forced.first?.cause == "`receive` is `\(receive.rawValue)`")
  }

  @Test
  func managedReceivingLeavesTheChoice() {
    let settings = effective {
      $0.receive = .managed
      $0.open.allowed = false
    }
    #expect(settings.open == LocationSettings(allowed: false, exceptions: .openDefault))
    #expect(settings.forced.isEmpty)
  }

  @Test
  func automationOfItsOwnStays() {
    let settings = effective {
      $0.send = .managed
      $0.automation = .allow
    }
    #expect(settings.automation == .allow && settings.assistants == .block)
  }

  /// What no policy may list is not listed, wherever it came from.
  @Test
  func onlyWhatMayBeListedCounts() {
    let settings = effective {
      $0.send = .managed
      $0.receive = .managed
      $0.save = LocationSettings(allowed: false, exceptions: LocationSet(Location.allCases))
      $0.open = LocationSettings(allowed: false, exceptions: LocationSet(Location.allCases))
    }
    #expect(settings.save.exceptions.locations == LocationSet.listableForSave.locations)
    #expect(settings.open.exceptions.locations == LocationSet.listableForOpen.locations)
    #expect(!settings.save.exceptions.contains(.camera) && settings.open.exceptions.contains(.camera))
    #expect(!settings.open.exceptions.contains(.other))
  }
}
