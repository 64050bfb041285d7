import Pipeline

/// Makes the output of a job in a directory beside it, which replaces it when it is complete.
enum Publication {
  /// Calls `make` to write the output of `options`, and publishes the result. When the job fails,
  /// is cancelled or dies before that, nothing of the output remains; a failure is passed through
  /// `advising` once `make` has begun. If it `isDry` nothing is published.
  ///
  /// - Returns: the result of `make`, and a problem after the output was published.
  /// - Throws: `usage` and `io` if the output may not, or cannot, be written; what `make` throws;
  ///   the failure that the job was cancelled with.
  static func run<Made>(
    _ options: PublishOptions, as owner: Ownership, _ control: JobControl, isDry: Bool = false,
    advising: (Failure) -> Failure = { $0 },
    _ make: (StagedDirectory) throws(Failure) -> Made
  ) throws(Failure) -> (made: Made, warning: Failure?) {
    let staging = try StagedDirectory(
      options.output, replaces: options.replace, owner: owner, attempt: options.attempt,
      system: control.system)
    defer { staging.discard() }
    control.discardWhenAbandoned(staging)
    do throws(Failure) {
      let made = try make(staging)
      if isDry { return (made, nil) }
      try control.beginPublishing()
      guard options.acceptsSame else { return (made, try staging.publish()) }
      return (made, try publish(staging, unlessSameIsAt: options.output, control))
    } catch {
      throw advising(error)
    }
  }

  /// Publishes the directory, unless another attempt has published the same.
  private static func publish(
    _ staging: StagedDirectory, unlessSameIsAt path: String, _ control: JobControl
  ) throws(Failure) -> Failure? {
    let system = control.system
    guard let made = Manifest.identity(of: staging.folder.path, system) else {
      return try staging.publish()
    }
    do throws(Failure) {
      if Manifest.identity(of: path, system) != made { return try staging.publish() }
    } catch {
      // It may have been created in this moment.
      guard error.kind == .usage, Manifest.identity(of: path, system) == made else { throw error }
    }
    control.note("\(path) is left unchanged: another attempt has published the same")
    return nil
  }
}

extension StagedDirectory {
  /// The finished files that a manifest lists: all but temporary ones, and those that differ from
  /// run to run.
  var listed: [WrittenFile] {
    folder.written.filter {
      !$0.path.hasPrefix("\(RunFiles.work)/") && !RunFiles.unlisted.contains($0.path)
    }
  }
}
