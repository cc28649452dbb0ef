"""The format that SOL-ExecBench and FlashInfer-Bench share: definitions, solutions, workloads and traces."""
