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
