package import GuardModel
package import URLRules

// A test names a place by its number; the program gets places from a policy only.

extension AppIndex: ExpressibleByIntegerLiteral {
  package init(integerLiteral place: Int) { self.init(place) }
}

extension ViewerClassIndex: ExpressibleByIntegerLiteral {
  package init(integerLiteral place: Int) { self.init(place) }
}

extension ProtectionIndex: ExpressibleByIntegerLiteral {
  package init(integerLiteral place: Int) { self.init(place) }
}

extension RuleSetIndex: ExpressibleByIntegerLiteral {
  package init(integerLiteral place: Int) { self.init(place) }
}

extension RuleNumber: ExpressibleByIntegerLiteral {
  package init(integerLiteral place: Int) { self.init(place) }
}

extension HostListNumber: ExpressibleByIntegerLiteral {
  package init(integerLiteral place: Int) { self.init(place) }
}
