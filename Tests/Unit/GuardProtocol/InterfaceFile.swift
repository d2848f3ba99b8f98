/// A varlink interface file, read (varlink.org, "Interface Definition").
struct InterfaceFile {
  let name: String
  let comment: String
  let members: [InterfaceMember]

  func type(_ name: String) -> FileType? { members.first { $0.kind == .type && $0.name == name }?.input }

  func members(_ kind: InterfaceMember.Kind) -> [InterfaceMember] { members.filter { $0.kind == kind } }

  func method(_ name: String) -> InterfaceMember? { members(.method).first { $0.name == name } }
}

struct InterfaceMember {
  enum Kind: String { case type, method, error }

  let kind: Kind
  let name: String
  let comment: String
  /// The type itself, the error's parameters, or the method's.
  let input: FileType
  /// What a method answers.
  let output: FileType?
}

struct FileField {
  let name: String
  let comment: String
  let type: FileType
}

indirect enum FileType {
  case bool, int, float, string, object
  case named(String)
  case optional(FileType)
  case array(FileType)
  case structure([FileField])
  /// The words of an enum; their type means nothing.
  case words([FileField])

  var fields: [FileField] {
    switch self {
    case .structure(let fields), .words(let fields): fields
    case .optional(let type), .array(let type): type.fields
    default: []
    }
  }

  var isOptional: Bool {
    if case .optional = self { true } else { false }
  }

  var unwrapped: FileType {
    if case .optional(let type) = self { type } else { self }
  }
}

struct InterfaceSyntaxError: Error {
  let message: String
  let offset: Int
}

/// Reads interface files. Strict: what it does not know is an error.
struct InterfaceReader {
  private let text: [UInt8]
  private var place = 0
  /// The comment lines since the last token.
  private var comments: [String] = []

  init(_ text: [UInt8]) { self.text = text }

  mutating func read() throws -> InterfaceFile {
    try expect("interface")
    let comment = takeComment()
    skipSpace()
    let name = word { isNameByte($0) || $0 == UInt8(ascii: ".") }
    var members: [InterfaceMember] = []
    while !isAtEnd() { members.append(try member()) }
    return InterfaceFile(name: name, comment: comment, members: members)
  }

  private mutating func member() throws -> InterfaceMember {
    guard let kind = InterfaceMember.Kind(rawValue: try identifier()) else { throw failure("unknown kind of member") }
    let comment = takeComment()
    let name = try identifier()
    guard name.first?.isUppercase == true else { throw failure("member names begin with a capital") }
    let input = try type()
    guard kind == .method else {
      return InterfaceMember(kind: kind, name: name, comment: comment, input: input, output: nil)
    }
    try expect("->")
    return InterfaceMember(kind: kind, name: name, comment: comment, input: input, output: try type())
  }

  private mutating func type() throws -> FileType {
    if take("?") { return .optional(try type()) }
    if take("[]") { return .array(try type()) }
    if take("(") { return try structure() }
    let name = try identifier()
    switch name {
    case "bool": return .bool
    case "int": return .int
    case "float": return .float
    case "string": return .string
    case "object": return .object
    default: return .named(name)
    }
  }

  private mutating func structure() throws -> FileType {
    var fields: [FileField] = []
    var isEnum = false
    if take(")") { return .structure([]) }
    repeat {
      let name = try identifier()
      let comment = takeComment()
      let hasType = take(":")
      if fields.isEmpty { isEnum = !hasType }
      guard hasType != isEnum else { throw failure("a mix of enum and structure") }
      fields.append(FileField(name: name, comment: comment, type: hasType ? try type() : .string))
    } while take(",")
    try expect(")")
    return isEnum ? .words(fields) : .structure(fields)
  }

  private mutating func identifier() throws -> String {
    skipSpace()
    let name = word(isNameByte)
    guard let first = name.first, first.isLetter else { throw failure("a name is missing") }
    return name
  }

  private mutating func expect(_ token: String) throws {
    guard take(token) else { throw failure("`\(token)` is missing") }
  }

  private mutating func take(_ token: String) -> Bool {
    skipSpace()
    guard text[place...].starts(with: token.utf8) else { return false }
    place += token.utf8.count
    return true
  }

  private mutating func isAtEnd() -> Bool {
    skipSpace()
    return place == text.count
  }

  private mutating func takeComment() -> String {
    defer { comments = [] }
    return comments.joined(separator: " ")
  }

  private mutating func word(_ isPart: (UInt8) -> Bool) -> String {
    let start = place
    while place < text.count, isPart(text[place]) { place += 1 }
    return String(decoding: text[start..<place], as: UTF8.self)
  }

  private mutating func skipSpace() {
    while place < text.count {
      switch text[place] {
      case UInt8(ascii: "#"):
        let line = word { $0 != UInt8(ascii: "\n") }
        comments.append(String(line.drop { $0 == "#" || $0 == " " }))
      case UInt8(ascii: " "), UInt8(ascii: "\n"): place += 1
      default: return
      }
    }
  }

  private func failure(_ message: String) -> InterfaceSyntaxError {
    InterfaceSyntaxError(message: message, offset: place)
  }
}

private func isNameByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
  case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
  default: false
  }
}
