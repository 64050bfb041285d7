package import Pipeline

/// What a run knows of one of its inputs after reading it.
package struct InputOutcome: Sendable {
  package let file: InputFile
  /// Nil when the input could not even be opened.
  package var summary: InputSummary?
  /// Why it could not be read to its end (`--keep-going`), with the place from which on it is lost.
  package var lost: Failure?
}

/// Reads the inputs of a job one after the other into its units.
///
/// Used on the reader's queue only; the outcomes may be read when the flow has ended.
package final class InputSource: @unchecked Sendable {
  // @unchecked because only the reader's queue touches it while the flow runs.
  private let maxLine: Int
  private let keepsGoing: Bool
  private let position: ReadPosition
  private let cores: CoreBudget?
  private var reader: BlockReader?
  private var next = 0
  /// One outcome per input.
  package private(set) var outcomes: [InputOutcome]

  /// A source of `inputs`, in that order. With `keepsGoing` a damaged input costs only what cannot
  /// be read of it. With `cores`, ``fill(_:)`` is called from a piece of work of that budget.
  package init(
    _ inputs: [InputFile], maxLine: Int, keepsGoing: Bool, position: ReadPosition,
    cores: CoreBudget? = nil
  ) {
    outcomes = inputs.map { InputOutcome(file: $0, summary: nil, lost: nil) }
    self.maxLine = maxLine
    self.keepsGoing = keepsGoing
    self.position = position
    self.cores = cores
  }

  /// Fills the unit's block with the next lines; false when all inputs are read.
  ///
  /// - Throws: `corrupt` or `io` for an input that cannot be read, unless the source keeps going.
  package func fill(_ unit: WorkUnit) throws(Failure) -> Bool {
    while true {
      do throws(Failure) {
        if try fillFromCurrent(unit) { return true }
        guard next < outcomes.count else { return false }
        reader = try BlockReader(
          outcomes[next].file, index: next, maxLine: maxLine, position: position,
          cores: cores)
      } catch {
        guard keepsGoing, next < outcomes.count else { throw error }
        outcomes[next].lost = error
        end()
      }
    }
  }

  private func fillFromCurrent(_ unit: WorkUnit) throws(Failure) -> Bool {
    guard let reader else { return false }
    if try reader.fill(unit.block) { return true }
    end()
    return false
  }

  /// Notes what was read of the current input and goes on to the next one.
  private func end() {
    if let reader {
      if outcomes[next].lost != nil {
        do throws(Failure) { try reader.skipToEnd() } catch { reader.close() }
      }
      outcomes[next].summary = reader.summary
      reader.close()
    }
    reader = nil
    next += 1
  }
}
