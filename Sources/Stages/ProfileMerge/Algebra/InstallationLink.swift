package import Pipeline

/// The person an installation belongs to, and since when (data-model 13.8).
package struct InstallationLink {
  /// Milliseconds since 1970.
  package let time: Int
  /// Key text of the person, `custom:ID`.
  package let person: ByteView

  package init(time: Int, person: ByteView) {
    self.time = time
    self.person = person
  }

  /// Whether a merge of the earliest of the two keeps this one; on equal times the smaller bytes.
  package func isBefore(_ other: InstallationLink) -> Bool {
    time != other.time ? time < other.time : person < other.person
  }

  /// Whether a merge of the latest of the two keeps this one; on equal times the greater bytes.
  package func isBehind(_ other: InstallationLink) -> Bool { other.isBefore(self) }
}
