import type { JsonObject } from '@portolan/plugin-api';
import { checkPublications, type LocatedProblem } from '../publish/check-publications.ts';

export interface Judged {
  /** Problems for which a registry would refuse the document. */
  readonly errors: readonly LocatedProblem[];
  readonly warnings: readonly LocatedProblem[];
}

/** Validates a document by the rules for publishing that need no registry. */
export function judgeDocument(document: JsonObject, now: Date): Judged {
  const [checked] = checkPublications([{ type: 'server', document, place: '' }], now);
  return { errors: checked?.errors ?? [], warnings: checked?.warnings ?? [] };
}

/** Flags by the place in the document that they fill; the first match applies. */
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

/** Returns the flag that fills a place of the document; the place itself if there is none. */
export function flagFor(place: string): string {
  return FLAGS.find(([pattern]) => pattern.test(place))?.[1] ?? place;
}
