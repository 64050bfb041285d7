/// The command line; see `docs/` and `eventmill --help`.
@main
struct Main {
  static func main() {}
}
