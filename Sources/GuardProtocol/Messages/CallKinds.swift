package import GuardModel

/// A call of `org.webviewguard.Guard`, with its parameters read.
package enum GuardCall: Sendable, Hashable {
  case whoAmI
  case ownPrograms
  case exportRules(ExportRulesCall)
  case attach(AttachCall)
  case state(StateCall)
  case identities(IdentitiesCall)
  case decideMany(DecideManyCall)
  case decideLocations(DecideLocationsCall)
  case decidePeers(DecidePeersCall)
  case acknowledge(AcknowledgeCall)
  case subscribe(SubscribeCall)
  /// An event of this kind; the client's words lie in the given `EventCall`.
  case decide(EventKind)
}

/// A call of `org.varlink.service`, with its parameters read.
package enum ServiceCall: Sendable, Hashable {
  case getInfo
  case getInterfaceDescription(GetInterfaceDescriptionCall)
}

/// A call of `org.webviewguard.Accounts`, with its parameters read.
package enum AccountsCall: Sendable, Hashable {
  /// One that the engine carries out.
  case life(AccountCall)
  case filesRemoved(FilesRemovedCall)
  case signedIn(AccountSource, [SignedInAccount])
  case list
  case deviceAccount
  case allowedAccounts
  /// Of these accounts; nil for all that are enrolled.
  case config([String]?)
  /// In these languages.
  case notices([String])
  case dataKey(DataKeyCall)
  case openDirectory(OpenDirectoryCall)
  case fileCreated(FileCreatedCall)
  case readLabel(ReadLabelCall)
  case setOwner(SetOwnerCall)
}

/// A call of `org.webviewguard.Rules`, with its parameters read.
package enum RulesCall: Sendable, Hashable {
  case classify(ClassifyCall)
  case explain(ExplainCall)
}
