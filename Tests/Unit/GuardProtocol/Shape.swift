import GuardModel
import GuardProtocol

/// The parameters of a method: names, types, and which must be there.
struct Shape: Equatable {
  struct Field: Equatable {
    let name: String
    let type: ParameterType
    let isRequired: Bool
  }

  let fields: [Field]

  init(_ parameters: [Parameter<some Any>]) {
    fields = parameters.map { Field(name: $0.name, type: $0.type, isRequired: $0.isRequired) }
  }

  init(_ fields: [FileField], in file: InterfaceFile) {
    self.fields = fields.map {
      Field(name: $0.name, type: Shape.type($0.type.unwrapped, in: file), isRequired: !$0.type.isOptional)
    }
  }

  private static func type(_ type: FileType, in file: InterfaceFile) -> ParameterType {
    switch type {
    case .bool: .bool
    case .int: .int
    case .string: .text
    case .array(.string): .texts
    case .words(let words): .word(words.map(\.name))
    case .named(let name): file.type(name).map { Shape.type($0, in: file) } ?? .object
    case .array(let element): list(of: Shape.type(element, in: file))
    default: .object
    }
  }

  private static func list(of element: ParameterType) -> ParameterType {
    if case .word(let words) = element { .words(words) } else { .objects }
  }

  /// What the decoder takes.
  static func of(_ method: Method) -> Shape {
    switch method {
    case .service(.getInterfaceDescription): Shape(GetInterfaceDescriptionCall.parameters.parameters)
    case .rules(.classify): Shape(ClassifyCall.parameters.parameters)
    case .rules(.explain): Shape(ExplainCall.parameters.parameters)
    case .admin(.addException): Shape(AddExceptionCall.parameters.parameters)
    case .admin(.listExceptions): Shape(ListExceptionsCall.parameters.parameters)
    case .admin(.removeException): Shape(RemoveExceptionCall.parameters.parameters)
    case .admin(.accounts): Shape(AccountsOrder.parameters.parameters)
    case .admin(.deregisterAccount): Shape(DeregisterOrder.parameters.parameters)
    case .admin(.wipeAccount): Shape(WipeAccountCall.parameters.parameters)
    case .admin(.approveWipe): Shape(ApproveWipeCall.parameters.parameters)
    case .admin(.restoreAccount): Shape(RestoreAccountCall.parameters.parameters)
    case .admin(.rotateAccountKey): Shape(RotateKeyOrder.parameters.parameters)
    case .admin(.recoverAccountKey): Shape(RecoverKeyOrder.parameters.parameters)
    case .admin(.keepDirectories): Shape(KeepDirectoriesCall.parameters.parameters)
    case .admin(.directoryKey): Shape(DirectoryKeyCall.parameters.parameters)
    case .admin(.noteDirectory): Shape(NoteDirectoryCall.parameters.parameters)
    case .admin(.reload): Shape(ReloadCall.parameters.parameters)
    case .admin(.rollback): Shape(RollbackCall.parameters.parameters)
    case .admin(.noteFailedCheckIn): Shape(FailedCheckInCall.parameters.parameters)
    case .service(.getInfo), .admin: Shape(EmptyCall.parameters.parameters)
    case .guard(let method): of(method)
    case .accounts(.register): Shape(RegisterCall.parameters.parameters)
    case .accounts(.deregister): Shape(DeregisterCall.parameters.parameters)
    case .accounts(.maySignIn): Shape(MaySignInCall.parameters.parameters)
    case .accounts(.remediate): Shape(RemediateCall.parameters.parameters)
    case .accounts(.complete): Shape(CompleteCall.parameters.parameters)
    case .accounts(.filesRemoved): Shape(FilesRemovedCall.parameters.parameters)
    case .accounts(.notices): Shape(NoticesCall.parameters.parameters)
    case .accounts(.dataKey): Shape(DataKeyCall.parameters.parameters)
    case .accounts(.openDirectory): Shape(OpenDirectoryCall.parameters.parameters)
    case .accounts(.fileCreated): Shape(FileCreatedCall.parameters.parameters)
    case .accounts(.readLabel): Shape(ReadLabelCall.parameters.parameters)
    case .accounts(.setOwner): Shape(SetOwnerCall.parameters.parameters)
    case .accounts(.config): Shape(ConfigCall.parameters.parameters)
    case .accounts(.signedIn): Shape(SignedInCall.parameters.parameters)
    case .accounts(.list), .accounts(.deviceAccount), .accounts(.allowedAccounts):
      Shape(EmptyCall.parameters.parameters)
    }
  }

  private static func of(_ method: GuardMethod) -> Shape {
    switch method {
    case .whoAmI, .ownPrograms: Shape(EmptyCall.parameters.parameters)
    case .exportRules: Shape(ExportRulesCall.parameters.parameters)
    case .attach: Shape(AttachCall.parameters.parameters)
    case .registerViewer: Shape(ViewerDescription.parameters.parameters)
    case .setDocument: Shape(SetDocumentCall.parameters.parameters)
    case .forgetViewer: Shape(ForgetViewerCall.parameters.parameters)
    case .setWebViewPolicy: Shape(SetWebViewPolicyCall.parameters.parameters)
    case .setExternalURLRules: Shape(SetExternalURLRulesCall.parameters.parameters)
    case .setIdentity: Shape(IdentityStatement.parameters.parameters)
    case .identities: Shape(IdentitiesCall.parameters.parameters)
    case .decideMany: Shape(DecideManyCall.parameters.parameters)
    case .decideLocations: Shape(DecideLocationsCall.parameters.parameters)
    case .decidePeers: Shape(DecidePeersCall.parameters.parameters)
    case .answer: Shape(AnswerCall.parameters.parameters)
    case .acknowledge: Shape(AcknowledgeCall.parameters.parameters)
    case .subscribe: Shape(SubscribeCall.parameters.parameters)
    case .navigate, .copy, .paste, .clipboardChanged, .dragEnd, .download, .upload, .save, .open, .receive, .share,
      .print, .capture, .notify, .openURL, .exchange, .index:
      Shape(EventCall.parameters.parameters)
    }
  }
}

extension Method {
  /// The name without its interface.
  var plainName: String { String(qualifiedName.dropFirst(interface.rawValue.count + 1)) }
}
