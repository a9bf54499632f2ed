import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

// Preload module for `onHost`: the process reports another host name.
const name = process.env['TEST_HOSTNAME'];
if (name !== undefined) {
  os.hostname = () => name;
  syncBuiltinESMExports();
}
