import CZstd

/// The library that compresses.
package enum Zstd {
  /// The version of libzstd the program runs with, as in `1.5.4`.
  package static var versionText: String { unsafe String(cString: ZSTD_versionString()) }
}
