import TestSupport

extension ScratchDirectory {
  /// Changes the bytes of a file.
  func change(_ name: String, _ change: (inout [UInt8]) -> Void) throws {
    var bytes = try bytes(name)
    change(&bytes)
    try write(bytes, to: name)
  }

  /// Changes a bit in the middle of a file.
  func damage(_ name: String) throws { try change(name) { $0[$0.count / 2] ^= 1 } }
}
