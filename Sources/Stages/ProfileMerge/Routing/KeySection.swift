package import Pipeline

/// The kinds of keys, in the order in which their keys sort: each is a section of a part.
package enum KeySection: Int, CaseIterable, Sendable {
  case anonymous
  case custom
  case install

  package var prefix: ByteView {
    switch self {
    case .anonymous: "anonymous:"
    case .custom: "custom:"
    case .install: "install:"
    }
  }

  /// The section of a key; nil for an invalid key text.
  package init?(of key: ByteView) {
    guard key.count > 0 else { return nil }
    switch key[0] {
    case UInt8(ascii: "a"): self = .anonymous
    case UInt8(ascii: "c"): self = .custom
    case UInt8(ascii: "i"): self = .install
    default: return nil
    }
    guard key.starts(with: prefix) else { return nil }
  }

  func hasID(_ key: ByteView) -> Bool { key.count > prefix.count }
  package func id(of key: ByteView) -> ByteView { key.dropFirst(prefix.count) }
}

/// Decisions by the hash of a key text. Each uses other bits.
package enum KeyHash {
  /// Keys per group on average: the merge may be cut between two of them.
  package static let keysPerGroup: UInt64 = 256
  private static let groupShift: UInt64 = 24
  /// One in this many keys may end a frame.
  private static let keysPerEnd: UInt64 = 8
  private static let endShift: UInt64 = 40

  /// The partition of a key (docs/reference/file-formats.md).
  package static func partition(_ hash: UInt64, of count: Int) -> Int { Int(hash % UInt64(count)) }

  /// 32 bits of the hash, to find keys that may match.
  static func mark(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash) }

  /// Whether a group of keys begins with this one. This depends on the key alone, so added and
  /// removed keys do not move the limits of other groups.
  package static func beginsGroup(_ hash: UInt64) -> Bool {
    hash >> groupShift & (keysPerGroup - 1) == 0
  }

  /// Whether a frame with enough keys ends before this one. This depends on the key alone, so that
  /// two snapshots with different keys before it soon have equal frames again.
  static func mayEndFrame(_ hash: UInt64) -> Bool { hash >> endShift & (keysPerEnd - 1) == 0 }
}
