import Pipeline

/// How much temporary disk a run will need, as far as that can be told before its inputs are read.
///
/// A rough upper figure from measured shares: what logs hold differs. It is there so that a run
/// that cannot end well does not begin.
struct SpillForecast: Equatable {
  /// Bytes of text per byte of a compressed input; five or six are usual.
  private static let expansion = 6
  /// Bytes of tables per hundred bytes of text, at most.
  private static let tableShare = 80
  /// Bytes of spills per hundred bytes of text: each key is written twice, and merged spills stand
  /// beside those they are made of for a while.
  private static let spillShare = 50

  /// Bytes that spills may take; 0 when everything is expected to fit into memory. Nil when the
  /// length of an input is not known.
  let bytes: Int?

  /// The forecast for `inputs` when all tables together may take `tables` bytes. With
  /// `keepsPartials` what is known of all of them is written out anyway. Of `previous` bytes of an
  /// earlier output a part waits in files until its partition is known.
  init(_ inputs: [InputFile], tables: Int, keepsPartials: Bool = false, previous: Int = 0) {
    var text = 0
    // More than a disk can hold is as good as any other such number.
    let most = Int.max / 1000
    for input in inputs {
      guard let size = input.size else {
        bytes = nil
        return
      }
      let factor = Compression.promised(by: input.path) != nil ? Self.expansion : 1
      text = min(most, text + min(size, most) * factor)
    }
    let needed = text / 100 * Self.tableShare
    let kept = keepsPartials ? text / 100 * Self.spillShare : 0
    bytes = kept + previous + (needed <= tables ? 0 : text / 100 * Self.spillShare)
  }

  /// Makes sure that there is as much in the file system of `path`, and says what is needed if that
  /// is more than half of what is free.
  ///
  /// - Throws: `io`, when there is not.
  func check(at path: String, control: JobControl) throws(Failure) {
    guard let bytes, bytes > 0 else { return }
    let free = try control.system.freeSpace(at: path)
    try check(free: free, at: path) { control.note($0) }
  }

  /// The same, with `free` bytes there.
  func check(free: Int, at path: String, note: (String) -> Void) throws(Failure) {
    guard let bytes, bytes > 0 else { return }
    let words = "\(NumberFormat.bytes(bytes)) of temporary disk beside the output"
    guard bytes <= free else {
      throw Failure(
        .io, doing: "preparing", path: path,
        why: "the run may need \(words), and \(NumberFormat.bytes(free)) are free",
        advice: "free some space, choose another --out, or allow more --memory")
    }
    if bytes > free / 2 {
      note("the run may need up to \(words); \(NumberFormat.bytes(free)) are free")
    }
  }
}
