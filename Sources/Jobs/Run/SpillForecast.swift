import Pipeline

/// An upper bound of the temporary disk space of a run, from measured ratios.
struct SpillForecast: Equatable {
  /// Bytes of text per byte of a compressed input; five or six are usual.
  private static let expansion = 6
  /// Bytes of logs of keys per hundred bytes of text, at most.
  private static let logShare = 85
  /// Bytes of temporary files per hundred bytes of text: logs, the installations of people, and
  /// what waits for its place in the output. Logs whose people appear in the order of their keys
  /// need twice as much, as their ranges are divided.
  private static let fileShare = 110

  /// Bytes of temporary files; 0 if everything should fit into memory; nil if unknown.
  let bytes: Int?

  /// The estimate when all logs together may take `memory` bytes. A share of the `previous` bytes
  /// of an earlier output waits in files for its partition.
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

  /// Checks that there is enough space, and notes the need if it exceeds half of it.
  func check(at path: String, control: JobControl, free: Int? = nil) throws(Failure) {
    guard let bytes, bytes > 0 else { return }
    let free = if let free { free } else { try control.system.freeSpace(at: path) }
    let words = "\(NumberFormat.bytes(bytes)) of temporary disk beside the output"
    guard bytes <= free else {
      throw Failure(
        .io, doing: "preparing", path: path,
        why: "the run may need \(words), and \(NumberFormat.bytes(free)) are free",
        advice: ["free some space", "choose another --out", "allow more --memory"], mayPass: true)
    }
    if bytes > free / 2 {
      control.note("the run may need up to \(words); \(NumberFormat.bytes(free)) are free")
    }
  }
}
