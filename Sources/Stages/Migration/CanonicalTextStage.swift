import Pipeline

/// Writes the accepted parts of each record as a line of canonical v2 (data-model 11).
///
/// Runs in the lanes, after the migration; the lines go to the unit's `text`, in block order.
package struct CanonicalTextStage: Stage {
  package init() {}

  static let name = "canonical"

  /// Writes the unit's text. Complexity: O(bytes written).
  mutating func process(_ unit: WorkUnit) {
    unit.text.removeAll()
    unit.textLines = Self.write(unit.batch, to: &unit.text)
  }

  /// Appends the lines, and returns their number.
  private static func write(_ batch: RecordBatch, to text: inout ByteBuffer) -> Int {
    var lines = 0
    for record in batch.records.indices
    where CanonicalWriter.append(record: record, of: batch, to: &text) {
      text.append(UInt8(ascii: "\n"))
      lines += 1
    }
    return lines
  }
}
