// Counts tokens: reads a JSON string from each line, prints the number of its tokens (o200k_base).

import { createInterface } from "node:readline";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";

for await (const line of createInterface({ input: process.stdin })) {
  // Special tokens in a text are words of it, not commands.
  process.stdout.write(`${countTokens(JSON.parse(line), { disallowedSpecial: new Set() })}\n`);
}
