// How V8 runs what serves the calls of a workload. Set once the process runs: an unknown flag is told here, and ends
// a process that has it on its command line.
import v8 from 'node:v8';

const FLAGS = [
  // Young objects keep the room that they begin with, until there are calls (src/supervisor/room-for-calls.ts).
  '--semi-space-growth-factor=1',
  // Old ones have little more than they take (decision 34; not --optimize-for-size, which costs half as much CPU again for each call).
  '--heap-growing-percent=100',
  // V8 would soon allocate among old objects what once lived a little longer: each dead request then keeps the next one alive (decision 76).
  '--no-allocation-site-pretenuring',
  // Cedar's parser is WebAssembly. V8 would optimize it with other threads while the container starts, which wants both processors (decision 67).
  '--wasm-tiering-budget=100000000',
];
for (const flag of FLAGS) v8.setFlagsFromString(flag);
