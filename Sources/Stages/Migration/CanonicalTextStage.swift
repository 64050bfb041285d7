import Pipeline

/// Writes the accepted parts of each record as a line of canonical v2 (data-model 11) to the unit's
/// `text`, in block order. Runs in the lanes, after the migration.
package struct CanonicalTextStage: Stage {
  static let name = "canonical"

  package init() {}

  /// Complexity: O(bytes written).
  mutating func process(_ unit: WorkUnit) {
    unit.text.removeAll()
    unit.textLines = 0
    for record in unit.batch.records.indices
    where CanonicalWriter.append(record: record, of: unit.batch, to: &unit.text) {
      unit.text.append(UInt8(ascii: "\n"))
      unit.textLines += 1
    }
  }
}
