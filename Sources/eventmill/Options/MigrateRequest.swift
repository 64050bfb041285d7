import Jobs
import Pipeline

/// What `migrate` is asked to do.
struct MigrateRequest {
  let options: RunOptions
  /// Whether nothing is written.
  let isDryRun: Bool
  /// Whether what is written is proven before it is published.
  let verifies: Bool

  /// - Throws: `usage`, for a value that is not allowed, or when nobody says where to write.
  init(_ values: OptionValues, operands: [String]) throws(Failure) {
    options = try RunOptions(values, operands: operands, limit: .usual)
    isDryRun = try values.isOn(.dryRun)
    verifies = try values.isOn(.verify)
    if isDryRun, verifies {
      throw RawArguments.usage(
        "--verify checks what a migration has written", "leave it out with --dry-run")
    }
    if options.publish.output.isEmpty, !isDryRun {
      throw RawArguments.usage(
        "migrate needs --out DIR", "or --dry-run, to see what would happen")
    }
  }
}
