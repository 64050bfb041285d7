import Foundation

/// Texts that were reviewed once and must not change.
///
/// With `EVENTMILL_RECORD_GOLDEN=1` in the environment the texts are written instead of compared,
/// and every comparison fails, so that a run that records cannot pass for a test.
package enum Golden {
  private static let isRecording =
    ProcessInfo.processInfo.environment["EVENTMILL_RECORD_GOLDEN"] == "1"

  /// How `text` differs from `name` in the next folder `Golden` above the test file; nil if it does
  /// not.
  package static func difference(
    _ text: String, from name: String, testFile: String = #filePath
  ) throws -> String? {
    let file = folder(of: testFile).appending(path: name)
    if isRecording {
      try Data(text.utf8).write(to: file)
      return "recorded \(name)"
    }
    guard let golden = try? String(contentsOf: file, encoding: .utf8) else {
      return "\(name) is missing; record it with EVENTMILL_RECORD_GOLDEN=1"
    }
    if golden == text { return nil }
    let (new, old) = (lines(text), lines(golden))
    let first =
      zip(new, old).enumerated().first { $1.0 != $1.1 }?.offset ?? min(new.count, old.count)
    let difference = """
      \(name), line \(first + 1): \
      expected "\(first < old.count ? old[first] : "nothing more")", \
      found "\(first < new.count ? new[first] : "nothing more")"
      """
    // A failed expectation does not show the values of a call that can throw.
    print(difference)
    return difference
  }

  private static func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  private static func folder(of testFile: String) -> URL {
    var folder = URL(filePath: testFile).deletingLastPathComponent()
    while folder.path != "/" {
      let golden = folder.appending(path: "Golden")
      if FileManager.default.fileExists(atPath: golden.path) { return golden }
      folder.deleteLastPathComponent()
    }
    return URL(filePath: testFile).deletingLastPathComponent().appending(path: "Golden")
  }
}
