package import Pipeline
package import Stages

/// Answers questions about published profiles from the state of an output, and from logs.
package struct PersonQuestions {
  let output: String
  let logs: [String]
  let mappings: Mappings
  let jobs: Int
  let control: JobControl

  /// Questions about the output in the directory `output`, for which `logs` are read, with the
  /// mappings of the run that made it, on `jobs` lanes.
  package init(
    _ output: String, logs: [String], mappings: Mappings = Mappings(), jobs: Int,
    control: JobControl
  ) {
    (self.output, self.logs, self.mappings) = (output, logs, mappings)
    (self.jobs, self.control) = (jobs, control)
  }

  /// Why `profile`, found by `lookup`, has its values; `installation` is the requested one.
  ///
  /// - Throws: `corrupt`, `io`, `usage`; `limit`, when logs have too many parts about the person.
  package func why(
    _ profile: JSONValue, installation: String?, in lookup: inout ProfileLookup
  ) throws(Failure) -> WhyAnswer {
    let texts = TextStore()
    let person = try lookup.person(profile, texts)
    let found = logs.isEmpty ? PersonFindings() : try read(person, lookup, texts)
    let elsewhere = try found.elsewhere.keys.sorted().map { key throws(Failure) in
      (key: key, state: try lookup.state(of: key, texts))
    }
    return Why(person, elsewhere, found, lookup.names.lists, texts)
      .answer(profile, installation: installation)
  }

  /// The parts of the logs about `profile`, or about `id` if nothing is published of it, in order
  /// of time; the logs that could not be read to their end; and those that the output does not
  /// have.
  ///
  /// - Throws: as ``why(_:installation:in:)``.
  package func history(
    of profile: JSONValue?, _ id: String, in lookup: inout ProfileLookup
  ) throws(Failure) -> (parts: [LoggedPart], lost: [Failure], unread: [UnreadLog]) {
    let texts = TextStore()
    let person = try profile.map { profile throws(Failure) in try lookup.person(profile, texts) }
    let found = try read(person ?? lookup.stranger(id, texts), lookup, texts)
    return (found.parts, found.lost, found.unreadLogs)
  }
}
