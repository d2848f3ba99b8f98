internal import JSONText

/// All parameters of a call, or all members of an object in it, ready for lookup.
package struct ParameterTable<Subject>: Sendable {
  /// In the order of the interface file.
  package let parameters: [Parameter<Subject>]
  private let numbers: NameTable<Int>
  /// The keeper of each parameter, apart from the rest of it: taking one copies nothing else.
  private let keepers: [Keeper]
  /// A closure in a struct: an array of closures would call each through another one.
  private struct Keeper: Sendable {
    let store: Parameter<Subject>.Store
  }

  /// One bit for each required parameter.
  private let required: UInt64

  // INVARIANT: at most 64 parameters.
  init(_ parameters: [Parameter<Subject>]) {
    self.parameters = parameters
    keepers = parameters.map { Keeper(store: $0.store) }
    numbers = NameTable(parameters.enumerated().map { ($1.name, $0) })
    required = parameters.enumerated().reduce(0) { $1.element.isRequired ? $0 | 1 << UInt64($1.offset) : $0 }
  }

  /// Keeps every member of the object in the subject. A null member counts as left out.
  ///
  /// The error names the first unknown or wrong member; without one, the first missing member in the file's order.
  /// `nil` and `null` mean the empty object.
  func read(_ object: JSONValue?, into subject: inout Subject) throws(ServiceError) {
    var seen: UInt64 = 0
    if let object {
      var members = object.members
      while let member = members.next() {
        guard let number = numbers[member.key] else { throw .invalidParameter(shortened(member.key)) }
        if member.value.isNull { continue }
        guard try keepers[number].store(member.value, &subject) else {
          throw .invalidParameter(parameters[number].name)
        }
        seen |= 1 << UInt64(number)
      }
    }
    let missing = required & ~seen
    if missing != 0 { throw .invalidParameter(parameters[missing.trailingZeroBitCount].name) }
  }
}

/// The parameters of one method as a plain value, read from a table.
package protocol Call: Sendable {
  /// A call with every parameter left out.
  init()

  static var parameters: ParameterTable<Self> { get }

  /// Checks the rules that no table can state: parameters that go only with others.
  func check() throws(ServiceError)
}

extension Call {
  package func check() throws(ServiceError) {}

  init(_ object: JSONValue?) throws(ServiceError) {
    self.init()
    try Self.parameters.read(object, into: &self)
    try check()
  }
}

/// The parameters of a method that takes none.
package struct EmptyCall: Call, Hashable {
  package init() {}

  package static let parameters = ParameterTable<EmptyCall>([])
}
