// Loaded into a process before its own code (`--import`): moves its clock by the
// milliseconds that stand in a file, which may change while it runs.
import { readFileSync } from 'node:fs';

const { TEST_CLOCK_FILE: file } = process.env;
const RealDate = Date;

function now() {
  try {
    return RealDate.now() + Number(readFileSync(file, 'utf8'));
  } catch {
    return RealDate.now(); // nobody has moved it
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
