internal import Glibc

/// The files of the machine.
package struct SystemFiles: FileSource {
  package init() {}

  package func entries(of directory: String) throws(FileProblem) -> [FileEntry] {
    guard let stream = opendir(directory) else { throw .last }
    defer { closedir(stream) }
    var entries: [FileEntry] = []
    while let entry = readdir(stream) {
      let name = Self.name(of: entry)
      guard name != ".", name != ".." else { continue }
      entries.append(FileEntry(name: name, kind: kind(of: directory + "/" + name) ?? .other))
    }
    return entries
  }

  package func kind(of path: String) -> FileEntry.Kind? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return Self.kind(status)
  }

  package func read(_ path: String, limit: Int) throws(FileProblem) -> [UInt8] {
    // Without O_NONBLOCK, opening a pipe waits for somebody to write into it.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw .last }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .last }
    guard Self.kind(status) == .regular else { throw .notARegularFile }
    return try Self.readAll(descriptor, limit: limit)
  }

  package var workingDirectory: String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }

  /// Reads to the end, and not by the size that was told before: the file may grow meanwhile.
  private static func readAll(_ descriptor: Int32, limit: Int) throws(FileProblem) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count == 0 { return bytes }
      if count < 0 {
        guard errno == EINTR else { throw .last }
        continue
      }
      bytes += chunk[..<count]
      guard bytes.count <= limit else { throw .tooLarge }
    }
  }

  static func kind(_ status: stat) -> FileEntry.Kind {
    switch status.st_mode & S_IFMT {
    case S_IFREG: .regular
    case S_IFDIR: .directory
    default: .other
    }
  }

  private static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
    withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
    }
  }
}

extension FileProblem {
  /// What `errno` says.
  static var last: FileProblem {
    let code = errno
    guard code != ENOENT else { return .missing }
    let words = UnsafeMutablePointer<CChar>.allocate(capacity: 256)
    defer { words.deallocate() }
    guard strerror_r(code, words, 256) == 0 else { return .system("error \(code)") }
    return .system(String(cString: words))
  }
}
