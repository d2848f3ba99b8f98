internal import JSONText

/// What an extension may say under one name. There is no kind for text of any length: page content has no way through.
enum NativeMember {
  /// Text of at most so many bytes.
  case text(Int)
  /// At most 64 texts of 256 bytes, such as MIME types.
  case texts
  case number
  case truth

  /// An identifier, a class, a word of the interface.
  static let name = NativeMember.text(256)
  /// The daemon refuses longer ones as no URL at all.
  static let url = NativeMember.text(256 * 1024)

  /// Whether the value is of this kind. Null stands for a member that is left out.
  func takes(_ value: JSONTree) -> Bool {
    switch (self, value) {
    case (_, .null), (.truth, .bool): true
    case (.text(let most), .string(let text)): text.utf8.count <= most
    case (.number, .int(let number)): number >= 0
    case (.texts, .array(let elements)):
      elements.count <= 64 && elements.allSatisfy { ($0.string?.utf8.count ?? .max) <= 256 }
    default: false
    }
  }

  /// The members of a message that are known here, in its order; throws at the first that is not.
  static func read(
    _ tree: JSONTree, _ known: [String: NativeMember]
  ) throws(NativeRefusal) -> [JSONTree.Member] {
    guard case .object(let members) = tree else { throw .notAMessage }
    for member in members {
      guard let kind = known[member.key] else { throw .unknownMember(member.key) }
      guard kind.takes(member.value) else { throw .wrongMember(member.key) }
    }
    return members.filter { $0.value != .null }
  }
}

/// Why a message of the extension is not carried out.
package enum NativeRefusal: Error, Equatable {
  /// The bytes are no JSON.
  case notJSON
  /// It is no object with an id and a call.
  case notAMessage
  /// It is longer than ``NativeMessageInput/maximumLength``.
  case tooLong
  /// There is no such call.
  case unknownCall
  /// The call has no member of that name.
  case unknownMember(String)
  /// The member of that name is missing, or not of its kind.
  case wrongMember(String)
  /// No decision of this host with that id offers to open anything, or it was opened already.
  case nothingToOpen
  /// The program was not started, and why.
  case cannotOpen(String)
  /// There are no rules to send, and why.
  case rulesUnavailable(String)

  /// The refusal as a reply.
  func reply(to id: JSONTree) -> JSONTree {
    let (word, text) = words
    return ["id": id, "error": .string(word), "text": .string(text)]
  }

  private var words: (String, String) {
    switch self {
    case .notJSON: ("notJSON", "the message is no JSON")
    case .notAMessage: ("notAMessage", "the message is no object with an id and a call")
    case .tooLong: ("tooLong", "the message is longer than \(NativeMessageInput.maximumLength) bytes")
    case .unknownCall: ("unknownCall", "there is no such call")
    case .unknownMember(let name): ("unknownMember", "the call has no member `\(name)`")
    case .wrongMember(let name): ("wrongMember", "the member `\(name)` is missing, or not of its kind")
    case .nothingToOpen: ("nothingToOpen", "no decision with that id offers anything to open")
    case .cannotOpen(let problem): ("cannotOpen", problem)
    case .rulesUnavailable(let problem): ("rulesUnavailable", problem)
    }
  }
}
