import TestSupport
import Testing

@testable import Pipeline

@Suite struct PrometheusTextTests {
  @Test func aMetricHasItsHelpItsTypeAndItsSamples() {
    var text = PrometheusText()
    text.gauge("a_total", "How many\nof \\them \"there\" are.")
    text.sample(.integer(3), ("kind", "x"))
    text.sample(.integer(-1), ("kind", #"q"\z"# + "\n"))
    text.gauge("b_seconds", "How long.")
    for value in [0.25, .nan, .infinity, -.infinity] { text.sample(.real(value)) }
    #expect(text.lines == 10)
    let written = text.finish()
    #expect(
      written.view.text == #"""
        # HELP a_total How many\nof \\them "there" are.
        # TYPE a_total gauge
        a_total{kind="x"} 3
        a_total{kind="q\"\\z\n"} -1
        # HELP b_seconds How long.
        # TYPE b_seconds gauge
        b_seconds 0.25
        b_seconds NaN
        b_seconds +Inf
        b_seconds -Inf

        """#)
  }

  @Test(
    arguments: [
      ("a 3\n", 3), ("# HELP a 4\n# TYPE a gauge\na 1.5e3\n", 1500), ("a 1\nb 2\na 3", 3),
      ("a\t 7 1717200000000\r\n", 7), ("a 1\na x\n", 1), ("", nil), ("ab 3\n", nil),
      ("a{b=\"c\"} 3\n", nil), ("a\n", nil), ("a 1 2 3\n", nil), ("\u{0}\n\na nope", nil),
    ] as [(String, Double?)])
  func aSampleIsFoundInAnyText(_ text: String, _ value: Double?) {
    let found = withByteView(of: Array(text.utf8)) { PrometheusText.value(of: "a", in: $0) }
    #expect(found == value)
  }
}
