package import Pipeline

/// Where a person or an installation was last (dialects 2); the merge keeps the latest, on equal
/// times the greater bytes.
package struct LocationRegister {
  /// Milliseconds since 1970.
  package let time: Int
  /// Canonical JSON of the place: `{"latitude":N,"longitude":N,"accuracy":N}`, the last one only
  /// where it is known.
  package let place: ByteView

  package init(time: Int, place: ByteView) {
    self.time = time
    self.place = place
  }

  /// Whether a merge of the two keeps this one. Equal ones do not win over each other.
  package func wins(over other: LocationRegister) -> Bool {
    time != other.time ? time > other.time : other.place < place
  }
}
