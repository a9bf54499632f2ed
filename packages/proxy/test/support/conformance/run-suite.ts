import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/**
 * Requirements of the official suite: its Legacy release, or the requirements of one revision in the current
 * release.
 */
export type Requirements = '0.1.16' | '2025-11-25' | '2026-07-28';

export interface ScenarioOutcome {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  /** Whether the scenario counts for the score. Extensions do not. */
  readonly isScored: boolean;
}

export interface SuiteOutcome {
  readonly scenarios: readonly ScenarioOutcome[];
  /** Output of the suite, for diagnosis. */
  readonly output: string;
}

/** Maximum number of tries of a scenario. */
const TRIES = 4;

/**
 * Runs the official suite against the server at the URL. A scenario that fails is run again alone, because
 * some wait only half a second for the server and fail on a busy machine.
 */
export async function runSuite(url: URL, requirements: Requirements): Promise<SuiteOutcome> {
  const all = requirements === '0.1.16' ? ['--suite', 'active'] : ['--requirements', requirements];
  const { scenarios, output } = await runOnce(url, requirements, all);
  const settled: ScenarioOutcome[] = [];
  const tried = [output];
  for (const scenario of scenarios) {
    let last = scenario;
    for (let tries = 1; tries < TRIES && last.isScored && last.failed > 0; tries += 1) {
      const version = requirements === '0.1.16' ? [] : ['--spec-version', requirements];
      const again = await runOnce(url, requirements, ['--scenario', scenario.name, ...version]);
      tried.push(again.output);
      last = { ...scenario, ...readResult(again.output) };
    }
    settled.push(last);
  }
  return { scenarios: settled, output: tried.join('\n') };
}

async function runOnce(
  url: URL,
  requirements: Requirements,
  expected: readonly string[],
): Promise<SuiteOutcome> {
  const name = requirements === '0.1.16' ? 'conformance-legacy' : 'conformance';
  const program = fileURLToPath(import.meta.resolve(`@modelcontextprotocol/${name}/dist/index.js`));
  const args = [program, 'server', '--url', url.href, ...expected];
  const suite = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, faults] = await Promise.all([text(suite.stdout), text(suite.stderr), once(suite, 'close')]);
  return { scenarios: readSummary(output), output: output + faults };
}

/** Parses the output of a scenario that was run alone. */
function readResult(output: string): { readonly passed: number; readonly failed: number } {
  const [, passed, failed] = /Passed: (\d+)\/\d+, (\d+) failed/.exec(output) ?? [];
  if (failed === undefined) throw new Error(`the suite did not say what came out:\n${output}`);
  return { passed: Number(passed), failed: Number(failed) };
}

/** Parses the summary that the suite prints. */
export function readSummary(output: string): readonly ScenarioOutcome[] {
  const summary = output.slice(output.lastIndexOf('=== SUMMARY ==='));
  const unscored = new Set([...summary.matchAll(/^ {2}[✓✗] (\S+) \(/gm)].map(([, name]) => name));
  return [...summary.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed/gm)].map(
    ([, name = '', passed, failed]) => ({
      name,
      passed: Number(passed),
      failed: Number(failed),
      isScored: !unscored.has(name),
    }),
  );
}
