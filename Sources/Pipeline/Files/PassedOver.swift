/// What lies in directories that were looked through and is no input, because it is not named like a
/// log: whoever has to know that nothing was forgotten looks through these.
package struct PassedOver: Equatable, Sendable {
  /// How many are named.
  package static let mostNamed = 20

  /// Files, hidden files and directories, and links that lead nowhere.
  package private(set) var count = 0
  /// The first of them.
  package private(set) var paths: [String] = []

  package init() {}

  package mutating func note(_ path: String) {
    count += 1
    if paths.count < PassedOver.mostNamed { paths.append(path) }
  }
}
