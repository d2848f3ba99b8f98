import WebViewGuardClient
import WebViewGuardSealing

/// Seals a text with the key of an account, opens it again, and says whose it is.
///
///     seal --socket DIR/guard.sock --account work@contoso.com "the organisation's figures"
@main
struct Seal {
  static func main() async {
    var (socket, account, text) = (String?.none, "work@contoso.com", "")
    var words = CommandLine.arguments.dropFirst().makeIterator()
    while let word = words.next() {
      switch word {
      case "--socket": socket = words.next()
      case "--account": account = words.next() ?? account
      default: text = word
      }
    }
    let guardian = GuardClient(.init(app: "com.contoso.portal", socketPath: socket))
    await guardian.start()
    do throws(SealingError) {
      let sealed = try await guardian.sealing.protectText(text, account: account)
      print(try await guardian.sealing.unprotectText(sealed))
      switch try ProtectionInfo(ofText: sealed) {
      case .sealed(let accountID, _, _): print("sealed for \(accountID)")
      case .unmanaged(let name): print("not sealed; \(name) owns it")
      case nil: print("no owner")
      }
    } catch {
      print("error: \(error)")
    }
  }
}
