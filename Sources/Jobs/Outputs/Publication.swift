import Pipeline

/// How a job makes an output: in a directory beside it, which takes its place when all is there.
enum Publication {
  /// Lets `make` write the output `path`, and publishes what it wrote. When the job fails, is
  /// stopped or dies before that, there is nothing of the output; a failure goes through `advising`
  /// once `make` has begun.
  ///
  /// - Parameter options: whether this is an attempt among others, and whether it is fine that the
  ///   same has been published meanwhile.
  /// - Returns: what `make` returned, and what went wrong after the output had appeared.
  /// - Throws: `usage` and `io` where the output may not, or cannot, be written; what `make`
  ///   throws; what the job was cancelled with.
  static func run<Made>(
    _ path: String, existing: StagedDirectory.Existing, owner: Ownership, _ control: JobControl,
    _ options: PublishOptions = PublishOptions(), advising: (Failure) -> Failure = { $0 },
    _ make: (StagedDirectory) throws(Failure) -> Made
  ) throws(Failure) -> (made: Made, warning: Failure?) {
    let staging = try StagedDirectory(
      path, existing: existing, owner: owner, attempt: options.attempt, system: control.system)
    defer { staging.discard() }
    control.discardWhenAbandoned(staging)
    do throws(Failure) {
      let made = try make(staging)
      try control.beginPublishing()
      guard options.acceptsSame else { return (made, try staging.publish()) }
      return (made, try publish(staging, unlessSameIsAt: path, control))
    } catch {
      throw advising(error)
    }
  }

  /// Publishes what was made, unless another attempt has published the same.
  private static func publish(
    _ staging: StagedDirectory, unlessSameIsAt path: String, _ control: JobControl
  ) throws(Failure) -> Failure? {
    let system = control.system
    guard let made = ManifestIdentity(staging.folder.path, system) else {
      return try staging.publish()
    }
    do throws(Failure) {
      if ManifestIdentity(path, system) != made { return try staging.publish() }
    } catch {
      // It may have come into being in this moment.
      guard error.kind == .usage, ManifestIdentity(path, system) == made else { throw error }
    }
    control.note("\(path) is left unchanged: another attempt has published the same")
    return nil
  }
}

extension StagedDirectory {
  /// The finished files that a manifest lists: all but those that are of use during the job only,
  /// and those that are not the same every time.
  var listed: [WrittenFile] {
    folder.written.filter {
      !$0.path.hasPrefix("\(RunFiles.work)/") && !RunFiles.unlisted.contains($0.path)
    }
  }
}
