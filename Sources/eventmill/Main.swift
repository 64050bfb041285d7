import Glibc
import Dispatch
import Pipeline
import Stages

@main
struct Main {
  static func main() {
    let rules = Rules()
    let unit = WorkUnit(blockSize: 1 << 18, shards: 4)
    let names = RunNames()
    let chain = StageChain<WorkUnit>([ReaderStage(rules: rules), ValidatorStage(rules: rules), MigrationStage(), RouterStage(names: names, withProfiles: true), QuarantineStage(sources: ["x"])])
    let fd = unsafe open( CommandLine.arguments[1], O_RDONLY)
    var carry: [UInt8] = []
    while true {
      unit.block.content.removeAll()
      unit.block.content.append(contentsOf: carry)
      var n = 0
      unsafe unit.block.content.append(room: 1 << 18) { (p: UnsafeMutableRawBufferPointer) -> Int in n = unsafe read(fd, p.baseAddress!, p.count); return n }
      if n <= 0 { break }
      var e = unit.block.content.count
      while unit.block.content[e - 1] != 10 { e -= 1 }
      carry = unit.block.bytes.dropFirst(e).array
      unit.block.content.truncate(to: e)
      unit.block.content.reserve(64)
      chain.process(unit)
    }
    for t in chain.times { print(t.name, t.nanoseconds / 1_000_000, "ms") }
  }
}
