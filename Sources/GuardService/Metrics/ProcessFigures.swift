internal import Glibc

/// What this process takes of the system, from /proc; 0 where that is not readable.
struct ProcessFigures {
  let residentBytes: UInt64
  let openFiles: UInt64
  let maximumFiles: UInt64

  init() {
    let statm = SmallFile.text(at: "/proc/self/statm", maximum: 256)?.split(separator: " ") ?? []
    residentBytes = (statm.count > 1 ? UInt64(statm[1]) ?? 0 : 0) * UInt64(max(0, sysconf(Int32(_SC_PAGESIZE))))
    openFiles = Self.countOpenFiles()
    var limit = rlimit()
    let known = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    maximumFiles = known ? UInt64(limit.rlim_cur) : 0
  }

  /// Without the one that the counting itself needs.
  private static func countOpenFiles() -> UInt64 {
    guard let directory = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(directory) }
    var count: UInt64 = 0
    while let entry = readdir(directory) {
      if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
    }
    return count > 0 ? count - 1 : 0
  }
}
