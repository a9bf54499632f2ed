// V8 flags of processes that proxy the calls of a workload. They are set at run time, because an unknown flag
// only prints a warning here; on the command line it would end the process.
import v8 from 'node:v8';

const FLAGS = [
  // Keep the young generation at its initial size until there are calls (src/supervisor/heap-limit.ts).
  '--semi-space-growth-factor=1',
  // Limit the growth of the old generation (record 34). `--optimize-for-size` would cost half as much CPU
  // time again for each call.
  '--heap-growing-percent=100',
  // Without this flag, V8 allocates kinds of objects that once lived longer directly in the old generation.
  // There, each dead request keeps the next one alive (record 76).
  '--no-allocation-site-pretenuring',
  // Cedar's parser is WebAssembly. V8 would optimize it on other threads while the container starts, which
  // needs both processors (record 67).
  '--wasm-tiering-budget=100000000',
];
for (const flag of FLAGS) v8.setFlagsFromString(flag);
