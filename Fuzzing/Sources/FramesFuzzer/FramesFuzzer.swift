import FuzzSupport

/// What libFuzzer calls with every input.
@_cdecl("LLVMFuzzerTestOneInput")
func test(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  FramesProperties.check(input(start, count))
  return 0
}
