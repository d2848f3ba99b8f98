private import Foundation

/// One case of a JSON data file: an object of which the strings and nulls matter.
package struct JSONCase: Sendable {
  private let strings: [String: String]
  private let nulls: Set<String>
  private let flags: Set<String>
  private let objects: [String: JSONCase]
  private let lists: [String: [JSONItem]]

  /// Names of all members.
  package let names: Set<String>

  fileprivate init(_ object: [String: Any]) {
    strings = object.compactMapValues { $0 as? String }
    nulls = Set(object.filter { $0.value is NSNull }.keys)
    names = Set(object.keys)
    flags = Set(object.filter { $0.value as? Bool == true }.keys)
    objects = object.compactMapValues { ($0 as? [String: Any]).map(JSONCase.init) }
    lists = object.compactMapValues { ($0 as? [Any])?.map(JSONItem.init) }
  }

  /// The string called `name`; nil when there is none.
  package subscript(name: String) -> String? { strings[name] }

  /// True when `name` is written as null.
  package func isNull(_ name: String) -> Bool { nulls.contains(name) }

  /// True when `name` is written as true.
  package func isTrue(_ name: String) -> Bool { flags.contains(name) }

  /// The object called `name`.
  package func object(_ name: String) -> JSONCase? { objects[name] }

  /// The list called `name`.
  package func list(_ name: String) -> [JSONItem]? { lists[name] }
}

/// One value of a list in a case.
package enum JSONItem: Sendable {
  case text(String)
  case object(JSONCase)
  case other

  fileprivate init(_ value: Any) {
    if let text = value as? String {
      self = .text(text)
    } else if let object = value as? [String: Any] {
      self = .object(JSONCase(object))
    } else {
      self = .other
    }
  }
}

extension SharedData {
  /// The cases of the JSON file at `path`: the objects of the list it holds, or of the list `member` in it.
  ///
  /// Strings in a list are comments of the web platform tests and are left out. Lone surrogates become U+FFFD, which is
  /// what the web's conversion to USVString makes of them.
  package static func cases(_ path: String, in member: String? = nil) throws -> [JSONCase] {
    let text = escapingByteOrderMarks(replacingLoneSurrogates(try bytes(path)))
    var content = try JSONSerialization.jsonObject(with: Data(text))
    if let member, let object = content as? [String: Any], let list = object[member] { content = list }
    guard let list = content as? [Any] else { throw SharedDataError.notAListOfCases(path) }
    return list.compactMap { ($0 as? [String: Any]).map(JSONCase.init) }
  }

  /// The JSON text with `\uFFFD` for every surrogate escape that has no partner. Foundation refuses such files.
  private static func replacingLoneSurrogates(_ json: [UInt8]) -> [UInt8] {
    var output = json
    var index = 0
    while index + 1 < json.count {
      guard json[index] == UInt8(ascii: "\\") else {
        index += 1
        continue
      }
      guard let unit = escapedUnit(json, at: index) else {
        index += 2
        continue
      }
      let isPair = isHighSurrogate(unit) && escapedUnit(json, at: index + 6).map(isLowSurrogate) == true
      if !isPair, isHighSurrogate(unit) || isLowSurrogate(unit) {
        output.replaceSubrange(index + 2..<index + 6, with: "FFFD".utf8)
      }
      index += isPair ? 12 : 6
    }
    return output
  }

  /// The JSON text with `\uFEFF` for every byte order mark. Foundation drops those at the start of a string.
  private static func escapingByteOrderMarks(_ json: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    var index = 0
    while index < json.count {
      if json[index...].starts(with: [0xEF, 0xBB, 0xBF]) {
        output.append(contentsOf: "\\uFEFF".utf8)
        index += 3
      } else {
        output.append(json[index])
        index += 1
      }
    }
    return output
  }

  private static func escapedUnit(_ json: [UInt8], at index: Int) -> UInt16? {
    guard index + 6 <= json.count, json[index] == UInt8(ascii: "\\"), json[index + 1] == UInt8(ascii: "u") else {
      return nil
    }
    return UInt16(String(decoding: json[index + 2..<index + 6], as: UTF8.self), radix: 16)
  }

  private static func isHighSurrogate(_ unit: UInt16) -> Bool { unit & 0xFC00 == 0xD800 }

  private static func isLowSurrogate(_ unit: UInt16) -> Bool { unit & 0xFC00 == 0xDC00 }
}
