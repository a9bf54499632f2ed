import type { JsonObject } from '@portolan/plugin-api';
import { checkPublications, type LocatedProblem } from '../publish/check-publications.ts';

export interface Judged {
  /** A registry would refuse it. */
  readonly errors: readonly LocatedProblem[];
  readonly warnings: readonly LocatedProblem[];
}

/** What is wrong with a document by the rules for publishing, without what a registry knows of others. */
export function judgeDocument(document: JsonObject, now: Date): Judged {
  const [checked] = checkPublications([{ type: 'server', document, place: '' }], now);
  return { errors: checked?.errors ?? [], warnings: checked?.warnings ?? [] };
}

/** Flags by the place in the document that they fill; the first that fits counts. */
const FLAGS: readonly (readonly [place: RegExp, flag: string])[] = [
  [/^name\b/, '--name'],
  [/^title\b/, '--title'],
  [/^description\b/, '--description'],
  [/^version\b/, '--version'],
  [/^repository\b/, '--repository'],
  [/^websiteUrl\b/, '--website'],
  [/environmentVariables/, '--variable and --secret'],
  [/^(?:packages|remotes)\b.*transport|^remotes\[\d+\]\.type/, '--transport'],
  [/^(?:packages|remotes)\b/, '--runs'],
];

/** The flag that says what stands at a place; the place itself where none does. */
export function flagFor(place: string): string {
  return FLAGS.find(([pattern]) => pattern.test(place))?.[1] ?? place;
}
