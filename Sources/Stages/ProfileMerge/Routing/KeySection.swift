package import Pipeline

/// The kinds of keys, in the order in which their keys sort: each is a section of a part.
package enum KeySection: Int, CaseIterable, Sendable {
  /// Ids of anonymous events.
  case anonymous
  /// People.
  case custom
  /// Installations.
  case install

  /// What its keys begin with.
  package var prefix: ByteView {
    switch self {
    case .anonymous: "anonymous:"
    case .custom: "custom:"
    case .install: "install:"
    }
  }

  /// The section of a key; nil for a text that is none.
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

  /// Whether an id follows the prefix in a key of this section.
  func hasID(_ key: ByteView) -> Bool {
    switch self {
    case .anonymous: key.count > 10
    case .custom: key.count > 7
    case .install: key.count > 8
    }
  }

  /// What follows the prefix in a key of this section.
  package func id(of key: ByteView) -> ByteView { key.dropFirst(prefix.count) }
}

/// What the hash of a key text decides. Each takes other bits of it.
package enum KeyHash {
  /// Keys per group on average: the merge may be cut between two of them.
  package static let keysPerGroup: UInt64 = 256
  private static let groupShift: UInt64 = 24
  /// Of how many keys one may end a frame.
  private static let keysPerEnd: UInt64 = 8
  private static let endShift: UInt64 = 40

  /// The partition of a key (docs/reference/file-formats.md).
  package static func partition(_ hash: UInt64, of count: Int) -> Int {
    Int(hash % UInt64(count))
  }

  /// What stands for a key where 32 bits are enough: to find those that may be meant.
  static func mark(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash) }

  /// Whether a group of keys begins with this one. That follows from the key alone, so that keys
  /// that come and go move no other group's limits.
  package static func beginsGroup(_ hash: UInt64) -> Bool {
    hash >> groupShift & (keysPerGroup - 1) == 0
  }

  /// Whether a frame that has enough keys ends before this one. That follows from the key, so that
  /// two snapshots with other keys before it soon have the same frames again.
  static func mayEndFrame(_ hash: UInt64) -> Bool {
    hash >> endShift & (keysPerEnd - 1) == 0
  }
}
