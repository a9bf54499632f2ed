import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

// Loaded before the program, by `onHost`: it takes itself for a process of another machine.
const name = process.env['TEST_HOSTNAME'];
if (name !== undefined) {
  os.hostname = () => name;
  syncBuiltinESMExports();
}
