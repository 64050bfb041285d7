import Jobs
import Pipeline

/// What `verify` is asked to do.
struct VerifyRequest {
  /// The output to check.
  let output: String
  /// The file of those who should not be in it.
  let absent: String?
  /// How many frames are checked at a time.
  let jobs: Int

  /// - Throws: `usage`, for a value that is not allowed.
  init(_ values: OptionValues, operands: [String]) throws(Failure) {
    output = operands[0]
    absent = try values.text(.absent)
    jobs = try values.jobs()
  }
}
