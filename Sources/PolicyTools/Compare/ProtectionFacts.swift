internal import GuardModel
internal import PolicyEngine
internal import PolicyFiles

/// Facts of a protection.
enum ProtectionFacts {
  static func thing(_ protection: Protection, _ places: PolicyPlaces, _ names: ComparedNames) -> ComparedThing {
    var facts = FactWriter(places, ["protections", protection.name])
    facts.add("accounts", protection.accountPatterns + protection.groups.map(names.group), more: .tighter)
    addTransfer(protection, to: &facts)
    addLeaks(protection, to: &facts)
    facts.add("monitorOnly.until", protection.monitoredUntil.map(MonitoredPart.day) ?? "not monitored")
    facts.add("warn", protection.warn.kinds.map(\.name))
    facts.addFields(of: protection, but: ComparedFields.protection)
    return ComparedThing(
      kind: "protection", name: protection.name, place: protection.location, ifNew: .tighter, facts: facts.facts)
  }

  /// The differences of the protections of two policies; which way a setting moved, the engine's own table knows.
  static func differences(
    _ old: [Protection], _ new: [Protection], _ things: (old: [ComparedThing], new: [ComparedThing])
  ) -> [ConfigurationDifference] {
    var comparison = ThingComparison()
    comparison.compare(things.old, things.new)
    return comparison.differences.map { difference in
      guard let before = old.first(where: { $0.name == difference.name }),
        let after = new.first(where: { $0.name == difference.name }),
        let setting = ProtectionSetting.all.first(where: { $0.key == difference.key })
      else { return difference }
      var difference = difference
      difference.direction = DifferenceDirection(rawValue: setting.change(before, after).rawValue) ?? .sideways
      return difference
    }
  }

  private static func addTransfer(_ protection: Protection, to facts: inout FactWriter) {
    facts.add("webTransfer", protection.webTransfer.name)
    facts.add("externalInPlace", protection.externalInPlace.rawValue)
    addClipboard(protection.clipboard, to: &facts)
    facts.add("send", protection.send.rawValue)
    facts.add("receive", protection.receive.rawValue)
    for (key, places) in [("save", protection.save), ("open", protection.open)] {
      facts.add(key + ".allowed", String(places.allowed))
      facts.add(key + ".exceptions", places.exceptions.locations.map(\.name))
    }
    facts.add("managedApps", protection.managedApps.texts)
    facts.add("telecommunication", protection.telecommunication.written)
    facts.add("messaging", protection.messaging.written)
    facts.add("exemptSchemes", protection.exemptSchemes.texts)
    facts.add("managedSchemes", protection.managedSchemes.texts)
  }

  private static func addClipboard(_ clipboard: ClipboardSettings, to facts: inout FactWriter) {
    facts.add("clipboard.level", clipboard.level.rawValue)
    facts.add("clipboard.exceptionLength", String(clipboard.exceptionLength))
    facts.add("clipboard.exceptionPerMinute", clipboard.exceptionPerMinute.map(String.init) ?? "no budget")
    facts.add("clipboard.replacement", clipboard.replacement ?? "that of `texts`")
    var inner = FactWriter(PolicyPlaces(), [])
    inner.addFields(of: clipboard, but: ComparedFields.clipboard)
    for fact in inner.facts { facts.add(["clipboard", fact.key], fact.value.text) }
  }

  private static func addLeaks(_ protection: Protection, to facts: inout FactWriter) {
    for (key, path) in Protection.permissions { facts.add(key, protection[keyPath: path].rawValue) }
    facts.add("automation", (protection.automation ?? protection.assistants).rawValue)
    facts.add("notifications", protection.notifications.rawValue)
    facts.add("inspection.required", String(protection.requiresInspection))
    facts.add("encrypt", String(protection.encrypt))
    facts.add("unlock", protection.unlock.rawValue)
  }
}

extension [[UInt8]] {
  /// Names in bytes as text.
  var texts: [String] { map { String(decoding: $0, as: UTF8.self) } }
}
