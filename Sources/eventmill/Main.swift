import Glibc
import Pipeline
import Stages

@main
struct Main {
  static func main() {
    var options = RunOptions()
    options.jobs = 2
    var args = CommandLine.arguments.dropFirst()
    let command = args.popFirst()!
    while let a = args.popFirst() {
      switch a {
      case "--v1": options.rules.v1 = V1Policy(rawValue: args.popFirst()!)!
      case "--max-line": options.rules.maxLine = Int(args.popFirst()!)!
      case "--default-time": options.rules.defaultTime = time(args.popFirst()!)
      case "--not-before": options.rules.notBefore = time(args.popFirst()!)
      case "--not-after": options.rules.notAfter = time(args.popFirst()!)
      case "--out": options.output = args.popFirst()!
      case "--previous": options.previous = args.popFirst()!
      case "--jobs": options.jobs = Int(args.popFirst()!)!
      case "--partitions": options.partitions = Int(args.popFirst()!)!
      case "--level": options.level = Int(args.popFirst()!)!
      case "--dedupe-days": options.dedupeDays = Int(args.popFirst()!)!
      case "--stitch": options.stitch = Stitch(rawValue: args.popFirst()!)!
      case "--no-values": options.withValues = false
      case "--keep-going": options.keepGoing = true
      case "--replace": options.replace = true
      default: options.inputs.append(a)
      }
    }
    if options.inputs.isEmpty { options.inputs = ["-"] }
    let control = JobControl()
    do throws(Failure) {
      switch command {
      case "run":
        let s = try NightlyRun(options, tool: ToolVersion(version: "0.1.0", commit: "unknown", zstd: "1"), control: control).run()
        print(s)
      case "count":
        let c = try CountJob(options, control: control).run()
        var b = ByteBuffer()
        c.lines.appendJSON(to: &b)
        unsafe b.view.withUnsafeBytes { p in _ = unsafe write(1, p.baseAddress!, p.count) }
      default:
        try ExplainJob(options, control: control).run { (v) throws(Failure) in
          unsafe v.withUnsafeBytes { p in _ = unsafe write(1, p.baseAddress!, p.count) }
        }
      }
    } catch {
      print(error.kind, error.message)
      exit(1)
    }
  }
  static func time(_ s: String) -> Int? {
    var b = ByteBuffer(); b.append(text: s); return Timestamp.parse(b.view)
  }
}
