package import Pipeline

/// The custom id an installation belongs to, and since when (SPEC 8.4); the merge keeps the
/// earliest, on equal times the smaller bytes.
package struct InstallationLink {
  /// Milliseconds since 1970.
  package let time: Int
  package let customID: ByteView

  package init(time: Int, customID: ByteView) {
    self.time = time
    self.customID = customID
  }

  /// Whether a merge of the two keeps this one.
  package func wins(over other: InstallationLink) -> Bool {
    time != other.time ? time < other.time : customID < other.customID
  }
}
