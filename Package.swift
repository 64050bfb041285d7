// swift-tools-version: 6.2
// Eventmill: a batch pipeline for app event logs. One binary, no package dependencies; the only
// system library is libzstd (Debian and Ubuntu: `apt-get install libzstd-dev`).
import PackageDescription

/// Every target: Swift 6 mode, warnings are errors, unsafe code is marked at its use.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  // Debug builds, in which all tests run, check for overlapping accesses. In a release build these
  // checks would cost a tenth of the time.
  .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)),
]

/// Tests of a release build are about optimised modules; optimising the tests as well would take
/// minutes more than running them saves.
let testSettings: [SwiftSetting] =
  settings + [
    .unsafeFlags(["-Onone"], .when(configuration: .release)),
    // Each compiler process expands the macros of all files of its target: few processes are less
    // work.
    .unsafeFlags(["-driver-batch-size-limit", "200"], .when(configuration: .debug)),
  ]

/// Tests spend most of their time in these modules. `scripts/test.sh` has them optimised; their checks stay.
let testedSettings: [SwiftSetting] =
  settings
  + (Context.environment["EVENTMILL_OPTIMIZED"] == nil
    ? [] : [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))])

let package = Package(
  name: "eventmill",
  products: [.executable(name: "eventmill", targets: ["eventmill"])],
  targets: [
    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd",
      providers: [.apt(["libzstd-dev"]), .yum(["libzstd-devel"])]),
    // Valgrind, which counts instructions, reads no newer form of debug information.
    .target(name: "CSIMD", cSettings: [.unsafeFlags(["-gdwarf-4"])]),
    .target(name: "CSystem", cSettings: [.unsafeFlags(["-gdwarf-4"])]),
    .target(
      name: "Pipeline", dependencies: ["CZstd", "CSIMD", "CSystem"], swiftSettings: testedSettings),
    .target(
      name: "Stages", dependencies: ["Pipeline"],
      resources: [.embedInCode("Record/Mapping/BuiltIn")], swiftSettings: testedSettings),
    .target(
      name: "Jobs", dependencies: ["Pipeline", "Stages"],
      resources: [.embedInCode("Outputs/Report/page.css")], swiftSettings: settings),
    .executableTarget(
      name: "eventmill", dependencies: ["Pipeline", "Stages", "Jobs"],
      resources: [
        .embedInCode("Documents/Completions"), .embedInCode("Generate/Tables"),
        .embedInCode("Help"),
      ], swiftSettings: settings),
    .target(
      name: "TestSupport", dependencies: ["Pipeline"], path: "Tests/TestSupport",
      // The reference for results. Unoptimised it would take a twentieth of the tests' time.
      swiftSettings: settings + [.unsafeFlags(["-O"], .when(configuration: .debug))]),
    .testTarget(
      name: "PipelineTests", dependencies: ["Pipeline", "CSIMD", "CZstd", "TestSupport"],
      exclude: ["Vectors"], swiftSettings: testSettings),
    .testTarget(
      name: "StagesTests", dependencies: ["Jobs", "Stages", "Pipeline", "TestSupport"],
      exclude: ["Golden"], resources: [.copy("Vectors")], swiftSettings: testSettings),
    .testTarget(
      name: "CLITests", dependencies: ["eventmill", "Jobs", "Stages", "Pipeline", "TestSupport"],
      exclude: ["Golden", "Generate/Tables"], swiftSettings: testSettings),
  ]
)
