import Foundation
import GuardService
import Testing

/// A file that the state may not be read from.
struct Trap: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let set: @Sendable (StateFolder) throws -> Void

  static let all: [Trap] = [
    Trap("garbage") { try Data(repeating: 7, count: 9_000).write(to: URL(fileURLWithPath: $0.place.file)) },
    Trap("half of it") { folder in
      let file = URL(fileURLWithPath: folder.place.file)
      try Data(contentsOf: file).prefix(5_000).write(to: file)
    },
    Trap("a file that others may write") { chmod($0.place.file, 0o666) },
    Trap("a second name") { try FileManager.default.linkItem(atPath: $0.place.file, toPath: $0.place.file + ".name") },
    Trap("a symbolic link") { folder in
      try FileManager.default.moveItem(atPath: folder.place.file, toPath: folder.place.file + ".real")
      try FileManager.default.createSymbolicLink(
        atPath: folder.place.file, withDestinationPath: folder.place.file + ".real")
    },
    Trap("a log that others may write") { folder in
      try Data().write(to: URL(fileURLWithPath: folder.place.file + "-wal"))
      chmod(folder.place.file + "-wal", 0o666)
    },
    Trap("a directory") { folder in
      try FileManager.default.removeItem(atPath: folder.place.file)
      try FileManager.default.createDirectory(atPath: folder.place.file, withIntermediateDirectories: false)
    },
    // The header's number of the program that owns the file, and its version.
    Trap("another program's file") { try $0.overwrite(at: 68, [1, 2, 3, 4]) },
    Trap("a file of a later version") { try $0.overwrite(at: 60, [0, 0, 0, 99]) },
  ]

  init(_ name: String, _ set: @escaping @Sendable (StateFolder) throws -> Void) {
    testDescription = name
    self.set = set
  }
}
