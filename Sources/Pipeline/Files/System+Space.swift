#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension System {
  /// Bytes that this user may still write in the file system of `path`, which must exist; what is
  /// kept for the administrator does not count.
  /// - Throws: `io`, when the file system does not tell.
  package func freeSpace(at path: String) throws(Failure) -> Int {
    var system = statvfs()
    do {
      _ = try attempt(.space) { unsafe statvfs(path, &system) }
    } catch {
      throw error.failure(doing: "looking for free space at", path: path)
    }
    return System.bytes(blocks: UInt64(system.f_bavail), of: UInt64(system.f_frsize))
  }

  /// The bytes of so many blocks of one size; file systems without an end have the greatest number.
  static func bytes(blocks: UInt64, of size: UInt64) -> Int {
    let (bytes, overflow) = blocks.multipliedReportingOverflow(by: size)
    return overflow ? .max : Int(clamping: bytes)
  }
}
