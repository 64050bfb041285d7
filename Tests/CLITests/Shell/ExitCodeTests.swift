import Pipeline
import Testing

@testable import eventmill

@Suite struct ExitCodeTests {
  @Test func everyKindHasItsCode() {
    let codes: [(Failure.Kind, Int32)] = [
      (.usage, 2), (.io, 1), (.limit, 1), (.defect, 1), (.corrupt, 4), (.locked, 5), (.rejects, 3),
    ]
    for (kind, code) in codes {
      #expect(ExitCode(kind, signal: nil).rawValue == code)
      #expect(ExitCode(kind, signal: .interrupt).rawValue == code)
    }
  }

  @Test func anInterruptionEndsWithItsSignal() {
    #expect(ExitCode(.interrupted, signal: .interrupt).rawValue == 130)
    #expect(ExitCode(.interrupted, signal: .terminate).rawValue == 143)
  }
}
