import Pipeline
import Stages

/// The people and installations that should be absent from an output (`verify --absent`).
struct AbsentIDs: Sendable {
  /// Their marks and ids, as an erasure has them: what it removes and what should be absent are one
  /// decision (``PersonSearch``).
  let erasures: Erasures
  private let folded: Set<String>

  /// The ids in `requests`.
  init(_ requests: ErasureRequests) {
    erasures = requests.erasures
    folded = Set(
      requests.requests.compactMap { request in
        var id = ByteBuffer(capacity: request.id.count)
        id.append(contentsOf: request.id)
        return request.mark.leavesTexts ? nil : Self.folded(id.view)
      })
  }

  /// Whether an id differs from one of them only in case, in its Unicode form, or in blanks at its
  /// ends. It may be of the same person, but is another id.
  func areSimilar(to id: ByteView) -> Bool { folded.contains(Self.folded(id)) }

  /// Strings are equal if they are canonically equivalent.
  private static func folded(_ id: ByteView) -> String {
    Characters.trimmed(id).text.uppercased().lowercased()
  }
}

/// Ids that are similar to one that should be absent, and were not searched for.
struct SimilarIDs {
  /// Most ids that are named.
  private static let mostNamed = 5

  /// The first in byte order.
  private(set) var names: [String] = []
  /// Lines that have one.
  private(set) var lines = 0

  mutating func add(_ id: ByteView) { add(SimilarIDs(names: [id.text], lines: 1)) }

  mutating func add(_ other: SimilarIDs) {
    lines += other.lines
    names = Array(
      (names + other.names.filter { !names.contains($0) }).sortedByBytes.prefix(Self.mostNamed))
  }
}
