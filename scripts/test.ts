// Runs all tests in two processes at once: those of containers, which wait for the engine most of the time,
// and the others. Ends with 1 when one fails. The last line: N passed, N failed, N skipped
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './workspace-packages.ts';

const OF_CONTAINERS =
  /^(?:plugins\/(?:runtime|scheme|transport)-|test\/(?:acceptance\/run|build|examples\/workload-|faults\/run|isolation|overlays|registry-lookup|run|supervise)\b)/;

// The file is ours, and Mocha checks it too.
const { spec } = JSON.parse(readFileSync(path.join(ROOT, '.mocharc.json'), 'utf8')) as {
  readonly spec: readonly string[];
};
const files = globSync(spec, { cwd: ROOT });
const ofContainers = files.filter((file) => OF_CONTAINERS.test(file));
const others = files.filter((file) => !OF_CONTAINERS.test(file));

let held: string[] | undefined = [];
console.log(
  `${ofContainers.length} files with tests of containers run beside the others; their report comes last.`,
);
const second = runWithout(others, (text) =>
  held === undefined ? process.stdout.write(text) : held.push(text),
);
const first = await runWithout(ofContainers, (text) => process.stdout.write(text));
process.stdout.write(held.join(''));
held = undefined;
const both = [first, await second];
const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map((what) =>
  both.reduce((sum, text) => sum + countOf(what, text), 0),
);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed === 0 ? 0 : 1;

/** The last line of the report; one failed where there is none. */
async function runWithout(ignored: readonly string[], onText: (text: string) => void): Promise<string> {
  const flags = ignored.map((file) => `--ignore=${file}`);
  const mocha = path.join(ROOT, 'node_modules/mocha/bin/mocha.js');
  const child = spawn(process.execPath, [mocha, ...(process.stdout.isTTY ? ['--color'] : []), ...flags], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let last = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    last = (last + text).slice(-200);
    onText(text);
  });
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  const line = /\d+ passed, \d+ failed, \d+ skipped\s*$/.exec(last)?.[0] ?? '0 passed, 0 failed, 0 skipped';
  return status === 0 || countOf('failed', line) > 0 ? line : line.replace(/\d+ failed/, '1 failed');
}

function countOf(what: string, line: string): number {
  return Number(new RegExp(`(\\d+) ${what}`).exec(line)?.[1] ?? 0);
}
