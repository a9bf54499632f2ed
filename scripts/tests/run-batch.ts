import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestEvent } from '../../test/support/reporter.ts';

export interface BatchOptions {
  readonly root: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Modules to load before the tests, beside those that `.mocharc.json` names. */
  readonly preloads: readonly string[];
  readonly onEvent: (event: TestEvent) => void;
  /** How long it may take to end after its last test. */
  readonly endMs?: number;
}

const USUAL_END_MS = 60_000;
/** Between two signals, which would be one if they came at once. */
const PAUSE_MS = 500;

/** How a batch ended, with all that it printed. */
export interface BatchEnd {
  readonly output: string;
  /** Why it ended before its last test, or not by itself after it. */
  readonly broken: string | undefined;
}

/** Mocha in a process of its own. It stands in a process group of its own too: a key typed here does not reach it. */
export class RunningBatch {
  readonly ended: Promise<BatchEnd>;
  readonly #child: ChildProcess;

  constructor(
    files: readonly string[],
    { root, environment, preloads, onEvent, endMs = USUAL_END_MS }: BatchOptions,
  ) {
    const mocha = path.join(root, 'node_modules/mocha/bin/mocha.js');
    const flags = preloads.flatMap((preload) => ['--require', preload]);
    this.#child = fork(mocha, ['--no-config', ...settingsOf(root), ...flags, ...files], {
      cwd: root,
      // Where the processes that tests start keep theirs: half of what a batch needs to load is to compile it.
      env: {
        NODE_COMPILE_CACHE: path.join(root, 'node_modules/.cache/portolan-tests/compiled'),
        ...environment,
      },
      execArgv: ['--conditions=@portolan/source'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
    });
    let output = '';
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    let isWhole = false;
    let isKept = false;
    let late: NodeJS.Timeout | undefined;
    this.#child.on('message', (message) => {
      const event = message as TestEvent; // our own reporter sends nothing else
      if (event.type === 'end') {
        isWhole = true;
        late = setTimeout(() => {
          isKept = true;
          this.interrupt();
          setTimeout(() => this.interrupt(), PAUSE_MS);
        }, endMs);
      }
      onEvent(event);
    });
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (status, signal) => {
        clearTimeout(late);
        if (isKept)
          return resolve({ output, broken: 'was kept open by what a test had opened, and was ended' });
        const how = signal === null ? `status ${String(status)}` : signal;
        return resolve({ output, broken: isWhole ? undefined : `ended with ${how} before its last test` });
      });
    });
  }

  /** Lets it clean up and end; asked again, it ends at once. */
  interrupt(): void {
    this.#child.kill('SIGINT');
  }
}

/** The settings of every run of Mocha, which `.mocharc.json` has for editors too. */
function settingsOf(root: string): readonly string[] {
  // The file is ours, and Mocha checks it too.
  const settings = JSON.parse(readFileSync(path.join(root, '.mocharc.json'), 'utf8')) as Readonly<
    Record<string, unknown>
  >;
  return Object.entries(settings).flatMap(([name, value]) => {
    if (['spec', 'node-option', 'watch-files'].includes(name)) return [];
    if (value === true) return [`--${name}`];
    return [value].flat().flatMap((one) => [`--${name}`, String(one)]);
  });
}
