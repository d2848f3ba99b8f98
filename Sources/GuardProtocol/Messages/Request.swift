package import GuardModel
package import JSONText

/// A call as it came in: a method that this socket serves, and its unread parameters.
///
/// It borrows the decoder, and cannot be kept past the decoder's next frame.
package struct Request: ~Escapable {
  package let method: Method
  /// The caller takes several replies.
  package let wantsMore: Bool
  /// The caller wants no reply, not even an error.
  package let isOneway: Bool
  let parameters: JSONValue?

  @_lifetime(copy parameters)
  init(method: Method, wantsMore: Bool, isOneway: Bool, parameters: JSONValue?) {
    self.method = method
    self.wantsMore = wantsMore
    self.isOneway = isOneway
    self.parameters = parameters
  }
}

/// The result of decoding a frame.
package enum Incoming: ~Escapable {
  case request(Request)
  /// The service answers with the error, unless `isOneway`.
  case refused(ServiceError, isOneway: Bool)
  /// Not a varlink message at all. Varlink has no error for this: close the connection.
  case unreadable(FrameFault)
}

/// The fault of a frame that is no varlink message.
package enum FrameFault: Error, Sendable, Hashable {
  case notJSON(JSONError)
  /// JSON, but no object, or one whose outermost members are of the wrong type.
  case notAMessage
}

extension Request {
  /// The call, when the method is one of `org.varlink.service`.
  package func serviceCall(_ method: ServiceMethod) throws(ServiceError) -> ServiceCall {
    switch method {
    case .getInfo:
      _ = try EmptyCall(parameters)
      return .getInfo
    case .getInterfaceDescription: return .getInterfaceDescription(try GetInterfaceDescriptionCall(parameters))
    }
  }

  /// The call, when the method is one of `org.webviewguard.Accounts`.
  package func accountsCall(_ method: AccountsMethod) throws(ServiceError) -> AccountsCall {
    switch method {
    case .register: return .life(.register(try RegisterCall(parameters).account))
    case .deregister:
      let call = try DeregisterCall(parameters)
      return .life(.deregister(call.account, call.data ?? .keep))
    case .maySignIn: return .life(.maySignIn(try MaySignInCall(parameters).account))
    case .remediate:
      let call = try RemediateCall(parameters)
      return .life(.remediate(call.account, silent: call.isSilent ?? false))
    case .complete:
      let call = try CompleteCall(parameters)
      return .life(.complete(request: call.request, call.result))
    case .filesRemoved: return .filesRemoved(try FilesRemovedCall(parameters))
    case .signedIn:
      let call = try SignedInCall(parameters)
      return .signedIn(call.source, call.accounts)
    case .config: return .config(try ConfigCall(parameters).accounts)
    case .notices: return .notices(try NoticesCall(parameters).languages)
    case .dataKey: return .dataKey(try DataKeyCall(parameters))
    case .openDirectory: return .openDirectory(try OpenDirectoryCall(parameters))
    case .fileCreated: return .fileCreated(try FileCreatedCall(parameters))
    case .readLabel: return .readLabel(try ReadLabelCall(parameters))
    case .setOwner: return .setOwner(try SetOwnerCall(parameters))
    case .list, .deviceAccount, .allowedAccounts:
      _ = try EmptyCall(parameters)
      return method == .list ? .list : method == .deviceAccount ? .deviceAccount : .allowedAccounts
    }
  }

  /// The call, when the method is one of `org.webviewguard.Rules`.
  package func rulesCall(_ method: RulesMethod) throws(ServiceError) -> RulesCall {
    switch method {
    case .classify: .classify(try ClassifyCall(parameters))
    case .explain: .explain(try ExplainCall(parameters))
    }
  }

