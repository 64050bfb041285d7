package import Pipeline
import Stages

extension JobControl {
  /// Checks logs and writes nothing (`eventmill validate`). Inputs that are damaged or cannot be
  /// read are ``ReadSummary/lost``. Duplicates are not searched for.
  package func validate(_ options: ReadOptions) throws(Failure) -> ReadSummary {
    let clock = StopWatch()
    var options = options
    // A damaged input must not hide the faults of the others.
    options.keepGoing = true
    let survey = try InputDiscovery.survey(options, keepsGoing: true, self)
    let rules = options.rules
    return try ReadSummary(
      reading: survey, options, hashes: survey.mayHaveCopies, clock, self
    ) { Chains.canonical(rules, writesAttributes: false) }
  }
}

/// What `validate` lists.
package enum ValidateGrouping: String, CaseIterable, Sendable { case reason, file }
