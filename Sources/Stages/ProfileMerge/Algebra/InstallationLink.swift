package import Pipeline

/// The person an installation belongs to, and since when (SPEC 8.4); the merge keeps the earliest, on
/// equal times the smaller bytes.
package struct InstallationLink {
  /// Milliseconds since 1970.
  package let time: Int
  /// Key text of the person, `custom:ID`.
  package let person: ByteView

  package init(time: Int, person: ByteView) {
    self.time = time
    self.person = person
  }

  /// Whether a merge of the two keeps this one.
  package func wins(over other: InstallationLink) -> Bool {
    time != other.time ? time < other.time : person < other.person
  }
}
