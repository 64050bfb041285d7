import Pipeline
import TestSupport
import Testing

@testable import Stages

@Suite struct SourceNameFilterTests {
  /// A filter as a lane has one.
  private final class Lane {
    private var filter = SourceNameFilter()

    func isNews(_ text: String, of name: UInt32) -> Bool {
      withByteView(of: text) { filter.isNews($0, of: name) }
    }
  }

  @Test func whatWasHandedOnIsNoNews() {
    let lane = Lane()
    for name in [3, 0, 7] as [UInt32] {
      for text in ["b", "a"] {
        #expect(lane.isNews(text, of: name))
        #expect(!lane.isNews(text, of: name))
      }
    }
    #expect(!lane.isNews("b", of: 3), "also when others were met meanwhile")
  }

  @Test func whatIsGreaterThanAllThatAreToldIsNoNews() {
    let lane = Lane()
    for text in ["m", "n", "o", "p", "q"] { #expect(lane.isNews(text, of: 1)) }
    #expect(!lane.isNews("r", of: 1))
    #expect(lane.isNews("r", of: 2))
    // The greatest gives way, and comes again in vain.
    #expect(lane.isNews("a longer one", of: 1))
    #expect(!lane.isNews("q", of: 1))
    #expect(lane.isNews("b", of: 1))
    #expect(!lane.isNews("p", of: 1))
    #expect(!lane.isNews("o", of: 1))
  }

  /// Whatever lanes hand on is enough for the names of all.
  @Test(arguments: Array(1...10) as [UInt64])
  func whatIsHandedOnIsAllThatIsTold(seed: UInt64) {
    var random = RepeatableRandom(seed: seed)
    let lanes = [Lane(), Lane()]
    var (all, told) = (SourceNames(), SourceNames())
    var handedOn = 0
    for _ in 0..<300 {
      let text = "\(Int.random(in: 0..<90, using: &random))"
      let isNews = lanes[Int(random.next() % 2)].isNews(text, of: 4)
      withByteView(of: text) { bytes in
        all.add(bytes)
        if isNews { told.add(bytes) }
      }
      if isNews { handedOn += 1 }
    }
    #expect(told == all && handedOn < 100, "seed \(seed)")
  }
}
