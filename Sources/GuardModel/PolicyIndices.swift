/// The place of an app in a policy's `apps`.
///
///     let app = snapshot.app(named: "com.contoso.portal")    // AppIndex?
///     snapshot[app].classes                                  // its viewer classes
///
/// Each kind of place has a type of its own, so that the place of a rule set cannot be taken for that of a protection. A place
/// means nothing in another policy.
package struct AppIndex: Sendable, Hashable {
  package let place: Int32
  package init(_ place: Int) { self.place = Int32(truncatingIfNeeded: place) }
}

/// The place of a viewer class in its app.
package struct ViewerClassIndex: Sendable, Hashable {
  package let place: Int32
  package init(_ place: Int) { self.place = Int32(truncatingIfNeeded: place) }
}

/// The place of a protection in a policy's `protections`.
package struct ProtectionIndex: Sendable, Hashable {
  package let place: Int32
  package init(_ place: Int) { self.place = Int32(truncatingIfNeeded: place) }
}

/// The place of a rule set in a policy's `ruleSets`.
package struct RuleSetIndex: Sendable, Hashable {
  package let place: Int32
  package init(_ place: Int) { self.place = Int32(truncatingIfNeeded: place) }
}

/// The number of a rule in its rule set, from 0 in the order of the file; the links of a list are rules, too. The first rule
/// that matches answers, so numbers compare.
package struct RuleNumber: Sendable, Hashable, Comparable {
  package let place: Int32
  package init(_ place: Int) { self.place = Int32(truncatingIfNeeded: place) }
  package init(place: Int32) { self.place = place }

  package static func < (one: RuleNumber, other: RuleNumber) -> Bool { one.place < other.place }
}

/// The place of an exception among those in force, oldest first.
package struct ExceptionIndex: Sendable, Hashable {
  package let place: Int32
  package init(place: Int32) { self.place = place }
}
