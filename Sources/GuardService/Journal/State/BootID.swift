internal import Glibc
internal import Platform

/// The id of the running boot: clipboards and programs do not outlive it.
enum BootID {
  /// As the service manager gives it, to a daemon that may not see the kernel's files, or as the kernel does; without
  /// hyphens. Empty when neither does, which equals no boot.
  static var current: String {
    let given = getenv("WEBVIEWGUARD_BOOT_ID").map { String(cString: $0) }
    let text = given ?? SmallFile.text(at: "/proc/sys/kernel/random/boot_id", maximum: 64) ?? ""
    return String(text.prefix { !$0.isWhitespace }.filter { $0 != "-" })
  }
}
