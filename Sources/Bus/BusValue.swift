/// A value of D-Bus: an argument of a call, or a part of a peer's answer.
///
///     let subject: BusValue = .structure([.string("unix-process"), .options(["pid": .uint32(1)])])
///     subject.signature    // "(sa{sv})"
///
/// What a peer sends may have another shape than its documentation says: the accessors give nil for it, never a default.
///
/// Source: D-Bus Specification, "Type System".
package indirect enum BusValue: Sendable, Hashable {
  case byte(UInt8)
  case bool(Bool)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  case string(String)
  case objectPath(String)
  case signature(String)
  /// An open file. In a call the receiver gets a copy; descriptors that a peer sends are not taken, and read as -1.
  case descriptor(Int32)
  case variant(BusValue)
  /// Members of one type, whose signature stands beside them: an empty array has one too.
  case array(of: String, [BusValue])
  case structure([BusValue])
  /// One member of a dictionary.
  case entry(BusValue, BusValue)

  /// A dictionary `a{sv}`, in the order of its keys.
  package static func options(_ members: [String: BusValue]) -> BusValue {
    .array(
      of: "{sv}", members.sorted { $0.key < $1.key }.map { .entry(.string($0.key), .variant($0.value)) })
  }

  /// A dictionary `a{ss}`, in the order of its keys.
  package static func texts(_ members: [String: String]) -> BusValue {
    .array(of: "{ss}", members.sorted { $0.key < $1.key }.map { .entry(.string($0.key), .string($0.value)) })
  }

  /// The type as the specification writes it.
  package var signature: String {
    switch self {
    case .byte: "y"
    case .bool: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .signature: "g"
    case .descriptor: "h"
    case .variant: "v"
    case .array(let type, _): "a" + type
    case .structure(let members): "(" + members.map(\.signature).joined() + ")"
    case .entry(let key, let value): "{" + key.signature + value.signature + "}"
    }
  }
}

/// Accessors for readers of an answer. Each looks through a variant.
extension BusValue {
  /// A string or an object path.
  package var text: String? {
    switch self {
    case .string(let text), .objectPath(let text): text
    case .variant(let value): value.text
    default: nil
    }
  }

  package var flag: Bool? {
    switch self {
    case .bool(let flag): flag
    case .variant(let value): value.flag
    default: nil
    }
  }

  /// An unsigned number of any width.
  package var number: UInt64? {
    switch self {
    case .byte(let number): UInt64(number)
    case .uint16(let number): UInt64(number)
    case .uint32(let number): UInt64(number)
    case .uint64(let number): number
    case .variant(let value): value.number
    default: nil
    }
  }

  /// The members of an array or a structure.
  package var members: [BusValue]? {
    switch self {
    case .array(_, let members), .structure(let members): members
    case .variant(let value): value.members
    default: nil
    }
  }

  /// The member of a dictionary with text keys; the first one, should a peer send several.
  package subscript(key: String) -> BusValue? {
    for case .entry(let name, let value) in members ?? [] where name.text == key { return value }
    return nil
  }
}
