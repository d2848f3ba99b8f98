/// A security module's label of the process at the other end.
package enum ProcessLabel {
  /// The name that a `label` of the policy compares; nil where nothing holds the process to it.
  ///
  ///     ProcessLabel.name(of: "webkit (enforce)")     // "webkit"
  ///     ProcessLabel.name(of: "webkit (complain)")    // nil: the profile forbids nothing
  ///     ProcessLabel.name(of: "unconfined")           // nil
  ///     ProcessLabel.name(of: "system_u:system_r:kiosk_t:s0")    // itself: SELinux writes no mode
  ///
  /// Source: apparmor(7), the mode behind the name of a profile. A mode that is not known here counts as none that holds.
  package static func name(of label: String) -> String? {
    guard label.hasSuffix(")"), let parenthesis = label.lastIndex(of: "(") else {
      return label.isEmpty || label == "unconfined" ? nil : label
    }
    let mode = label[parenthesis...].dropFirst().dropLast()
    guard mode == "enforce" || mode == "kill" else { return nil }
    let name = label[..<parenthesis]
    guard name.hasSuffix(" "), name.utf8.count > 1 else { return nil }
    return String(name.dropLast())
  }
}
