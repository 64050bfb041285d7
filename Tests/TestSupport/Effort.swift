import Foundation

/// How many cases a repeatable test tries: seeds, rounds of random input, failing system calls.
///
/// An ordinary run tries a part; with `EVENTMILL_TESTS=all` in the environment everything is tried,
/// as should be before a release.
package enum Effort {
  package static let isFull = ProcessInfo.processInfo.environment["EVENTMILL_TESTS"] == "all"

  /// Number of random lines for a comparison of two ways to read, if set in `EVENTMILL_TEST_LINES`
  /// (see `scripts/compare-readings.sh`).
  package static let lines = number("EVENTMILL_TEST_LINES")
  /// The first seed of those lines: `EVENTMILL_TEST_SEED`.
  package static let seed = number("EVENTMILL_TEST_SEED")

  /// Logs to read both ways in addition to random lines: `EVENTMILL_TEST_LOGS`, one per line.
  package static let logs = ProcessInfo.processInfo.environment["EVENTMILL_TEST_LOGS"]
    .map { $0.split(separator: "\n").map(String.init) }

  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  /// How many rounds there are: `some` in an ordinary run.
  package static func rounds(_ some: Int, of all: Int) -> Int { isFull ? all : some }

  /// What is tried of `all`: `some` in an ordinary run.
  package static func first<Value>(_ some: Int, of all: [Value]) -> [Value] {
    isFull ? all : Array(all.prefix(some))
  }

  /// Numbers below `count`: in an ordinary run every `step`-th, from a random one on.
  package static func numbers(below count: Int, every step: Int) -> StrideTo<Int> {
    let step = isFull ? 1 : step
    return stride(from: Int.random(in: 0..<step), to: count, by: step)
  }
}
