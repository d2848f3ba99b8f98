package import GuardModel
internal import JSONText

/// `Register`: somebody signed in.
package struct RegisterCall: Call, Hashable {
  package var account: String?

  package init() {}

  package static let parameters = ParameterTable<RegisterCall>([.optionalText("account", \.account)])
}

/// `Deregister`: the app ends its access to an account.
package struct DeregisterCall: Call, Hashable {
  package var account = ""
  package var data: DataFate?

  package init() {}

  package static let parameters = ParameterTable<DeregisterCall>([
    .name("account", \.account), .optionalWord("data", .dataFate, \.data),
  ])
}

/// `MaySignIn`: may somebody sign in with the account?
package struct MaySignInCall: Call, Hashable {
  package var account = ""

  package init() {}

  package static let parameters = ParameterTable<MaySignInCall>([.name("account", \.account)])
}

/// `Remediate`: does an account meet its conditions?
package struct RemediateCall: Call, Hashable {
  package var account = ""
  /// Nil: the person is asked.
  package var isSilent: Bool?

  package init() {}

  package static let parameters = ParameterTable<RemediateCall>([
    .name("account", \.account), .optionalBool("silent", \.isSilent),
  ])
}

/// `Complete`: the result of a request of the service.
package struct CompleteCall: Call, Hashable {
  package var request = ""
  package var result = RequestResult.failed

  package init() {}

  package static let parameters = ParameterTable<CompleteCall>([
    .name("request", \.request), .word("result", .requestResult, \.result),
  ])
}

/// `FilesRemoved`: the word of the helper that removes files.
package struct FilesRemovedCall: Call, Hashable {
  package var request = ""
  package var removed: UInt64 = 0
  package var kept: UInt64 = 0
  package var problems: [String] = []

  package init() {}

  package static let parameters = ParameterTable<FilesRemovedCall>([
    .name("request", \.request), .count("removed") { $0.removed = $1 }, .count("kept") { $0.kept = $1 },
    .texts("problems", \.problems),
  ])
}

extension Parameter {
  /// A required number that is not negative.
  fileprivate static func count(
    _ name: String, _ set: @escaping @Sendable (inout Subject, UInt64) -> Void
  ) -> Parameter {
    Parameter(name, .int, isRequired: true) { value, subject in
      guard let count = value.int, count >= 0 else { return false }
      set(&subject, UInt64(count))
      return true
    }
  }
}

/// `SignedIn`: the word of a source about the caller's person.
package struct SignedInCall: Call, Hashable {
  package var source = AccountSource.broker
  package var accounts: [SignedInAccount] = []

  package init() {}

  package static let parameters = ParameterTable<SignedInCall>([
    .word("source", .accountSource, \.source),
    Parameter("accounts", .objects, isRequired: true) { value, call throws(ServiceError) in
      guard value.kind == .array else { return false }
      var elements = value.elements
      while let element = elements.next() {
        guard element.kind == .object else { return false }
        var names = SignedInAccount()
        try Self.members.read(element, into: &names)
        guard !names.all.isEmpty else { return false }
        call.accounts.append(names)
      }
      return true
    },
  ])

  /// The members of a `SignedInAccount`, in the order of the interface file.
  package static let members = ParameterTable<SignedInAccount>([
    .optionalText("upn", \.upn), .optionalText("objectId", \.objectID),
  ])
}
