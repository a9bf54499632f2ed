import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { ScenarioRequest } from './logging-in-client.ts';

/** Result of a login scenario in the suite. */
export interface ScenarioOutcome {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly warnings: number;
  /** Error of the client, or an empty string. */
  readonly fault: string;
}

const SUITE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));
const CLIENT = fileURLToPath(new URL('ask-driver.js', import.meta.url));
const LIMIT_MS = 600_000;
/** Scenarios about logins of programs and keys of clients, which are not scored. */
const EXTENSIONS = /^auth\/(?:client-credentials|enterprise-managed|dpop|wif)/;
/** Number of scenarios at the same time. The suite starts all of them together. */
const AT_ONCE = 3;

/**
 * Runs the client side of the official suite with a client of the test, and returns the results of the login
 * scenarios.
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
      // SAFETY: a file of this test sends it.
      const asked = JSON.parse(await readText(request)) as ScenarioRequest;
      const isWanted = asked.scenario.startsWith('auth/') && !EXTENSIONS.test(asked.scenario);
      response.end(isWanted ? await serve(asked) : 'not about logins of people');
    };
    void answer();
  });
  driver.listen(0, '127.0.0.1');
  await once(driver, 'listening');
  try {
    // SAFETY: a TCP server has an address of this form.
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

/** Returns the lines of the summary about scored login scenarios. */
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

/** Limits the number of scenarios at the same time. */
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
