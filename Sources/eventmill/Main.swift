import Glibc
import Pipeline
import Stages

@main
struct Main {
  static func main() {
    var rules = Rules()
    var args = CommandLine.arguments.dropFirst()
    while let a = args.popFirst() {
      switch a {
      case "--v1": rules.v1 = V1Policy(rawValue: args.popFirst()!)!
      case "--max-line": rules.maxLine = Int(args.popFirst()!)!
      case "--default-time": rules.defaultTime = time(args.popFirst()!)
      case "--not-before": rules.notBefore = time(args.popFirst()!)
      case "--not-after": rules.notAfter = time(args.popFirst()!)
      default: fatalError(a)
      }
    }
    let unit = WorkUnit(blockSize: 1 << 20, shards: 1)
    var buf = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let n = unsafe read(0, &buf, buf.count)
      if n <= 0 { break }
      for b in buf[0..<n] { unit.block.content.append(b) }
    }
    if unit.block.content.count > 0, unit.block.content[unit.block.content.count - 1] != 10 { unit.block.content.append(10) }
    let c = unit.block.content.count
    for _ in 0..<64 { unit.block.content.append(0) }
    unit.block.content.truncate(to: c)
    if c >= 3, unit.block.bytes[0] == 0xEF {  // stand-in for the block reader's BOM
      var copy = ByteBuffer()
      copy.append(unit.block.bytes.dropFirst(3))
      unit.block.content.removeAll()
      unit.block.content.append(copy.view)
    }
    let chain = StageChain<WorkUnit>([ReaderStage(rules: rules), ValidatorStage(rules: rules), MigrationStage(), ExplainStage()])
    chain.process(unit)
    unsafe unit.text.view.withUnsafeBytes { p in _ = unsafe write(1, p.baseAddress!, p.count) }
  }
  static func time(_ s: String) -> Int? {
    var b = ByteBuffer(); b.append(text: s); return Timestamp.parse(b.view)
  }
}
