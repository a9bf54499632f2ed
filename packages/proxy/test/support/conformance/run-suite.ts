import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

/** What the official suite asks: the Legacy line, or what the current line requires of one revision. */
export type Requirements = '0.1.16' | '2025-11-25' | '2026-07-28';

export interface ScenarioOutcome {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  /** Whether it counts; extensions, for one, do not. */
  readonly isScored: boolean;
}

export interface SuiteOutcome {
  readonly scenarios: readonly ScenarioOutcome[];
  /** All that was printed, for whoever has to find out why. */
  readonly output: string;
}

/** How often a scenario is tried. */
const TRIES = 4;

/**
 * Runs the official suite against the server at that address. Nothing is
 * expected to fail. Some scenarios wait half a second for what a server is to
 * send, and no longer: one that fails is tried again alone, for a machine that
 * has more to do.
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

/** Of a scenario that was run alone. */
function readResult(output: string): { readonly passed: number; readonly failed: number } {
  const [, passed, failed] = /Passed: (\d+)\/\d+, (\d+) failed/.exec(output) ?? [];
  if (failed === undefined) throw new Error(`the suite did not say what came out:\n${output}`);
  return { passed: Number(passed), failed: Number(failed) };
}

/** The lines of its summary, as the suite prints them for people. */
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
