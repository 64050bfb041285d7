import Pipeline
import Stages

/// The first of the two readings of `--honor-opt-out`: what installations say of their consent, in
/// the inputs and in the state of the earlier run.
struct ConsentPhase {
  let options: ReadOptions
  let inputs: [InputFile]
  let control: JobControl

  /// Reads everything.
  ///
  /// - Throws: `usage`, for an input that cannot be read twice; else as a run does.
  func run(_ previous: PreviousRun?) throws(Failure) -> ConsentHistory {
    if let input = inputs.first(where: { !$0.isReopenable }) {
      throw Failure(
        .usage, doing: "looking for opt-outs", path: input.path,
        why: "--honor-opt-out reads inputs twice, and this one can be read once",
        advice: "write it to a file first")
    }
    var history = try readInputs()
    if let previous {
      try previous.forEachConsent { word, key in
        // Who never opts out needs no place.
        if word.isOptedOut || history.knows(key) { history.add(word, of: key) }
      }
    }
    history.settle()
    try history.checkCount()
    return history
  }

  private func readInputs() throws(Failure) -> ConsentHistory {
    let cores = try CoreBudget(cores: options.jobs)
    let source = Exclusive(
      InputSource(inputs, options, nonLogs: nil, hashes: false, cores, control))
    let rules = options.rules
    let history = Locked(ConsentHistory())
    let flow = RecordFlow(
      stages: { Chains.consents(rules, ConsentCollector(history)) }, cores: cores)
    _ = try flow.run(source, control: control, finish: { _ in })
    return history.withLock { $0 }
  }
}

extension PreviousRun {
  /// Calls `body` with the latest word about consent of every installation of the state.
  ///
  /// - Throws: `corrupt`, `io`.
  func forEachConsent(
    _ body: (ConsentRegister, Fingerprint) -> Void
  ) throws(Failure) {
    let mark: ByteView = "\"consent\":{"
    let beginning: ByteView = "{\"key\":\"install:"
    let tape = Tape(numbersNames: false)
    let reader = try FrameFileReader()
    var text = ByteBuffer()
    for part in parts {
      let file = try FrameFile(part.path, doing: Self.doing, system: system)
      for frame in file.frames.indices {
        text.removeAll()
        try reader.decode(frame: frame, of: file, into: &text)
        tape.bind(to: text.view)
        var lines = LineCursor(bytes: text.view)
        while let line = lines.next() {
          guard text[line].starts(with: beginning), text[line].contains(mark) else { continue }
          guard case .value(let root) = Scanner.scan(line: line, into: tape),
            let key = tape.string(at: tape.member("key", of: root)),
            let consent = tape.member("consent", of: root),
            let isOptedOut = tape.member("opted_out", of: consent),
            let time = tape.member("time", of: consent).flatMap({
              StateNumber.integer(at: $0, of: tape)
            })
          else { throw file.file.damaged("a line is no state of a key", frame: frame) }
          body(
            ConsentRegister(time: time, isOptedOut: tape[isOptedOut].kind == .true),
            Erasures.digest(of: key))
        }
      }
    }
  }
}
