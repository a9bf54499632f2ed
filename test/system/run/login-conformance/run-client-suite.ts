import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { ScenarioRequest } from './logging-in-client.ts';

/** A scenario about logins, as the suite judges it. */
export interface ScenarioOutcome {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly warnings: number;
  /** What the client has ended with; empty where all went well. */
  readonly fault: string;
}

const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
const CLIENT = fileURLToPath(new URL('ask-driver.js', import.meta.url));
const LIMIT_MS = 600_000;
/** Logins of programs, and keys of clients: not scored. */
const EXTENSIONS = /^auth\/(?:client-credentials|enterprise-managed|dpop|wif)/;
/** The suite begins all scenarios at once. */
const AT_ONCE = 3;

/**
 * Runs the client side of the official suite with a client of the test, and
 * gives what came out of the scenarios that are about logins.
 */
export async function runClientSuite(
  wanted: readonly string[],
  use: (asked: ScenarioRequest) => Promise<void>,
): Promise<{ readonly scenarios: readonly ScenarioOutcome[]; readonly output: string }> {
  const faults = new Map<string, string>();
  const inTurn = turns(AT_ONCE);
  const serve = async (asked: ScenarioRequest): Promise<string> => {
    const fault = await inTurn(() => use(asked)).then(
      () => '',
      (error: unknown) => String(error),
    );
    faults.set(asked.scenario, fault);
    return fault;
  };
  const driver = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      // SAFETY: what the suite's client sends, a file of ours.
      const asked = JSON.parse(await readText(request)) as ScenarioRequest;
      const isWanted = asked.scenario.startsWith('auth/') && !EXTENSIONS.test(asked.scenario);
      response.end(isWanted ? await serve(asked) : 'not about logins of people');
    };
    void answer();
  });
  driver.listen(0, '127.0.0.1');
  await once(driver, 'listening');
  try {
    // SAFETY: a server that listens on a port has an address of this form.
    const { port } = driver.address() as AddressInfo;
    const args = [
      SUITE,
      'client',
      '--command',
      `${process.execPath} ${CLIENT}`,
      '--timeout',
      `${LIMIT_MS}`,
      '--verbose',
    ];
    const suite = spawn(process.execPath, [...args, ...wanted], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, PORTOLAN_TEST_DRIVER: `http://127.0.0.1:${port}/` },
    });
    const [output] = await Promise.all([
      readText(suite.stdout),
      readText(suite.stderr),
      once(suite, 'close'),
    ]);
    return { scenarios: readSummary(output, faults), output };
  } finally {
    driver.close();
    driver.closeAllConnections();
  }
}

/** The lines of its summary, of scenarios that count and are about logins. */
function readSummary(output: string, faults: ReadonlyMap<string, string>): readonly ScenarioOutcome[] {
  const summary = output.slice(output.lastIndexOf('=== SUITE SUMMARY ==='));
  const unscored = new Set([...summary.matchAll(/^ {2}[✓✗] (\S+) \(/gm)].map(([, name]) => name));
  const lines = summary.matchAll(/^[✓✗] (auth\/\S+): (\d+) passed, (\d+) failed(?:, (\d+) warnings)?/gm);
  return [...lines].flatMap(([, name = '', passed, failed, warnings = '0']) =>
    unscored.has(name)
      ? []
      : [
          {
            name,
            passed: Number(passed),
            failed: Number(failed),
            warnings: Number(warnings),
            fault: faults.get(name) ?? 'the suite has not begun it',
          },
        ],
  );
}

/** Lets so many run at once; others wait. */
function turns(most: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => void waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
