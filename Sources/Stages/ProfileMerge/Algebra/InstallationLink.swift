package import Pipeline

/// The person that an installation belongs to, and since when (data-model 13.8).
package struct InstallationLink {
  /// Milliseconds since 1970.
  package let time: Int
  /// Key text of the target: of the person, `custom:ID`; in a membership, of the installation
  /// (``Memberships``).
  package let target: ByteView

  package init(time: Int, target: ByteView) {
    self.time = time
    self.target = target
  }

  /// Whether a merge of the earliest of the two keeps this one; on equal times the smaller bytes.
  package func isBefore(_ other: InstallationLink) -> Bool {
    time != other.time ? time < other.time : target < other.target
  }

  /// Whether a merge of the latest of the two keeps this one; on equal times the greater bytes.
  package func isBehind(_ other: InstallationLink) -> Bool { other.isBefore(self) }
}
