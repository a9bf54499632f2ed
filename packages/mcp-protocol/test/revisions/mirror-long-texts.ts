// Reads headers that repeat arguments, of names and numbers of 8 MB, and prints what was thrown.
import { paramFollower, readMirroredParams } from '../../src/revisions/mirrored-param.ts';

const digits = '1'.repeat(8_000_000);
const follow = (text: string) => paramFollower({ a: text }, {});
const trials = {
  name: () => readMirroredParams({ properties: { a: { type: 'string', 'x-mcp-header': digits } } }),
  number: () => follow(digits),
  fraction: () => follow(`1.${digits}`),
  exponent: () => follow(`1e${digits}`),
};
for (const [name, trial] of Object.entries(trials)) {
  try {
    trial();
  } catch (error) {
    console.log(name, error);
  }
}
