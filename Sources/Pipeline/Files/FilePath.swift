/// The path of a file or directory, by its bytes: two paths that are equal as characters may be two
/// files.
package struct FilePath: Hashable, Comparable, Sendable {
  package let bytes: [UInt8]

  package init(_ path: String) { bytes = Array(path.utf8) }

  package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package static func < (a: FilePath, b: FilePath) -> Bool {
    a.bytes.lexicographicallyPrecedes(b.bytes)
  }
}

extension String {
  /// Whether its bytes come before those of `other`.
  package func precedes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}

extension Sequence {
  /// The elements in the order of the bytes of a text of each.
  package func sorted(byBytesOf text: (Element) -> String) -> [Element] {
    sorted { text($0).precedes(text($1)) }
  }
}
