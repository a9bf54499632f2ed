import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { run } from '../../../../scripts/run.ts';
import { ROOT } from '../../../../scripts/workspace-packages.ts';

export const CHART = path.join(ROOT, 'deploy/helm/portolan');

/** An object of Kubernetes as a chart renders it. */
export interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [key: string]: unknown;
}

/** The program, by its script; undefined when it was not compiled on this machine. */
export async function findHelm(): Promise<string | undefined> {
  const found = await run(path.join(ROOT, 'scripts/helm.sh'), ['find']).catch(() => undefined);
  return found?.trim();
}

/** What the chart renders for these values. Throws with Helm's words for values that it refuses. */
export async function render(
  helm: string,
  valuesFile: string,
  ...options: readonly string[]
): Promise<readonly Rendered[]> {
  const args = ['template', 'registry', CHART, '--namespace', 'registry', '--values', valuesFile, ...options];
  return parseAllDocuments(await run(helm, args)).flatMap((document) => {
    // SAFETY: a schema judges each of them.
    const value = document.toJS() as Rendered | null;
    return value === null ? [] : [value];
  });
}
