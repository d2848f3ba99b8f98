import JSONText
import Testing

/// An object of a frame, judged by the type that an interface file gives it.
struct Judgement {
  /// The frame's error, if it is one.
  let error: String?
  /// The object's keys, in order.
  let keys: [String]
  /// What is wrong with it.
  let complaints: [String]
}

extension InterfaceFile {
  /// Judges the object that these keys lead to.
  func judge(_ frame: String, at path: [String] = ["parameters"], _ type: FileType?) throws -> Judgement {
    let type = try #require(type)
    var parser = JSONParser()
    let root = try parser.parse(frame.utf8.span)
    var value = root
    for key in path {
      guard let next = member(key, of: value) else {
        return Judgement(error: root["error"]?.string, keys: [], complaints: ["there is no `\(key)`"])
      }
      value = next
    }
    let found = complaints(about: value, type)
    return Judgement(error: root["error"]?.string, keys: GuardProtocolTests.keys(of: value), complaints: found)
  }

  /// What in the value is not as the type has it, each with its path: empty when all is well.
  ///
  /// Members must be known, in the file's order, and there unless they are nullable; null is never written.
  func complaints(about value: JSONValue, _ type: FileType, at path: String = "") -> [String] {
    switch type {
    case .bool: value.kind == .bool ? [] : ["\(path): no bool"]
    case .int: value.int != nil ? [] : ["\(path): no int"]
    case .float: value.double != nil ? [] : ["\(path): no float"]
    case .string: value.kind == .string ? [] : ["\(path): no string"]
    case .object: value.kind == .object ? [] : ["\(path): no object"]
    case .optional(let type): complaints(about: value, type, at: path)
    case .words(let words): words.map(\.name).contains(value.string ?? "") ? [] : ["\(path): no such word"]
    case .named(let name):
      if let type = self.type(name) {
        complaints(about: value, type, at: path)
      } else {
        ["\(path): the file has no type `\(name)`"]
      }
    case .array(let type): complaints(aboutElementsOf: value, type, at: path)
    case .structure(let fields): complaints(aboutMembersOf: value, fields, at: path)
    }
  }

  private func complaints(aboutElementsOf value: JSONValue, _ type: FileType, at path: String) -> [String] {
    guard value.kind == .array else { return ["\(path): no array"] }
    var found: [String] = []
    var elements = value.elements
    while let element = elements.next() { found += complaints(about: element, type, at: path + "[]") }
    return found
  }

  private func complaints(aboutMembersOf value: JSONValue, _ fields: [FileField], at path: String) -> [String] {
    guard value.kind == .object else { return ["\(path): no object"] }
    var found: [String] = []
    var rest = fields[...]
    var members = value.members
    while let member = members.next() {
      let key = text(member.key)
      guard let index = rest.firstIndex(where: { $0.name == key }) else {
        found.append("\(path).\(key): unknown, or out of order")
        continue
      }
      found += rest[..<index].filter { !$0.type.isOptional }.map { "\(path).\($0.name): missing" }
      found += complaints(about: member.value, fields[index].type, at: "\(path).\(key)")
      rest = fields[(index + 1)...]
    }
    return found + rest.filter { !$0.type.isOptional }.map { "\(path).\($0.name): missing" }
  }
}

func text(_ bytes: Span<UInt8>) -> String {
  bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
}

/// The value of a key, which is no constant here.
@_lifetime(copy value)
private func member(_ key: String, of value: JSONValue) -> JSONValue? {
  var members = value.members
  while let member = members.next() { if text(member.key) == key { return member.value } }
  return nil
}

/// The keys of an object, in order.
func keys(of value: JSONValue) -> [String] {
  var keys: [String] = []
  var members = value.members
  while let member = members.next() { keys.append(text(member.key)) }
  return keys
}
