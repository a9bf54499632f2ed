import type { Connection } from './connection.ts';
import { referenceMissing } from './errors.ts';
import { runGit } from './run-git.ts';
import { showReference, type WantedReference } from './wanted-reference.ts';

export interface FoundReference {
  /** A commit or an annotated tag. */
  readonly object: string;
  readonly commit: string;
}

/** Throws ERR_SOURCE_GIT_REFERENCE, and what `runGit` throws. */
export async function askReference(
  wanted: Exclude<WantedReference, { readonly kind: 'commit' }>,
  connection: Connection,
  signal: AbortSignal,
): Promise<FoundReference> {
  const name = nameOf(wanted);
  const words = ['ls-remote', '--quiet', '--', 'origin', name, `${name}^{}`];
  const answer = await runGit({ words, ...connection, signal });
  const found = new Map<string, string>();
  for (const line of answer.toString('utf8').split('\n')) {
    const [, object, reference] = /^([0-9a-f]{40}(?:[0-9a-f]{24})?)\t(.*)$/.exec(line) ?? [];
    // The server lists every reference with this ending.
    if (object !== undefined && reference !== undefined) found.set(reference, object);
  }
  const object = found.get(name);
  if (object === undefined) throw referenceMissing(showReference(wanted));
  return { object, commit: found.get(`${name}^{}`) ?? object };
}

function nameOf(wanted: Exclude<WantedReference, { readonly kind: 'commit' }>): string {
  if (wanted.kind === 'default') return 'HEAD';
  return wanted.kind === 'branch' ? `refs/heads/${wanted.name}` : `refs/tags/${wanted.name}`;
}
