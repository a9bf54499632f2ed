import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** How long each test file took when all were run the last time, in milliseconds. */
export type Durations = ReadonlyMap<string, number>;

/**
 * What takes longest, in seconds of a whole run on two cores: a fresh clone, as
 * in CI, knows no run before, and one of these alone at the end leaves a core idle.
 */
export const LONG_FILES: Readonly<Record<string, number>> = {
  'test/system/deployment/compose.test.ts': 150,
  'test/system/faults/run/engine.test.ts': 125,
  'test/system/run/update-on-engine.test.ts': 110,
  'test/system/build/build-credentials.test.ts': 105,
  'test/system/faults/run/running-faults.test.ts': 100,
  'test/system/build/real-packages.test.ts': 100,
  'test/system/policy/authorization.test.ts': 100,
  'test/system/authorization/matrix.test.ts': 90,
  'plugins/source-git/test/reading.slow.test.ts': 85,
  'plugins/source-kubernetes/test/cluster-source.slow.test.ts': 80,
  'test/system/packaging/packed-cli.test.ts': 80,
  'test/system/deployment/upgrade.test.ts': 80,
  'test/system/build/go-build.test.ts': 75,
  'test/system/run/host-runtime.test.ts': 70,
  'test/system/run/remote-login.test.ts': 70,
  'test/system/supervise/running-faults.test.ts': 65,
  'test/system/faults/database-full.test.ts': 65,
  'test/system/run/login-conformance.test.ts': 60,
  'test/system/podman/podman.test.ts': 60,
  'test/system/run/oidc.test.ts': 60,
  'test/system/supervise/stdio-faults.test.ts': 60,
  'test/system/examples/workload-examples.test.ts': 60,
  'test/system/build/npx-build.test.ts': 60,
  'test/system/sources/federation.test.ts': 60,
  'test/system/run/telemetry.test.ts': 50,
  'packages/registry/test/sync-scheduler.slow.test.ts': 50,
  'test/integration/policy/conformance.slow.test.ts': 50,
  'test/system/sources/replicas/killed-replicas.test.ts': 50,
};

/** How long a file may take that no run here has measured. */
export function usualMs(file: string, { isFast, engine }: { isFast: boolean; engine: boolean }): number {
  const seconds = LONG_FILES[file] ?? (isFast ? 0.3 : engine ? 25 : 8);
  return seconds * 1000;
}

function fileOf(root: string): string {
  return path.join(root, 'node_modules/.cache/portolan-tests/durations.json');
}

/** Of nothing, where no run has ended here before. */
export function readDurations(root: string): Durations {
  try {
    const kept: unknown = JSON.parse(readFileSync(fileOf(root), 'utf8'));
    const known = Object.entries(Object(kept)).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] >= 0,
    );
    return new Map(known);
  } catch {
    return new Map();
  }
}

/** Keeps them for the next run. */
export function writeDurations(root: string, durations: Durations): void {
  const file = fileOf(root);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(Object.fromEntries(durations)));
  renameSync(`${file}.${process.pid}`, file);
}
