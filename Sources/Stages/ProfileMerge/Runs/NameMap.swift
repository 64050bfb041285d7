import Pipeline

/// The numbers that the names of another process have in this run, by their numbers there.
package struct NameMap: Sendable {
  private let events: [UInt32]
  private let attributes: [UInt32]

  /// A map for spills whose names are `events` and `attributes`, in the order of their numbers.
  package init(events: [UInt32], attributes: [UInt32]) {
    self.events = events
    self.attributes = attributes
  }

  /// A map for spills whose names have the numbers of this run already.
  package init(_ names: SnapshotNames) {
    events = (0..<names.events.count).map(UInt32.init)
    attributes = (0..<names.attributes.count).map(UInt32.init)
  }

  /// Gives the records of all key states in `text` the numbers of this run; false when `text` holds
  /// anything else.
  func relabel(_ text: inout ByteBuffer) -> Bool {
    var offset = 0
    while let state = KeyState(text.view, at: &offset) {
      var position = offset - state.records.count
      while position < offset {
        guard relabelRecord(&text, &position, before: offset) else { return false }
      }
    }
    return offset == text.count
  }

  private func relabelRecord(
    _ text: inout ByteBuffer, _ position: inout Int, before end: Int
  ) -> Bool {
    let start = position
    guard Mutation.skip(text[0..<end], at: &position), let record = Mutation(text.view, at: start)
    else { return false }
    let numbers: [UInt32]
    switch record.naming {
    case .event: numbers = events
    case .attribute: numbers = attributes
    case .none: return record.isSoundWithoutName
    }
    guard Int(record.name) < numbers.count else { return false }
    let number = numbers[Int(record.name)]
    for byte in 0..<4 {
      text[start + byte] = UInt8(truncatingIfNeeded: number >> UInt32(8 * byte))
    }
    return true
  }
}

extension Mutation {
  /// The record at `offset` of `bytes`.
  fileprivate init?(_ bytes: ByteView, at offset: Int) {
    var offset = offset
    self.init(bytes, at: &offset)
  }
}
