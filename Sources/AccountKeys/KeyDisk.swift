internal import Platform

/// The steps of which all work on key files is made. Each is done when it returns, as far as it says; a test cuts the power
/// between any two of them.
package protocol KeyDisk: Sendable {
  /// The names in a directory, in no order; nil when there is none.
  func names(in directory: String) throws(KeyStoreError) -> [String]?
  /// The bytes of a file that only this user can have written and read; nil when there is none.
  func bytes(at path: String, maximum: Int) throws(KeyStoreError) -> [UInt8]?
  /// A directory for this user alone. Its name is on the disk once the directory around it is synced, as with the others.
  func makeDirectory(_ path: String) throws(KeyStoreError)
  /// A new file for this user alone, whose bytes are on the disk.
  func create(_ path: String, _ bytes: [UInt8]) throws(KeyStoreError)
  /// Gives an entry another name, in place of the one that has it.
  func move(_ path: String, to other: String) throws(KeyStoreError)
  /// The names in a directory are on the disk.
  func sync(_ directory: String) throws(KeyStoreError)
  /// The bytes of a file are zeros, in their place on the disk.
  func overwrite(_ path: String) throws(KeyStoreError)
  /// Removes a file or an empty directory.
  func remove(_ path: String) throws(KeyStoreError)
}

/// The disk of this machine.
package struct FileKeyDisk: KeyDisk {
  package init() {}

  package func names(in directory: String) throws(KeyStoreError) -> [String]? {
    guard let status = FileStatus(entry: directory) else { return try absent("list", directory) }
    if let reason = Self.exposure(status, as: .directory) { throw .exposed(path: directory, reason: reason) }
    return try system { () throws(SystemError) in try Directory.names(in: directory) }
  }

  package func bytes(at path: String, maximum: Int) throws(KeyStoreError) -> [UInt8]? {
    guard FileStatus(entry: path) != nil else { return try absent("open", path) }
    let file = try system { () throws(SystemError) in try OpenFile.reading(path, followsLink: false) }
    guard let status = file.status else { throw .system(SystemError("open", path)) }
    if let reason = Self.exposure(status, as: .regular) { throw .exposed(path: path, reason: reason) }
    guard status.size <= maximum else { throw .damaged(path: path, reason: "it is too long") }
    do throws(SystemError) { return try file.bytes(in: 0..<status.size) } catch { throw .system(error) }
  }

  package func makeDirectory(_ path: String) throws(KeyStoreError) {
    try system { () throws(SystemError) in try Directory.make(path) }
    guard let status = FileStatus(entry: path) else { throw .system(SystemError("make directory", path)) }
    if let reason = Self.exposure(status, as: .directory) { throw .exposed(path: path, reason: reason) }
  }

  package func create(_ path: String, _ bytes: [UInt8]) throws(KeyStoreError) {
    try system { () throws(SystemError) in
      let file = try OpenFile.creating(path, mode: 0o600)
      try file.write(bytes.span)
      try file.sync()
    }
  }

  package func move(_ path: String, to other: String) throws(KeyStoreError) {
    try system { () throws(SystemError) in try DirectoryEntry.move(path, to: other) }
  }

  package func sync(_ directory: String) throws(KeyStoreError) {
    try system { () throws(SystemError) in try Directory.sync(directory) }
  }

  package func overwrite(_ path: String) throws(KeyStoreError) {
    try system { () throws(SystemError) in
      let file = try OpenFile.changing(path)
      try file.write([UInt8](repeating: 0, count: file.status?.size ?? 0).span)
      try file.sync()
    }
  }

  package func remove(_ path: String) throws(KeyStoreError) {
    try system { () throws(SystemError) in try DirectoryEntry.remove(path) }
  }

  /// Why an entry is not this user's secret: nil when it is.
  private static func exposure(_ status: FileStatus, as kind: FileStatus.Kind) -> String? {
    if status.kind != kind { return kind == .directory ? "it is not a directory" : "it is not a regular file" }
    if !status.isOwn { return "it belongs to another user" }
    if status.mode & 0o077 != 0 { return "others have rights to it: its mode has to be \(Self.mode(of: kind))" }
    return kind == .regular && status.names > 1 ? "it has a second name" : nil
  }

  private static func mode(of kind: FileStatus.Kind) -> String { kind == .directory ? "0700" : "0600" }

  /// Nothing is there; any other error than that is thrown.
  private func absent<Found>(_ call: String, _ path: String) throws(KeyStoreError) -> Found? {
    let error = SystemError(call, path)
    guard error.isAbsence else { throw .system(error) }
    return nil
  }

  private func system<Result: ~Copyable>(_ body: () throws(SystemError) -> Result) throws(KeyStoreError) -> Result {
    do throws(SystemError) { return try body() } catch { throw .system(error) }
  }
}
