internal import GuardModel
internal import PolicyEngine

/// The directories in which an app keeps the data of one account, which a wipe removes.
///
///     apps: { com.contoso.portal: { dataDirectories: ["~/.local/share/contoso/{account}"] } }
extension YAMLDecoder where Value == DataDirectory {
  /// A directory that is one account's alone. Everything else is an error: a wipe removes what stands here.
  static var dataDirectory: Self {
    Self("a directory of one account") { node, diagnostics in
      guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      do throws(DataDirectory.Fault) { return try DataDirectory(text) } catch {
        diagnostics.error(
          .dataDirectory, at: node.location, "\(text.quoted) \(error.words)", hint: error.hint)
        return nil
      }
    }
  }
}

extension DataDirectory.Fault {
  fileprivate var words: String {
    switch self {
    case .path(.relative): "is neither absolute nor below `~/`"
    case .path(let fault): fault.words
    case .noPlaceholder: "is not one account's: it has neither `{account}` nor `{objectId}`"
    case .unknownPlaceholder(let text): "has \(text.quoted), which is no placeholder"
    case .notDeepEnough: "may be a directory of somebody else, such as a home, for some accounts"
    }
  }

  fileprivate var hint: String {
    switch self {
    case .unknownPlaceholder: "the placeholders are `{account}` and `{objectId}`"
    case .notDeepEnough:
      "put it into a directory of the app, as in `~/.local/share/contoso/{account}` or `/srv/contoso/{account}`"
    default: "a wipe removes the whole directory: write one of each account, as in `~/.local/share/contoso/{account}`"
    }
  }
}
