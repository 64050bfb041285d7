import Pipeline
import Stages

/// The people and installations that should be absent from an output (`verify --requests`).
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
  /// Most ids that are kept.
  static let most = 1000

  /// The first in byte order.
  private(set) var names: [String] = []
  /// Whether there are others.
  private(set) var hasMore = false
  /// Lines that have one.
  private(set) var lines = 0

  mutating func add(_ id: ByteView) {
    lines += 1
    insert(id.text)
  }

  mutating func add(_ other: SimilarIDs) {
    lines += other.lines
    hasMore = hasMore || other.hasMore
    for name in other.names { insert(name) }
  }

  private mutating func insert(_ name: String) {
    // Not by `==`: ids that differ in their Unicode form are equal as texts.
    let next = names.firstIndex { !$0.precedes(name) } ?? names.count
    if next < names.count, names[next].utf8.elementsEqual(name.utf8) { return }
    names.insert(name, at: next)
    if names.count > Self.most {
      names.removeLast()
      hasMore = true
    }
  }
}
