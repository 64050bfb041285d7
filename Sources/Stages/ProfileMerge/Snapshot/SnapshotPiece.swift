/// A stretch of one part of a snapshot: which keys of each kind are rendered together. State lines
/// stand in the order of the members; a profile stands beside the state of its person.
package struct SnapshotPiece: Equatable, Sendable {
  let partition: Int
  /// Whether the header of the state comes first.
  var hasHeader = false
  /// Ids of anonymous events, in the state.
  var anonymous = 0..<0
  /// People, in both.
  var persons = 0..<0
  /// Totals per event name, in the state.
  var totals = 0..<0
  /// Installations, in the state.
  var installations = 0..<0
  /// Installations that are published under their own id, in the profiles.
  var singles = 0..<0

  init(partition: Int) { self.partition = partition }

  /// Lines it has in the profiles.
  package var profileLines: Int { persons.count + singles.count }

  /// Lines it has in the state.
  package var stateLines: Int {
    (hasHeader ? 1 : 0) + anonymous.count + persons.count + totals.count + installations.count
  }
}

extension SnapshotPlan {
  /// Cuts a part into pieces of up to `size` profiles and `size` keys of state, in order. There is
  /// at least one.
  package func pieces(partition: Int, of size: Int) -> [SnapshotPiece] {
    precondition(size > 0, "a piece holds something")
    let part = parts[partition]
    var pieces: [SnapshotPiece] = []
    func addPieces(
      _ ranges: [Range<Int>], _ member: WritableKeyPath<SnapshotPiece, Range<Int>>
    ) {
      for range in ranges {
        var piece = SnapshotPiece(partition: partition)
        piece[keyPath: member] = range
        pieces.append(piece)
      }
    }
    addPieces(part.anonymous.indices.cut(into: size), \.anonymous)
    addPieces(part.persons.indices.cut(into: size), \.persons)
    // Profiles do not show where people end.
    var singles = part.singles.indices
    if let last = pieces.indices.last, !pieces[last].persons.isEmpty {
      pieces[last].singles = singles.prefix(size - pieces[last].persons.count)
      singles = pieces[last].singles.upperBound..<singles.upperBound
    }
    addPieces(part.totals.indices.cut(into: size), \.totals)
    let first = pieces.count
    addPieces(part.installations.indices.cut(into: size), \.installations)
    for (index, range) in singles.cut(into: size).enumerated() {
      // There are at least as many installations as singles.
      pieces[first + index].singles = range
    }
    if pieces.isEmpty { pieces = [SnapshotPiece(partition: partition)] }
    pieces[0].hasHeader = true
    return pieces
  }
}

extension Range<Int> {
  /// The range in stretches of `size`, the last one shorter.
  fileprivate func cut(into size: Int) -> [Range<Int>] {
    guard size < count else { return isEmpty ? [] : [self] }
    return stride(from: lowerBound, to: upperBound, by: size).map {
      $0..<Swift.min($0 + size, upperBound)
    }
  }
}
