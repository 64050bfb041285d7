package import Pipeline

/// Remarks about accepted values (data-model 19): they are counted, and change nothing.
extension RecordBatch {
  /// Adds a remark if the date `time`, in milliseconds, of the attribute with the key at tape index
  /// `key` is implausible.
  func remark(date time: Int, key: Int, at path: FieldPath) {
    if Rules.plausibleDates.contains(time) { return }
    remarks.add(.implausibleDate, at: path, of: tape)
    remarkSites.append(RemarkSite(key: Int32(key)))
  }

  /// Assigns the remarks from `first` on to a part of the record at `record`: to an event or an
  /// operation. Those of a part that is not accepted are removed.
  func locateRemarks(
    from first: Int, record: UInt32, event: Node = .none, operation: Node = .none,
    isAccepted: Bool
  ) {
    guard remarks.count > first else { return }
    guard isAccepted else {
      remarks.truncate(to: first)
      remarkSites.truncate(to: first)
      return
    }
    for index in first..<remarks.count {
      remarkSites[index].record = record
      (remarkSites[index].event, remarkSites[index].operation) = (event, operation)
    }
  }

  /// Whether remark number `index` counts: whether its part was accepted in the end, and its value
  /// kept.
  package func counts(remark index: Int) -> Bool {
    let site = remarkSites[index]
    if tape[Int(site.key)].isDropped { return false }
    return site.event.exists
      ? events[site.event.index].isAccepted : operations[site.operation.index].isApplied
  }

  /// The key of the attribute that remark number `index` is about, without its type.
  package func key(ofRemark index: Int) -> ByteView {
    tape.bytes(at: Int(remarkSites[index].key))
  }

  /// The index in `lines` of the line of remark number `index`.
  package func line(ofRemark index: Int) -> Int {
    Int(records[Int(remarkSites[index].record)].line)
  }

  /// Writes the path of a remark from the root of its line on, as ``appendPath(ofLoss:to:number:)``
  /// does.
  package func appendPath(
    ofRemark index: Int, to text: inout ByteBuffer, number: ((_ event: Int) -> Int)? = nil
  ) {
    let site = remarkSites[index]
    appendEvent(site.event, of: site.record, to: &text, number: number)
    text.append(remarks.path(remarks[index]))
  }
}

/// The position of a remark.
package struct RemarkSite: BitwiseCopyable, Sendable {
  /// Tape index of the attribute's key.
  package let key: Int32
  /// Index in `records`.
  package internal(set) var record: UInt32 = 0
  /// Index in `events`, or in `operations`.
  package internal(set) var event: Node = .none
  package internal(set) var operation: Node = .none
}
