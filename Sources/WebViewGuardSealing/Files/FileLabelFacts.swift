internal import Bytes
internal import Glibc
internal import GuardModel
internal import Platform
public import WebViewGuardClient

/// What this machine says of a file: the members `label`, `file` and `origin` of an event about it. The daemon opens no file;
/// this is read by the program, with its own rights.
///
///     var event = GuardEvent(viewer: "v1", url: url)
///     try await guardian.files.facts("report.txt").tell(&event)
///     await guardian.upload(event)
public struct FileLabelFacts: Sendable, Hashable {
  /// The label, in hexadecimal digits; nil where the file has none.
  public internal(set) var label: String?
  /// Facts by which the daemon's table knows the file, on a file system without attributes.
  public let file: String?
  /// The URL that it was downloaded from.
  public let origin: String?

  /// Where the owner is kept.
  let store: LabelStore

  static let labelName = "user.webviewguard.owner"
  private static let originName = "user.xdg.origin.url"
  /// A longer text is none to the daemon.
  private static let longestFacts = 256

  /// Of an open file or directory.
  init(of descriptor: Int32) throws(FileProtectionError) {
    let label: [UInt8]?
    do throws(SystemError) { label = try FileAttribute.value(Self.labelName, of: descriptor) } catch {
      guard FileAttribute.isUnsupported(error) else {
        throw FileProtectionError(.decryptFailed, error.description)
      }
      file = LastingFacts.text(of: descriptor, maximum: Self.longestFacts)
      store = file == nil ? .none : .table
      origin = nil
      return
    }
    self.label = label.map { String(lowerCaseHex: $0.span) }
    let origin = (try? FileAttribute.value(Self.originName, of: descriptor)) ?? []
    self.origin = origin.isEmpty ? nil : String(decoding: origin, as: UTF8.self)
    (file, store) = (nil, .attribute)
  }

  /// Of what a path leads to.
  init(ofPath path: String) throws {
    let file = try OpenFile.reading(path)
    try self.init(of: file.descriptor)
  }

  /// Puts them into an event about the file.
  public func tell(_ event: inout GuardEvent) { (event.label, event.file, event.origin) = (label, file, origin) }

  /// As parameters of a call.
  var members: [String: GuardValue] {
    var members: [String: GuardValue] = [:]
    for (name, text) in [("label", label), ("file", file), ("origin", origin)] {
      members[name] = text.map { .string($0) }
    }
    return members
  }
}

/// Labels of open files.
enum LabelAttribute {
  /// A sealed file whose label is lost, and of which nobody can say whose it is, has this one: it goes nowhere.
  static let broken: [UInt8] = []

  /// False where the file system keeps none.
  static func set(_ label: [UInt8], of descriptor: Int32) -> Bool {
    (try? FileAttribute.set(FileLabelFacts.labelName, of: descriptor, to: label)) != nil
  }

  /// - Throws: 102 where nothing keeps the owner.
  static func keep(_ said: LabelledFile, of descriptor: Int32) throws {
    guard !said.mustSeal else {
      throw FileProtectionError(.encryptFailed, "the file system keeps no owner: seal the file")
    }
    guard let label = said.label else { return }
    do throws(SystemError) { try FileAttribute.set(FileLabelFacts.labelName, of: descriptor, to: label) } catch {
      throw FileProtectionError(.encryptFailed, error.description)
    }
  }

  static func remove(of descriptor: Int32) { FileAttribute.remove(FileLabelFacts.labelName, of: descriptor) }
}
