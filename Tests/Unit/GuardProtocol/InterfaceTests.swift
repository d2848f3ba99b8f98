import GuardProtocol
import Testing

/// The interface files themselves: readable, whole, and usable by other people's varlink tools.
@Suite struct InterfaceTests {
  @Test(arguments: Interface.allCases)
  func aFileNamesItsInterface(_ interface: Interface) throws {
    let file = try interfaceFile(interface)
    #expect(file.name == interface.rawValue)
    #expect(!file.members.isEmpty)
  }

  @Test(arguments: Interface.allCases)
  func everythingHasAComment(_ interface: Interface) throws {
    let file = try interfaceFile(interface)
    #expect(!file.comment.isEmpty)
    for member in file.members {
      #expect(!member.comment.isEmpty, "\(member.name)")
      for field in member.input.fields + (member.output?.fields ?? []) {
        #expect(!field.comment.isEmpty, "\(member.name).\(field.name)")
      }
    }
  }

  /// One name space for types, methods and errors: readers keep them in one table.
  @Test(arguments: Interface.allCases)
  func namesAreUnique(_ interface: Interface) throws {
    let file = try interfaceFile(interface)
    #expect(Set(file.members.map(\.name)).count == file.members.count)
    for member in file.members {
      for fields in [member.input.fields, member.output?.fields ?? []] {
        #expect(Set(fields.map(\.name)).count == fields.count, "\(member.name)")
      }
    }
  }

  /// The common Python reader finds the end of a signature by its first bracket, comments included.
  @Test(arguments: Interface.allCases)
  func indentedCommentsHoldNoBrackets(_ interface: Interface) {
    for line in String(decoding: interface.file, as: UTF8.self).split(separator: "\n") where line.hasPrefix("  #") {
      #expect(!line.contains("(") && !line.contains(")"), "\(line)")
    }
  }

  @Test(arguments: Interface.allCases)
  func linesAreShortPlainText(_ interface: Interface) {
    let text = String(decoding: interface.file, as: UTF8.self)
    #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"))
    for line in text.split(separator: "\n") {
      #expect(line.count <= 120 && line.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }, "\(line)")
      #expect(line.last != " ", "\(line)")
    }
  }

  /// Every type that is named exists, and no type is there for nothing.
  @Test(arguments: Interface.allCases)
  func typesAreUsedAndDefined(_ interface: Interface) throws {
    let file = try interfaceFile(interface)
    var used: Set<String> = []
    for member in file.members {
      for type in [member.input, member.output].compactMap({ $0 }) { collect(type, into: &used) }
    }
    #expect(used == Set(file.members(.type).map(\.name)))
  }

  private func collect(_ type: FileType, into used: inout Set<String>) {
    switch type {
    case .named(let name): used.insert(name)
    case .optional(let type), .array(let type): collect(type, into: &used)
    case .structure(let fields): for field in fields { collect(field.type, into: &used) }
    default: break
    }
  }

  @Test func socketsServeDifferentInterfaces() {
    #expect(InterfaceSet.guardSocket.interfaces == [.service, .guard, .accounts])
    #expect(InterfaceSet.adminSocket.interfaces == [.service, .admin, .rules])
    #expect(!InterfaceSet.guardSocket.contains(.admin))
  }
}
