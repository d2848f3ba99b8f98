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
