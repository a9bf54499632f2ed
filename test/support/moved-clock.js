// Preload module (`--import`) that moves the clock of a process by the milliseconds in a file. The file may
// change during the run.
import { readFileSync } from 'node:fs';

const { TEST_CLOCK_FILE: file } = process.env;
const RealDate = Date;

function now() {
  try {
    return RealDate.now() + Number(readFileSync(file, 'utf8'));
  } catch {
    return RealDate.now(); // The clock was not moved.
  }
}

globalThis.Date = class Date extends RealDate {
  constructor(...parts) {
    super(...(parts.length === 0 ? [now()] : parts));
  }

  static now() {
    return now();
  }
};
