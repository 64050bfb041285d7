/// Numbers as a line of blocks, each as high as its number.
enum Sparkline {
  private static let blocks = Array("▁▂▃▄▅▆▇█")

  /// A character for each of `counts`; the greatest one fills it, and 0 is a blank.
  static func text(_ counts: [Int]) -> String {
    let most = counts.max() ?? 0
    return String(
      counts.map { count in
        guard count > 0 else { return " " }
        let level = Int((Double(count) / Double(most) * Double(blocks.count)).rounded(.up))
        return blocks[min(max(level, 1), blocks.count) - 1]
      })
  }
}
