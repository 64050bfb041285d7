/// What draws at random and repeatably, such as a generator of lines.
package protocol RandomChoices {
  var random: RepeatableRandom { get set }
}

/// What draws lines of a sort.
package protocol RandomLines: RandomChoices {
  mutating func line() -> String
}

extension RandomChoices {
  /// One of `choices`, each as likely as the others.
  package mutating func pick<Element>(_ choices: [Element]) -> Element {
    choices[Int.random(in: 0..<choices.count, using: &random)]
  }

  /// A number below `limit`.
  package mutating func any(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  /// True in `percent` of a hundred cases.
  package mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }
}
