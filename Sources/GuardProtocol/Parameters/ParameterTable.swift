internal import JSONText

/// All parameters of a call, or all members of an object in it, ready for lookup.
package struct ParameterTable<Subject>: Sendable {
  /// In the order of the interface file.
  package let parameters: [Parameter<Subject>]
  private let numbers: NameTable<Int>
  private let store: Store
  /// One bit for each required parameter.
  private let required: UInt64

  /// Keeps the value of the parameter with this number; false when its type or range is wrong.
  typealias Store =
    @Sendable (_ number: Int, _ value: JSONValue, _ subject: inout Subject) throws(ServiceError) -> Bool

  init(_ parameters: [Parameter<Subject>]) {
    self.init(parameters) { number, value, subject throws(ServiceError) in
      try parameters[number].store(value, &subject)
    }
  }

  /// A table whose values one function keeps: a switch costs less than a closure for each.
  // INVARIANT: at most 64 parameters.
  init(_ parameters: [Parameter<Subject>], store: @escaping Store) {
    self.parameters = parameters
    self.store = store
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
        guard try store(number, member.value, &subject) else {
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
