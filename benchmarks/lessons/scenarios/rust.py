"""Rust: ownership, traits, editions, and cargo without a network."""

from __future__ import annotations

from benchmarks.lessons.scenario import Edit, Run, Say, Scenario

RUST = (
    Scenario(
        "rust-moved-value",
        "rust",
        "src/main.rs does not compile any more.",
        "The Rust binary fails to build because of ownership.",
        {
            "main.rs": "fn show(words: Vec<String>) -> usize {\n    words.len()\n}\n\nfn main() {\n"
            '    let words = vec![String::from("a")];\n    println!("{}", show(words));\n'
            '    println!("{:?}", words);\n}\n'
        },
        (
            Run("rustc main.rs -o app"),
            Edit("main.rs", "show(words)", "show(words.clone())"),
            Run("rustc main.rs -o app"),
        ),
        "show(words.clone())",
    ),
    Scenario(
        "rust-missing-trait",
        "rust",
        "Make the debug output of Point compile.",
        "Printing a struct with {:?} is refused by the compiler.",
        {
            "point.rs": "struct Point {\n    x: i32,\n}\n\nfn main() {\n"
            '    println!("{:?} {}", Point { x: 1 }, Point { x: 1 }.x);\n}\n'
        },
        (
            Run("rustc point.rs -o point"),
            Edit("point.rs", "struct Point {", "#[derive(Debug)]\nstruct Point {"),
            Run("rustc point.rs -o point"),
        ),
        "#[derive(Debug)]",
    ),
    Scenario(
        "rust-edition",
        "rust",
        "Compile async_job.rs.",
        "Building the asynchronous job with the bare compiler fails.",
        {"async_job.rs": "async fn job() -> u8 {\n    1\n}\n\nfn main() {\n    let _pending = job();\n}\n"},
        (Run("rustc async_job.rs -o job"), Run("rustc --edition 2021 async_job.rs -o job")),
        "rustc --edition 2021 async_job.rs -o job",
    ),
    Scenario(
        "rust-offline-cargo",
        "rust",
        "Run the tests of the ledger crate.",
        "cargo refuses the lock file when the crate's tests are run.",
        {
            "Cargo.toml": '[package]\nname = "ledger"\nversion = "0.1.0"\nedition = "2021"\n',
            "src/lib.rs": "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[test]\nfn adds() {\n"
            "    assert_eq!(add(1, 2), 3);\n}\n",
        },
        (Run("cargo test --locked --offline"), Run("cargo test --offline")),
        "cargo test --offline",
    ),
    Scenario(
        "rust-overflow",
        "rust",
        "The checksum program panics on long input.",
        "An arithmetic overflow stops the checksum tool.",
        {
            "sum.rs": "fn main() {\n    let data = vec![200u8, 100u8];\n    let mut sum = 0u8;\n    for b in data {\n"
            '        sum += b;\n    }\n    println!("{}", sum);\n}\n'
        },
        (
            Run("rustc sum.rs -o sum && ./sum"),
            Edit("sum.rs", "sum += b;", "sum = sum.wrapping_add(b);"),
            Run("rustc sum.rs -o sum && ./sum"),
            Say("Checksums wrap around by definition, so wrapping_add is right here."),
        ),
        "sum.wrapping_add(b)",
    ),
)
