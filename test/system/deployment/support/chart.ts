import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { run } from '../../../../scripts/run.ts';
import { ROOT } from '../../../../scripts/workspace-packages.ts';

export const CHART = path.join(ROOT, 'deploy/helm/portolan');

/** A Kubernetes object that the chart rendered. */
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

/** Returns the Helm program that the script built, or undefined. */
export async function findHelm(): Promise<string | undefined> {
  const found = await run(path.join(ROOT, 'scripts/helm.sh'), ['find']).catch(() => undefined);
  return found?.trim();
}

/** Returns the rendered objects for these values. Throws with the message of Helm for invalid values. */
export async function render(
  helm: string,
  valuesFile: string,
  ...options: readonly string[]
): Promise<readonly Rendered[]> {
  const args = ['template', 'registry', CHART, '--namespace', 'registry', '--values', valuesFile, ...options];
  return parseAllDocuments(await run(helm, args)).flatMap((document) => {
    // SAFETY: a schema validates each object.
    const value = document.toJS() as Rendered | null;
    return value === null ? [] : [value];
  });
}
