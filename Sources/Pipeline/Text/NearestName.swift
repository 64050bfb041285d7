/// Finds the word that a misspelt one was probably meant to be.
package enum NearestName {
  /// The first of the closest candidates, if it is close enough for a typing error.
  package static func of(_ word: String, among candidates: [String]) -> String? {
    let limit = max(1, word.count / 3)
    var nearest: (name: String, distance: Int)?
    for candidate in candidates {
      let distance =
        candidate.hasPrefix(word) && word.count >= 2 ? 1 : distance(word, candidate)
      if distance <= limit, distance < nearest?.distance ?? Int.max {
        nearest = (candidate, distance)
      }
    }
    return nearest?.name
  }

  /// Characters to insert, remove, replace or swap with a neighbour. O(`a.count` × `b.count`).
  package static func distance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var best = min(row[j] + 1, last[j + 1] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          best = min(best, beforeLast[j - 1] + 1)
        }
        row.append(best)
      }
      (beforeLast, last) = (last, row)
    }
    return last[b.count]
  }
}
