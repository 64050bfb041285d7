/// Repeated measurements of one thing, such as the seconds of a run; at least one.
package struct Measurements: Equatable, Sendable {
  package let sorted: [Double]

  package init(_ values: [Double]) {
    precondition(!values.isEmpty, "nothing was measured")
    sorted = values.sorted()
  }

  /// The middle one, or the mean of the two in the middle.
  package var median: Double {
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2)
      ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }

  package var least: Double { sorted[0] }
  package var most: Double { sorted[sorted.count - 1] }

  /// The width of the range.
  package var spread: Double { most - least }

  /// Whether the measurements differ from `others` by more than noise: the ranges do not overlap,
  /// and the distance of the medians exceeds the spread of either.
  package func differs(from others: Measurements) -> Bool {
    let overlap = least <= others.most && others.least <= most
    return !overlap && abs(median - others.median) > max(spread, others.spread)
  }

  /// Every measurement multiplied by `factor`, which is positive.
  package func scaled(by factor: Double) -> Measurements {
    Measurements(sorted.map { $0 * factor })
  }
}
