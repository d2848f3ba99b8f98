/// The id of the running boot: clipboards and programs do not outlive it.
enum BootID {
  /// As the kernel gives it; empty when it cannot be read, which is like no boot that was.
  static var current: String {
    let text = SmallFile.text(at: "/proc/sys/kernel/random/boot_id", maximum: 64) ?? ""
    return String(text.prefix { !$0.isWhitespace })
  }
}