  /// The call, when the method is one of `org.webviewguard.Admin`.
  package func adminCall(_ method: AdminMethod) throws(ServiceError) -> AdminCall {
    switch method {
    case .status: try bare(.status)
    case .monitor: try bare(.monitor)
    case .health: try bare(.health)
    case .metrics: try bare(.metrics)
    case .forgetCheckIns: try bare(.forgetCheckIns)
    case .noteFailedCheckIn: .noteFailedCheckIn(try FailedCheckInCall(parameters))
    case .reload: .reload(try ReloadCall(parameters))
    case .rollback: .rollback(try RollbackCall(parameters))
    case .addException: .exception(.add(try AddExceptionCall(parameters)))
    case .listExceptions: .exception(.list(try ListExceptionsCall(parameters)))
    case .removeException: .exception(.remove(try RemoveExceptionCall(parameters)))
    case .accounts: .account(.list(try AccountsOrder(parameters)))
    case .deregisterAccount: .account(.deregister(try DeregisterOrder(parameters)))
    case .wipeAccount: .wipe(.wipe(try WipeAccountCall(parameters)))
    case .approveWipe: .wipe(.approve(try ApproveWipeCall(parameters)))
    case .restoreAccount: .wipe(.restore(try RestoreAccountCall(parameters)))
    case .rotateAccountKey: .account(.rotateKey(try RotateKeyOrder(parameters)))
    case .escrow: try bare(.account(.escrow))
    case .recoverAccountKey: .account(.recoverKey(try RecoverKeyOrder(parameters)))
    case .wipes: try bare(.wipe(.list))
    case .keepDirectories: .directory(.keep(try KeepDirectoriesCall(parameters)))
    case .directoryKey: .directory(.key(try DirectoryKeyCall(parameters)))
    case .noteDirectory: .directory(.note(try NoteDirectoryCall(parameters)))
    }
  }

  /// A call that takes no parameters.
  private func bare(_ call: AdminCall) throws(ServiceError) -> AdminCall {
    _ = try EmptyCall(parameters)
    return call
  }

  /// The call, when the method is one of `org.webviewguard.Guard`.
  ///
  /// For an event the result is `.decide`, and `event` has the client's words.
  package func guardCall(_ method: GuardMethod, event: inout EventCall) throws(ServiceError) -> GuardCall {
    if let kind = method.event {
      try readEvent(kind, into: &event)
      return .decide(kind)
    }
    switch method {
    case .whoAmI, .ownPrograms:
      _ = try EmptyCall(parameters)
      return method == .whoAmI ? .whoAmI : .ownPrograms
    case .exportRules: return .exportRules(try ExportRulesCall(parameters))
    case .attach: return .attach(try AttachCall(parameters))
    case .identities: return .identities(try IdentitiesCall(parameters))
    case .decideMany: return .decideMany(try DecideManyCall(parameters))
    case .decideLocations: return .decideLocations(try DecideLocationsCall(parameters))
    case .decidePeers: return .decidePeers(try DecidePeersCall(parameters))
    case .acknowledge: return .acknowledge(try AcknowledgeCall(parameters))
    case .subscribe: return .subscribe(try SubscribeCall(parameters))
    default:
      guard let call = try stateCall(method) else {
        throw .methodNotImplemented(Method.guard(method).qualifiedName)
      }
      return .state(call)
    }
  }

  /// Reads the client's words about an event of this kind, for a method that asks about one.
  package func readEvent(_ kind: EventKind, into event: inout EventCall) throws(ServiceError) {
    event.reset(to: kind)
    try EventCall.parameters.read(parameters, into: &event)
  }

  /// The call, when the method changes the state of an app.
  private func stateCall(_ method: GuardMethod) throws(ServiceError) -> StateCall? {
    switch method {
    case .registerViewer: return .registerViewer(try ViewerDescription(parameters))
    case .setDocument:
      let call = try SetDocumentCall(parameters)
      return .setDocument(viewer: call.viewer, document: call.document)
    case .forgetViewer: return .forgetViewer(try ForgetViewerCall(parameters).viewer)
    case .setWebViewPolicy:
      let call = try SetWebViewPolicyCall(parameters)
      return .setWebViewPolicy(viewer: call.viewer, call.policy)
    case .setExternalURLRules:
      let call = try SetExternalURLRulesCall(parameters)
      return .setExternalURLRules(viewer: call.viewer, ruleSet: call.ruleSet)
    case .setIdentity: return .setIdentity(try IdentityStatement(parameters))
    case .answer:
      let call = try AnswerCall(parameters)
      return .answer(request: call.request, call.result)
    default: return nil
    }
  }
}
