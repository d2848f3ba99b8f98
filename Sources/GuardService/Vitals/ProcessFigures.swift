internal import Glibc
internal import Platform

/// What this process takes of the system, from /proc; 0 where that is not readable.
struct ProcessFigures {
  let residentBytes: UInt64
  let openFiles: UInt64
  let maximumFiles: UInt64

  init() {
    let statm = SmallFile.text(at: "/proc/self/statm", maximum: 256)?.split(separator: " ") ?? []
    residentBytes = (statm.count > 1 ? UInt64(statm[1]) ?? 0 : 0) * UInt64(max(0, sysconf(Int32(_SC_PAGESIZE))))
    // Without the one that the counting itself needs.
    openFiles = UInt64(max(1, (try? Directory.names(in: "/proc/self/fd").count) ?? 0) - 1)
    var limit = rlimit()
    let known = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
    maximumFiles = known ? UInt64(limit.rlim_cur) : 0
  }
}
