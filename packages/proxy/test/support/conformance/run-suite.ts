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
  readonly status: number | null;
}

/** Runs the official suite against the server at that address. Nothing is expected to fail. */
export async function runSuite(url: URL, requirements: Requirements): Promise<SuiteOutcome> {
  const isLegacyLine = requirements === '0.1.16';
  const name = isLegacyLine ? 'conformance-legacy' : 'conformance';
  const program = fileURLToPath(import.meta.resolve(`@modelcontextprotocol/${name}/dist/index.js`));
  const wanted = isLegacyLine ? ['--suite', 'active'] : ['--requirements', requirements];
  const args = [program, 'server', '--url', url.href, ...wanted];
  const suite = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, faults, [status]] = await Promise.all([
    text(suite.stdout),
    text(suite.stderr),
    once(suite, 'close'),
  ]);
  return { scenarios: readSummary(output), output: output + faults, status };
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
