package import Pipeline
import Stages

extension JobControl {
  /// Checks logs and writes nothing (`eventmill validate`): reads all inputs. Those that are
  /// damaged or cannot be read are ``ReadSummary/lost``. Duplicates are not searched for.
  ///
  /// - Throws: `usage`, `io`, when no inputs can be found; the failure that the job was cancelled
  ///   with.
  package func validate(_ options: ReadOptions) throws(Failure) -> ReadSummary {
    let clock = StopWatch()
    var options = options
    // A damaged input must not hide the faults of the others.
    options.keepGoing = true
    let survey = try InputDiscovery.survey(options, keepsGoing: true, self)
    let rules = options.rules
    return try ReadSummary(reading: survey, options, clock, self) {
      Chains.canonical(rules, writesAttributes: false)
    }
  }
}
