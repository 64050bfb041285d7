import Pipeline

/// An estimate of the temporary disk space of a run, made before its inputs are read.
///
/// A rough upper bound from measured ratios; the content of logs differs. It stops a run that
/// cannot succeed before it begins.
struct SpillForecast: Equatable {
  /// Bytes of text per byte of a compressed input; five or six are usual.
  private static let expansion = 6
  /// Bytes of logs of keys per hundred bytes of text, at most.
  private static let logShare = 85
  /// Bytes of temporary files per hundred bytes of text: logs, the installations of people, and
  /// what is merged of installations until its place in the output is known. Logs whose people
  /// appear in the order of their keys need twice as much, as their ranges are divided.
  private static let fileShare = 110

  /// Bytes of temporary files; 0 when everything is expected to fit into memory. Nil when the
  /// length of an input is unknown.
  let bytes: Int?

  /// The estimate for `inputs` when all logs together may take `memory` bytes. A share of the
  /// `previous` bytes of an earlier output waits in files for its partition.
  init(_ inputs: [InputFile], memory: Int, previous: Int = 0) {
    var text = 0
    // Above any disk's size the exact number does not matter.
    let most = Int.max / 1000
    for input in inputs {
      guard let size = input.size else {
        bytes = nil
        return
      }
      let factor = Compression.promised(by: input.path) != nil ? Self.expansion : 1
      text = min(most, text + min(size, most) * factor)
    }
    let needed = text / 100 * Self.logShare
    bytes = previous + (needed <= memory ? 0 : text / 100 * Self.fileShare)
  }

  /// Checks that the file system of `path` has enough space, and notes the need if it exceeds half
  /// of the free space.
  ///
  /// - Throws: `io`, when it has not.
  func check(at path: String, control: JobControl) throws(Failure) {
    guard let bytes, bytes > 0 else { return }
    let free = try control.system.freeSpace(at: path)
    try check(free: free, at: path) { control.note($0) }
  }

  /// The same, with `free` bytes of free space.
  func check(free: Int, at path: String, note: (String) -> Void) throws(Failure) {
    guard let bytes, bytes > 0 else { return }
    let words = "\(NumberFormat.bytes(bytes)) of temporary disk beside the output"
    guard bytes <= free else {
      throw Failure(
        .io, doing: "preparing", path: path,
        why: "the run may need \(words), and \(NumberFormat.bytes(free)) are free",
        advice: ["free some space", "choose another --out", "allow more --memory"], mayPass: true)
    }
    if bytes > free / 2 {
      note("the run may need up to \(words); \(NumberFormat.bytes(free)) are free")
    }
  }
}
