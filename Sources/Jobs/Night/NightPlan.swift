package import Pipeline

/// The nights to make, and the one that the first of them continues from.
package struct NightPlan: Equatable, Sendable {
  /// The newest published night that is not after the requested one; nil before the first.
  package let previous: Day?
  /// The missing nights, the oldest first.
  package let missing: [Day]

  /// Most nights made at a time: ten years.
  static let most = 3660
  private static let doing = "finding the nights to make"

  /// Plans to make all nights up to `last`, given the `published` ones: those after the newest of
  /// them, or from `first` on, when there are none; with nights, `first` must not be later. With
  /// `again`, that one and all later ones are made again.
  ///
  /// - Throws: `usage`, when there is nothing to continue from, or too much to make.
  package init(published: [Day], first: Day?, last: Day, again: Day? = nil) throws(Failure) {
    if let first {
      // Again and again, as in a file of settings, it does no harm.
      if let oldest = published.min(), oldest < first {
        throw Self.usage(
          "--from-night is for the first night of all, and \(oldest.text) is published",
          "leave --from-night out")
      }
      guard first <= last else {
        throw Self.usage("--from-night \(first.text) is after \(last.text)", "name an earlier day")
      }
    }
    previous = published.filter { day in day <= last && again.map { day < $0 } ?? true }.max()
    guard let start = again ?? previous?.advanced(by: 1) ?? first else {
      throw Self.usage(
        published.min().map {
          "the first night that is published is \($0.text), after \(last.text)"
        } ?? "no night is published yet",
        published.isEmpty
          ? "is its disk mounted? If there never was one, name the first day with --from-night"
          : "name a later day with --to-night")
    }
    let later = published.filter { $0 > last }.sorted()
    if let oldest = later.first {
      // Most likely a clock was wrong once, and these nights hold nothing.
      let others = later.count == 1 ? " is" : " and \(later.count - 1) later are"
      throw Self.usage(
        "\(oldest.text)\(others) published, but the newest night to make is \(last.text)",
        "check the clock, or --to-night; if it is right, move the later nights away: they are made "
          + "again when they are over")
    }
    let count = last.number - start.number + 1
    guard count <= Self.most else {
      throw Self.usage(
        "\(NumberFormat.count(count, "night is", "nights are")) missing; at most "
          + "\(NumberFormat.grouped(Self.most)) are made at a time",
        "name an earlier day with --to-night")
    }
    missing = (0..<max(0, count)).map { start.advanced(by: $0) }
  }

  private static func usage(_ why: String, _ advice: String) -> Failure {
    Failure(.usage, doing: doing, why: why, advice: advice)
  }
}
